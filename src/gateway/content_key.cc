#include "gateway/content_key.h"

#define XXH_INLINE_ALL  // what is named is often short: much of the time would be the call
#include <xxhash.h>

#include <utility>

#include "gateway/long_hash.h"

namespace brigada {

namespace {

constexpr size_t kLong = 1'024;

std::pair<uint64_t, uint64_t> hash_of(std::string_view text, uint64_t seed) {
    if (text.size() >= kLong) return long_hash(text, seed);
    const XXH128_hash_t hash = XXH3_128bits_withSeed(text.data(), text.size(), seed);
    return {hash.low64, hash.high64};
}

}  // namespace

ContentKey content_key(const ContentKey& before, std::string_view text) {
    const auto [low, high] = hash_of(text, before.low);
    const uint64_t parts[] = {before.high, low, high, text.size()};
    const XXH128_hash_t all = XXH3_128bits_withSeed(parts, sizeof(parts), before.low);
    return {.low = all.low64, .high = all.high64};
}

ContentKey content_key(const ContentKey& before, const ContentKey& next) {
    const uint64_t parts[] = {before.high, next.low, next.high};
    const XXH128_hash_t all = XXH3_128bits_withSeed(parts, sizeof(parts), before.low);
    return {.low = all.low64, .high = all.high64};
}

}  // namespace brigada
