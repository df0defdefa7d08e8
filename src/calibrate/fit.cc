#include "calibrate/fit.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace brigada {

namespace {

constexpr size_t kGroups = 6;  // of requests that follow one another: they see the load change

bool counts(size_t index, size_t size, Part part) {
    switch (part) {
        case Part::all:
            return true;
        case Part::even:
            return index % 2 == 0;
        case Part::odd:
            return index % 2 == 1;
        case Part::first_half:
            return index < size / 2;
        case Part::second_half:
            return index >= size / 2;
    }
    return true;
}

RequestLog part_of(const RequestLog& log, Part part) {
    RequestLog out;
    for (size_t i = 0; i < log.size(); ++i)
        if (counts(i, log.size(), part)) out.push_back(log[i]);
    return out;
}

MeanTimes mean_of(std::span<const LoggedRequest> requests) {
    MeanTimes sum;
    size_t gaps = 0;
    for (const LoggedRequest& request : requests) {
        sum.ttft_s += request.ttft().seconds();
        sum.latency_s += request.latency().seconds();
        sum.tpot_s += request.tpot_s();
        gaps += request.output_tokens > 1 ? 1 : 0;
    }
    const auto count = static_cast<double>(std::max<size_t>(requests.size(), 1));
    return {sum.ttft_s / count, sum.tpot_s / static_cast<double>(std::max<size_t>(gaps, 1)),
            sum.latency_s / count};
}

double log_ratio(double predicted, double measured) {
    return std::log(std::max(predicted, 1e-6) / std::max(measured, 1e-6));
}

void add_errors(std::vector<double>& out, const MeanTimes& predicted, const MeanTimes& measured) {
    out.push_back(log_ratio(predicted.tpot_s, measured.tpot_s));
    out.push_back(log_ratio(predicted.latency_s, measured.latency_s));
    out.push_back(log_ratio(predicted.ttft_s, measured.ttft_s) / 2);  // a queue doubles any error
}

/// Of all requests that count, and of those in each group.
void add_errors(std::vector<double>& out, const RequestLog& predicted, const RequestLog& measured) {
    add_errors(out, mean_of(predicted), mean_of(measured));
    const size_t groups = std::min(kGroups, measured.size());
    const std::span<const LoggedRequest> ours(predicted), theirs(measured);
    for (size_t g = 0; g < groups; ++g) {
        const size_t begin = measured.size() * g / groups;
        const size_t count = measured.size() * (g + 1) / groups - begin;
        std::vector<double> errors;
        add_errors(errors, mean_of(ours.subspan(begin, count)),
                   mean_of(theirs.subspan(begin, count)));
        for (const double error : errors)
            out.push_back(error / static_cast<double>(groups));
    }
}

Result<RequestLog> replay(const LoggedRun& run, const EngineFit& fit) {
    return replay(run.log, run.setup, StepCost(step_coefficients(run.placement, fit)));
}

}  // namespace

MeanTimes mean_times(const RequestLog& log, Part part) {
    return mean_of(part_of(log, part));
}

Result<RunError> judge(const LoggedRun& run, const EngineFit& fit, Part part) {
    TRY(const RequestLog again, replay(run, fit));
    return RunError{mean_times(run.log, part), mean_times(again, part)};
}

std::vector<FreeParameter> free_parameters(const EngineFit& start, bool with_links) {
    std::vector<FreeParameter> out{{start.mfu, 0.02, 1.0},
                                   {start.mbu, 0.05, 1.0},
                                   {start.step_s, 1e-6, 0.1},
                                   {start.layer_s, 1e-8, 0.002},
                                   {start.sequence_s, 1e-8, 0.002}};
    if (with_links) out.push_back({start.link_efficiency, 0.01, 1.0});
    return out;
}

EngineFit with_free(EngineFit fit, std::span<const double> values) {
    CHECK(values.size() == 5 || values.size() == 6, values.size());
    fit.mfu = values[0];
    fit.mbu = values[1];
    fit.step_s = values[2];
    fit.layer_s = values[3];
    fit.sequence_s = values[4];
    if (values.size() > 5) fit.link_efficiency = values[5];
    return fit;
}

Result<EngineFit> fit_to(std::span<const LoggedRun> runs, Part part, const EngineFit& start) {
    bool with_links = false;
    for (const LoggedRun& run : runs) {
        with_links |= run.placement.accelerators() > 1;
        TRY(replay(run, start));  // refused now or never: what is asked does not depend on the fit
    }
    const auto residuals = [&](std::span<const double> values) {
        std::vector<double> out;
        for (const LoggedRun& run : runs)
            add_errors(out, part_of(*replay(run, with_free(start, values)), part),
                       part_of(run.log, part));
        return out;
    };
    const LeastSquaresLimits limits{.steps = 8, .enough = 0.01};
    return with_free(start, least_squares(residuals, free_parameters(start, with_links), limits));
}

}  // namespace brigada
