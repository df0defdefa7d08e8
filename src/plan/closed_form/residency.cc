#include "plan/closed_form/residency.h"

#include <algorithm>
#include <cmath>

namespace brigada {

namespace {

/// The age at which KV goes is a little different every time: uniform, so far to both sides. (Where
/// many gaps are equally long, nothing may hang on the last second.)
constexpr double kAgeSpread = 0.2;

double cycle(const CacheLoad& load) {
    return load.answer_s + mean_think(load.workload) * load.gap_scale;
}

}  // namespace

double resident_tokens(const CacheLoad& load, double age_s) {
    const double every = load.visits_every;
    const double scale = load.gap_scale * every;
    const double bound = std::min(age_s / scale, kAwaySeconds);
    const double held = load.held_s / every + mean_gap(load.workload, bound) * scale;
    const double going_on = std::min(1.0, held / (cycle(load) * every));
    const double ended_per_s = 1 / (load.workload.calls_per_session * cycle(load));
    const double shared = load.workload.shared_tokens;
    const double own = load.session_tokens - shared;
    return shared + load.sessions * own * (going_on + ended_per_s * age_s);
}

double eviction_age(const CacheLoad& load, double room_tokens) {
    if (resident_tokens(load, kOldestAge) <= room_tokens) return kOldestAge;
    double low = 0, high = kOldestAge;
    for (int i = 0; i < 48; ++i) {
        const double age = std::midpoint(low, high);
        (resident_tokens(load, age) <= room_tokens ? low : high) = age;
    }
    return low;
}

// The integral of the share within t is t - E[min(gap, t)].
double found_within(const CacheLoad& load, double age_s) {
    const double away = (load.visits_every - 1) * cycle(load);
    if (age_s <= away) return 0;
    const double age = (age_s - away) / load.gap_scale;
    const double low = (1 - kAgeSpread) * age, high = (1 + kAgeSpread) * age;
    const double longer = mean_gap(load.workload, high) - mean_gap(load.workload, low);
    return 1 - longer / (high - low);
}

}  // namespace brigada
