#include "engine/stop_matcher.h"

#include <algorithm>
#include <utility>

namespace brigada {

StopMatcher::StopMatcher(std::vector<std::string> stops, bool include)
    : stops_(std::move(stops)), include_(include) {
    std::erase_if(stops_, [](const std::string& stop) { return stop.empty(); });
}

StopMatcher::Step StopMatcher::append(std::string_view text) {
    const size_t old_size = held_.size();
    held_ += text;
    if (auto step = find_stop(old_size)) return *std::move(step);
    const size_t sendable = held_.size() - open_suffix();
    Step step{held_.substr(0, sendable), std::nullopt};
    held_.erase(0, sendable);
    return step;
}

std::string StopMatcher::flush() {
    return std::exchange(held_, {});
}

/// The stop string whose last byte comes first; it must end within the new text, since the old was
/// searched before.
std::optional<StopMatcher::Step> StopMatcher::find_stop(size_t old_size) {
    for (size_t end = old_size + 1; end <= held_.size(); ++end) {
        const std::string_view so_far(held_.data(), end);
        for (const std::string& stop : stops_) {
            if (!so_far.ends_with(stop)) continue;
            const size_t keep = include_ ? end : end - stop.size();
            Step step{held_.substr(0, keep), stop};
            held_.clear();
            return step;
        }
    }
    return std::nullopt;
}

/// Length of the longest end of the held text that begins a stop string. Never cuts a character:
/// text arrives in whole characters and a stop string starts with one.
size_t StopMatcher::open_suffix() const {
    size_t longest = 0;
    for (const std::string& stop : stops_) {
        const size_t most = std::min(stop.size() - 1, held_.size());
        for (size_t length = most; length > longest; --length)
            if (std::string_view(held_).ends_with(std::string_view(stop).substr(0, length))) {
                longest = length;
                break;
            }
    }
    return longest;
}

}  // namespace brigada
