#include "gateway/count/count_memo.h"

#define XXH_INLINE_ALL  // stretches are short: much of the time would be the call
#include <xxhash.h>

#include <cstring>

namespace brigada {

namespace {

constexpr size_t kNodeBytes = 128;  // a list's node, a table's, and its bucket
constexpr size_t kShortestStretch = 64;

size_t bytes_of_count(const uint32_t&) {
    return kNodeBytes;
}

ContentKey stretch_key(const ContentKey& salt, std::string_view stretch, bool is_first) {
    return content_key({salt.low, salt.high ^ (is_first ? 1 : 0)}, stretch);
}

}  // namespace

ContentKey content_key(const ContentKey& before, std::string_view text) {
    const XXH128_hash_t hash = XXH3_128bits_withSeed(text.data(), text.size(), before.low);
    const uint64_t parts[] = {before.high, hash.low64, hash.high64, text.size()};
    const XXH128_hash_t all = XXH3_128bits_withSeed(parts, sizeof(parts), before.low);
    return {.low = all.low64, .high = all.high64};
}

size_t CountMemo::bytes_of(const CountedPrompt& prompt) {
    return kNodeBytes + sizeof(CountedPrompt) + prompt.shape.size();
}

StretchMemo::StretchMemo(size_t max_bytes) : counts_(max_bytes, bytes_of_count) {}

std::optional<uint32_t> StretchMemo::find(const ContentKey& salt, std::string_view stretch,
                                          bool is_first) {
    if (stretch.size() < kShortestStretch) return std::nullopt;
    const uint32_t* found = counts_.find(stretch_key(salt, stretch, is_first));
    return found ? std::optional(*found) : std::nullopt;
}

void StretchMemo::keep(const ContentKey& salt, std::string_view stretch, bool is_first,
                       uint32_t tokens) {
    if (stretch.size() < kShortestStretch) return;
    counts_.put(stretch_key(salt, stretch, is_first), tokens);
}

}  // namespace brigada
