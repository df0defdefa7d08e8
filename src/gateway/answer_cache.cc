#include "gateway/answer_cache.h"

#include <charconv>
#include <cstring>

#include "base/hex.h"

namespace brigada {

std::string AnswerKey::hex() const {
    return hex_of(bytes);
}

std::optional<AnswerKey> AnswerKey::from_hex(std::string_view text) {
    AnswerKey out;
    if (text.size() != 2 * out.bytes.size()) return std::nullopt;
    for (size_t i = 0; i < out.bytes.size(); ++i) {
        const char* const at = text.data() + 2 * i;
        const auto [end, failed] = std::from_chars(at, at + 2, out.bytes[i], 16);
        if (failed != std::errc() || end != at + 2) return std::nullopt;
    }
    return out;
}

size_t AnswerKey::Hash::operator()(const AnswerKey& key) const {
    size_t out = 0;
    std::memcpy(&out, key.bytes.data(), sizeof(out));  // it is a hash already
    return out;
}

}  // namespace brigada
