// KeySecret: the secret text of a key, which only its owner has. Here it is made, hashed under a
// pepper, shown by its last characters and compared without telling how far it was right.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace brigada {

/// HMAC-SHA256 of a key's text: what is stored and looked up.
struct KeyHash {
    std::array<uint8_t, 32> bytes = {};

    std::string hex() const;
    static std::optional<KeyHash> from_hex(std::string_view text);

    /// In constant time.
    friend bool operator==(const KeyHash& a, const KeyHash& b);
};

/// For hash tables; the hash is keyed already, so nobody can choose collisions.
struct KeyHashHasher {
    size_t operator()(const KeyHash& hash) const;
};

class KeyHasher {
  public:
    /// `pepper`, given by the shell and the same for the life of the store, must not be empty.
    explicit KeyHasher(std::string_view pepper);

    KeyHash hash(std::string_view text) const;

    /// Recognises the pepper without giving it away: stored beside the hashes it made.
    std::string pepper_mark() const { return hash("brigada: the mark of this pepper").hex(); }

  private:
    struct Free {
        void operator()(void* context) const;
    };
    std::unique_ptr<void, Free> context_;  // an EVP_MAC_CTX, keyed once
};

/// Fills the span with bytes nobody can guess.
using RandomBytes = std::function<void(std::span<uint8_t>)>;

/// The operating system's source.
RandomBytes os_random();

/// "sk-" and 43 characters: 256 random bits in URL-safe base64.
std::string make_key_text(const RandomBytes& random);

/// 32 hex digits: 128 random bits.
std::string make_id(const RandomBytes& random);

/// "sk-...last4". A text so short that four characters would tell much shows none.
std::string key_display(std::string_view text);

/// Whether a text a client sent can be a key at all: "sk-", then up to 253 letters, digits, '-',
/// '_' or '.'. Cheap, and before any hashing.
bool looks_like_key(std::string_view text);

/// Whether a key that an administrator chose is long enough. Error::invalid_argument, without the
/// key.
Result<void> check_chosen_key(std::string_view text);

}  // namespace brigada
