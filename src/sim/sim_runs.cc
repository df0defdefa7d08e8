#include "sim/sim_runs.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <optional>
#include <thread>
#include <utility>

#include "base/rng.h"
#include "route/rendezvous.h"

namespace brigada {

Result<std::vector<SimReport>> simulate_all(const std::vector<SimRun>& runs, uint32_t threads) {
    std::vector<std::optional<Result<SimReport>>> done(runs.size());
    std::atomic<size_t> next = 0;
    const auto work = [&] {
        for (size_t i = next++; i < runs.size(); i = next++)
            done[i] = simulate(*runs[i].trace, runs[i].setup);
    };
    if (threads == 0) threads = std::thread::hardware_concurrency();
    std::vector<std::jthread> helpers;
    for (uint32_t i = 1; i < std::min<size_t>(threads, runs.size()); ++i)
        helpers.emplace_back(work);
    work();
    helpers.clear();  // waits for them
    std::vector<SimReport> reports;
    for (auto& one : done) {
        TRY(SimReport report, *std::move(one));
        reports.push_back(std::move(report));
    }
    return reports;
}

Trace spread_starts(Trace trace, Duration within, uint64_t seed) {
    for (size_t i = 0; i < trace.sessions.size(); ++i) {
        if (trace.sessions[i].parent || within <= Duration()) continue;
        Rng rng(mix(seed, i));
        trace.sessions[i].start = Instant::at_ns(rng.between(0, within.ns() - 1));
    }
    return trace;
}

Interval interval_of(const std::vector<double>& values) {
    // Two-sided 95 % points of Student's t for 1, 2, ... degrees of freedom; beyond 30 the normal
    // distribution's. Source: any statistical table.
    constexpr double kStudent[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
                                   2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
                                   2.110,  2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064,
                                   2.060,  2.056, 2.052, 2.048, 2.045, 2.042};
    if (values.empty()) return {};
    const auto n = static_cast<double>(values.size());
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
    if (values.size() == 1) return {mean, 0};
    double squares = 0;
    for (const double value : values)
        squares += (value - mean) * (value - mean);
    const size_t freedom = values.size() - 1;
    const double t = freedom <= std::size(kStudent) ? kStudent[freedom - 1] : 1.960;
    return {mean, t * std::sqrt(squares / (n - 1) / n)};
}

}  // namespace brigada
