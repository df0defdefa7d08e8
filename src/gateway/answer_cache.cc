#include "gateway/answer_cache.h"

#include <fmt/format.h>

#include <cstring>

namespace brigada {

std::string AnswerKey::hex() const {
    return fmt::format("{:02x}", fmt::join(bytes, ""));
}

size_t AnswerKey::Hash::operator()(const AnswerKey& key) const {
    size_t out = 0;
    std::memcpy(&out, key.bytes.data(), sizeof(out));  // it is a hash already
    return out;
}

}  // namespace brigada
