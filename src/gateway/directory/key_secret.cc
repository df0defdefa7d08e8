#include "gateway/directory/key_secret.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/rand.h>

#include <algorithm>
#include <cstring>

#include "base/hex.h"

namespace brigada {

namespace {

constexpr std::string_view kPrefix = "sk-";
constexpr size_t kMaxKeyBytes = 256;
constexpr size_t kMinChosenBytes = 16;  // after the prefix

std::optional<uint8_t> hex_value(char c) {
    if (c >= '0' && c <= '9') return static_cast<uint8_t>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<uint8_t>(c - 'a' + 10);
    return std::nullopt;
}

/// Six bits a character, without padding.
std::string to_base64url(std::span<const uint8_t> bytes) {
    constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    std::string text;
    uint32_t window = 0;
    int bits = 0;
    for (uint8_t byte : bytes) {
        window = window << 8 | byte;
        for (bits += 8; bits >= 6; bits -= 6)
            text += kDigits[window >> (bits - 6) & 63];
    }
    if (bits > 0) text += kDigits[window << (6 - bits) & 63];
    return text;
}

bool is_key_character(unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
}

}  // namespace

std::string KeyHash::hex() const {
    return hex_of(bytes);
}

std::optional<KeyHash> KeyHash::from_hex(std::string_view text) {
    KeyHash hash;
    if (text.size() != 2 * hash.bytes.size()) return std::nullopt;
    for (size_t i = 0; i < hash.bytes.size(); ++i) {
        const auto high = hex_value(text[2 * i]), low = hex_value(text[2 * i + 1]);
        if (!high || !low) return std::nullopt;
        hash.bytes[i] = static_cast<uint8_t>(*high << 4 | *low);
    }
    return hash;
}

bool operator==(const KeyHash& a, const KeyHash& b) {
    return CRYPTO_memcmp(a.bytes.data(), b.bytes.data(), a.bytes.size()) == 0;
}

size_t KeyHashHasher::operator()(const KeyHash& hash) const {
    size_t value = 0;
    std::memcpy(&value, hash.bytes.data(), sizeof value);
    return value;
}

void KeyHasher::Free::operator()(void* context) const {
    EVP_MAC_CTX_free(static_cast<EVP_MAC_CTX*>(context));
}

KeyHasher::KeyHasher(std::string_view pepper) {
    CHECK(!pepper.empty());
    EVP_MAC* mac = EVP_MAC_fetch(nullptr, "HMAC", nullptr);
    CHECK(mac != nullptr);
    EVP_MAC_CTX* context = EVP_MAC_CTX_new(mac);
    EVP_MAC_free(mac);
    context_.reset(context);
    char digest[] = "SHA256";
    const OSSL_PARAM params[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
        OSSL_PARAM_construct_end(),
    };
    CHECK(EVP_MAC_init(context, reinterpret_cast<const unsigned char*>(pepper.data()),
                       pepper.size(), params) == 1);
}

KeyHash KeyHasher::hash(std::string_view text) const {
    auto* context = static_cast<EVP_MAC_CTX*>(context_.get());
    KeyHash hash;
    size_t written = 0;
    CHECK(EVP_MAC_init(context, nullptr, 0, nullptr) == 1);  // no key: the one it has, from new
    CHECK(EVP_MAC_update(context, reinterpret_cast<const unsigned char*>(text.data()),
                         text.size()) == 1);
    CHECK(EVP_MAC_final(context, hash.bytes.data(), &written, hash.bytes.size()) == 1);
    CHECK(written == hash.bytes.size());
    return hash;
}

RandomBytes os_random() {
    return [](std::span<uint8_t> out) {
        CHECK(RAND_bytes(out.data(), static_cast<int>(out.size())) == 1);
    };
}

std::string make_key_text(const RandomBytes& random) {
    std::array<uint8_t, 32> bytes;
    random(bytes);
    return std::string(kPrefix) + to_base64url(bytes);
}

std::string make_id(const RandomBytes& random) {
    std::array<uint8_t, 16> bytes;
    random(bytes);
    return hex_of(bytes);
}

std::string key_display(std::string_view text) {
    const bool long_enough = text.size() >= kPrefix.size() + kMinChosenBytes;
    return "sk-..." + std::string(long_enough ? text.substr(text.size() - 4) : "");
}

bool looks_like_key(std::string_view text) {
    return text.starts_with(kPrefix) && text.size() > kPrefix.size() &&
           text.size() <= kMaxKeyBytes && std::ranges::all_of(text, is_key_character);
}

Result<void> check_chosen_key(std::string_view text) {
    if (looks_like_key(text) && text.size() >= kPrefix.size() + kMinChosenBytes) return {};
    return Error{Code::invalid_argument,
                 concat("key: a key of one's own begins with 'sk-' and goes on with ",
                        kMinChosenBytes, " to ", kMaxKeyBytes - kPrefix.size(),
                        " letters, digits, '-', '_' or '.'; leave it out to have one made")};
}

}  // namespace brigada
