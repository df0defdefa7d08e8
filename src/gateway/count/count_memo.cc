#include "gateway/count/count_memo.h"

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
