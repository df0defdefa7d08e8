#include "trace/reuse.h"

#include <algorithm>
#include <map>

namespace brigada {

namespace {

struct Share {
    uint64_t found = 0, all = 0;
    void add(uint64_t tokens_found, uint64_t tokens) {
        found += tokens_found;
        all += tokens;
    }
    double value() const {
        return all == 0 ? 0 : static_cast<double>(found) / static_cast<double>(all);
    }
};

/// Sums over positions 0 to n - 1, each changed and asked in log n. Source: Fenwick, 1994.
class FenwickSums {
  public:
    explicit FenwickSums(size_t n) : sums_(n + 1) {}

    void add(size_t at, int64_t amount) {
        for (size_t i = at + 1; i < sums_.size(); i += i & (~i + 1))
            sums_[i] += amount;
    }
    /// Of positions below `end`.
    int64_t below(size_t end) const {
        int64_t sum = 0;
        for (size_t i = end; i > 0; i -= i & (~i + 1))
            sum += sums_[i];
        return sum;
    }

  private:
    std::vector<int64_t> sums_;
};

}  // namespace

SessionReuse session_reuse(const Trace& trace, const std::vector<std::vector<TimedCall>>& times) {
    Share endless, tool, user;
    std::array<Share, kReuseAges_s.size()> by_age;
    std::array<Share, kReuseIndices.size()> by_index;
    SessionReuse out;
    for (size_t s = 0; s < trace.sessions.size(); ++s) {
        if (trace.sessions[s].parent) continue;
        const auto& calls = trace.sessions[s].calls;
        for (size_t i = 0; i < calls.size(); ++i) {
            const uint32_t tokens = calls[i].prompt_tokens;
            const uint32_t kept = kept_tokens(calls[i], trace.block_tokens);
            endless.add(kept, tokens);
            if (i > 0) (calls[i].user ? user : tool).add(kept, tokens);
            for (size_t a = 0; a < by_age.size(); ++a)
                by_age[a].add(times[s][i].idle <= Duration::seconds(kReuseAges_s[a]) ? kept : 0,
                              tokens);
            const auto index = std::ranges::find(kReuseIndices, i);
            if (index == kReuseIndices.end()) continue;
            const auto at = static_cast<size_t>(index - kReuseIndices.begin());
            by_index[at].add(kept, tokens);
            ++out.calls_at_index[at];
        }
    }
    out.endless = endless.value();
    out.tool_calls = tool.value();
    out.user_calls = user.value();
    std::ranges::transform(by_age, out.by_age.begin(), &Share::value);
    std::ranges::transform(by_index, out.by_index.begin(), &Share::value);
    return out;
}

double shared_reuse(const Trace& trace, const std::vector<CallAt>& order) {
    std::vector<bool> seen(trace.names);
    Share share;
    for (const CallAt& at : order) {
        const TraceCall& call = trace.sessions[at.session].calls[at.call];
        uint64_t found = call.keep_blocks;  // the session's own call before was there
        bool going_on = true;
        for (const BlockRun& run : call.added) {
            for (uint32_t name = run.first; name < run.first + run.count; ++name) {
                going_on = going_on && seen[name];
                if (going_on) ++found;
                seen[name] = true;
            }
        }
        share.add(std::min<uint64_t>(found * trace.block_tokens, call.prompt_tokens),
                  call.prompt_tokens);
    }
    return share.value();
}

std::vector<ReuseAtSize> reuse_by_size(const Trace& trace, const std::vector<CallAt>& order) {
    constexpr uint64_t kSteps = 64;
    // What a kept prompt needs so as to be there still: the prompts of sessions used since, and its
    // own. Sessions stand in the order of their last use.
    FenwickSums held(order.size());
    std::vector<ptrdiff_t> last(trace.sessions.size(), -1);
    std::map<uint64_t, uint64_t> found_at;  // cache tokens needed -> prompt tokens found
    uint64_t all = 0, largest = 0;
    for (size_t now = 0; now < order.size(); ++now) {
        const CallAt& at = order[now];
        const auto& calls = trace.sessions[at.session].calls;
        const TraceCall& call = calls[at.call];
        all += call.prompt_tokens;
        if (at.call > 0) {
            const auto place = static_cast<size_t>(last[at.session]);
            const int64_t needed = held.below(now) - held.below(place);
            found_at[static_cast<uint64_t>(needed)] += kept_tokens(call, trace.block_tokens);
            held.add(place, -int64_t(calls[at.call - 1].prompt_tokens));
        }
        held.add(now, call.prompt_tokens);
        last[at.session] = static_cast<ptrdiff_t>(now);
    }
    if (!found_at.empty()) largest = found_at.rbegin()->first;
    std::vector<ReuseAtSize> out;
    uint64_t found = 0;
    auto next = found_at.begin();
    for (uint64_t step = 1; step <= kSteps && largest > 0; ++step) {
        const uint64_t size = largest / kSteps * step + largest % kSteps * step / kSteps;
        for (; next != found_at.end() && next->first <= size; ++next)
            found += next->second;
        out.push_back({size, static_cast<double>(found) / static_cast<double>(all)});
    }
    return out;
}

WorkingSet working_set(const Trace& trace, const std::vector<std::vector<TimedCall>>& times,
                       Duration age, size_t points) {
    struct Change {
        Instant at;
        int64_t tokens = 0;
    };
    std::vector<Change> changes;
    Instant end;
    for (size_t s = 0; s < times.size(); ++s) {
        for (size_t i = 0; i < times[s].size(); ++i) {
            const int64_t tokens = trace.sessions[s].calls[i].prompt_tokens;
            const bool is_last = i + 1 == times[s].size();
            const Instant old = times[s][i].answered + age;
            changes.push_back({times[s][i].sent, tokens});
            changes.push_back({is_last ? old : std::min(old, times[s][i + 1].sent), -tokens});
            end = std::max(end, times[s][i].answered);
        }
    }
    std::ranges::sort(changes, {}, [](const Change& c) { return std::pair(c.at, c.tokens); });
    WorkingSet out{.age = age, .step = (end - Instant()) / int64_t(points), .tokens = {}};
    int64_t now = 0;
    double sum = 0;
    Instant before;
    size_t next = 0;
    for (size_t point = 1; point <= points; ++point) {
        const Instant until = point == points ? end : Instant() + out.step * int64_t(point);
        for (; next < changes.size() && changes[next].at <= until; ++next) {
            sum += static_cast<double>(now) * (changes[next].at - before).seconds();
            before = changes[next].at;
            now += changes[next].tokens;
            out.most = std::max(out.most, static_cast<uint64_t>(now));
        }
        out.tokens.push_back(static_cast<uint64_t>(now));
    }
    sum += static_cast<double>(now) * (end - before).seconds();
    if (end > Instant()) out.mean = sum / (end - Instant()).seconds();
    return out;
}

}  // namespace brigada
