#include "plan/workload.h"

#include <algorithm>
#include <utility>

#include "base/concat.h"
#include "trace/generator.h"

namespace brigada {

namespace {

/// So many people, for so long: enough calls that the numbers settle within a few per cent.
constexpr uint32_t kPeople = 150;
constexpr Duration kTime = Duration::seconds(24 * 3600);

/// Whoever was at work when the time began has made a call by then.
constexpr Instant kSettled =
    Instant() + Duration::seconds(static_cast<int64_t>(kAwaySeconds) + 600);

double mean_calls(const Profile& profile) {
    if (profile.parts.empty()) return profile.calls.empty() ? 1 : profile.calls.mean;
    double mean = 0, share = 0;
    for (const Profile& part : profile.parts) {
        mean += part.share * (part.calls.empty() ? profile.calls : part.calls).mean;
        share += part.share;
    }
    return mean / share;
}

double mean_shared(const Profile& profile) {
    double mean = 0;
    for (const SharedPrefix& prefix : profile.prefixes)
        mean += prefix.share * prefix.tokens;
    return mean;
}

uint32_t longest_prompt(const Profile& profile) {
    if (profile.parts.empty()) return profile.most_prompt_tokens;
    uint32_t longest = 0;
    for (const Profile& part : profile.parts)
        longest = std::max(longest, longest_prompt(part));
    return longest;
}

}  // namespace

double amplification(const Workload& workload) {
    double product = 1;
    for (const FanOut& fan : workload.fan_out)
        product *= 1 + fan.share * fan.extra;
    return product;
}

/// Measured: agents compact to 0.27 of the context at the median; between that and the limit a
/// context is 0.635 of it on average.
Workload fitted_to_context(Workload workload, double max_context) {
    constexpr double kCompactedTo = 0.27;
    if (workload.context_p90 <= max_context) {
        workload.context_max = std::min(workload.context_max, max_context);
        return workload;
    }
    const double mean = std::min(workload.prompt_tokens, (1 + kCompactedTo) / 2 * max_context);
    const double calls_between = (1 - kCompactedTo) * max_context / workload.new_tokens;
    const double reread = mean / std::max(1.0, calls_between);
    workload.source += concat("; contexts compacted at ", max_context, " tokens");
    workload.prompt_tokens = mean;
    workload.context_p90 = 0.95 * max_context;
    workload.context_max = max_context;
    workload.new_tokens = std::min(workload.new_tokens, mean);
    workload.shared_tokens = std::min(workload.shared_tokens, mean);
    workload.reuse = std::clamp(1 - (workload.new_tokens + reread) / mean, 0.0, workload.reuse);
    return workload;
}

double mean_gap(const Workload& workload, double bound) {
    return mean_of(workload.gaps, bound);
}

double mean_think(const Workload& workload) {
    const double first = 1 / std::max(1.0, workload.calls_per_session);
    return (1 - first) * mean_gap(workload, kAwaySeconds) + first * workload.pause_s;
}

double mean_of(const std::vector<Quantile>& quantiles, double bound) {
    double mean = 0;
    for (size_t i = 1; i < quantiles.size(); ++i) {
        const double low = quantiles[i - 1].value, high = quantiles[i].value;
        const double share = quantiles[i].share - quantiles[i - 1].share;
        if (high <= bound) {
            mean += share * (low + high) / 2;
        } else if (low >= bound) {
            mean += share * bound;
        } else {
            const double below = (bound - low) / (high - low);
            mean += share * (below * (low + bound) / 2 + (1 - below) * bound);
        }
    }
    return mean;
}

double value_at(const std::vector<Quantile>& quantiles, double share) {
    if (quantiles.empty()) return 0;
    for (size_t i = 1; i < quantiles.size(); ++i) {
        if (quantiles[i].share < share) continue;
        const Quantile& low = quantiles[i - 1];
        const double part = (share - low.share) / (quantiles[i].share - low.share);
        return low.value + part * (quantiles[i].value - low.value);
    }
    return quantiles.back().value;
}

Profile at_work(Profile profile, uint32_t max_context) {
    compact_at(profile, max_context);
    cut_absences(profile, kAwaySeconds);
    return profile;
}

Result<Workload> workload_of(const Profile& profile, uint32_t max_context) {
    const Profile people = at_work(profile, max_context);
    TRY(const Trace trace, generate(people, {.users = kPeople, .duration = kTime}));
    TRY(Workload out, workload_of(trace, mean_shared(profile), kSettled));
    out.name = profile.name;
    out.source = profile.about;
    out.calls_per_session = std::max(1.0, mean_calls(profile));  // the trace cuts long ones
    // Between two sessions their user pauses; the trace does not say whose they are.
    out.pause_s = people.pause_s.mean;
    if (longest_prompt(profile) <= max_context) return out;
    out.source += concat("; contexts compacted at ", max_context, " tokens");
    out.context_p90 = std::min<double>(out.context_p90, max_context);
    out.context_max = std::min<double>(out.context_max, max_context);
    return out;
}

Result<Workload> find_workload(const std::string& name, uint32_t max_context) {
    TRY(const Profile profile, find_profile(name));
    return workload_of(profile, max_context);
}

Result<Workload> recorded_workload(const Trace& trace, uint32_t max_context) {
    TRY(Workload out, workload_of(trace));
    if (out.context_max <= max_context) return out;
    TRY(Workload compacted, workload_of(fit_profile(trace, out.name), max_context));
    compacted.source = concat(out.source, "; contexts compacted at ", max_context, " tokens");
    return compacted;
}

}  // namespace brigada
