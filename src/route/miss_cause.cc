#include "route/miss_cause.h"

#include <algorithm>

#include "route/prefix_index.h"

namespace brigada {
namespace {

MissCause why_kv_was_away(const ReadAt& before, const ReadAt& now) {
    if (before.upstream != now.upstream) return MissCause::other_upstream;
    if (before.starts != now.starts) return MissCause::restarted;
    return MissCause::evicted;
}

}  // namespace

std::string_view to_string(MissCause cause) {
    switch (cause) {
        case MissCause::none:
            return "none";
        case MissCause::first_call:
            return "first_call";
        case MissCause::other_model:
            return "other_model";
        case MissCause::other_upstream:
            return "other_upstream";
        case MissCause::restarted:
            return "restarted";
        case MissCause::evicted:
            return "evicted";
        case MissCause::prompt_changed:
            return "prompt_changed";
    }
    return "none";
}

Miss explain_miss(const PromptMemory& memory, const PromptMarks& marks, const ReadAt& read_at,
                  uint32_t cached_blocks) {
    if (memory.empty()) return {.cause = MissCause::first_call};
    const RememberedPrompt* before = memory.closest(marks, read_at.model);
    if (!before) return {.cause = MissCause::other_model};

    const uint32_t common = before->common_blocks(marks);
    const auto length = static_cast<uint32_t>(std::min(before->marks.size(), marks.size()));
    const uint32_t lost_by_change = length - common;
    const uint32_t lost_by_upstream = common - std::min(common, cached_blocks);
    Miss miss;
    if (common < length) miss.first_difference = common;
    if (std::max(lost_by_change, lost_by_upstream) <= kReportSlackBlocks) return miss;
    const bool upstream_lost_more = lost_by_upstream >= lost_by_change;
    miss.cause =
        upstream_lost_more ? why_kv_was_away(before->read_at, read_at) : MissCause::prompt_changed;
    miss.lost_blocks = std::max(lost_by_upstream, lost_by_change);
    return miss;
}

}  // namespace brigada
