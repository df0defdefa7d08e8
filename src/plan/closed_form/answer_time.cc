#include "plan/closed_form/answer_time.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace brigada {

namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();

StepShape decodes(uint32_t count, double context) {
    return {.decodes = count, .decode_context = static_cast<uint64_t>(count * context)};
}

double slices(double uncached, double batch, uint32_t step_tokens) {
    return std::ceil(std::max(1.0, uncached) / std::max(16.0, step_tokens - batch));
}

/// Over the calls.
struct Moments {
    double mean = 0, square = 0;  // of reading
    double compute = 0;           // mean, without loading from tiers
    double steps = 0;             // mean, that carry a slice
};

Moments read_all(PromptTimes& times, double batch, std::vector<PromptReading>& readings) {
    const auto low = static_cast<uint32_t>(batch);
    const double part = batch - low;
    const auto& below = times.of(readings, low);
    const auto& above = part > 0 ? times.of(readings, low + 1) : below;
    Moments moments;
    for (size_t i = 0; i < readings.size(); ++i) {
        PromptReading& reading = readings[i];
        const double compute = std::lerp(below[i].seconds, above[i].seconds, part);
        reading.read_s = reading.load_s + compute;
        moments.mean += reading.share * reading.read_s;
        moments.square += reading.share * reading.read_s * reading.read_s;
        moments.compute += reading.share * compute;
        moments.steps += reading.share * std::lerp(below[i].steps, above[i].steps, part);
    }
    return moments;
}

AnswerTime endless() {
    return {.tpot_s = kEndless, .read_busy = 1, .wait_s = kEndless, .decode_s = kEndless};
}

}  // namespace

double decode_step(const StepCost& cost, double batch, double context) {
    const double sequences = std::max(1.0, batch);
    const auto low = static_cast<uint32_t>(sequences);
    const auto seconds = [&](uint32_t count) {
        return cost.time(decodes(count, context)).seconds();
    };
    return std::lerp(seconds(low), seconds(low + 1), sequences - low);
}

double read_prompt(const StepCost& cost, uint32_t batch, double context, double prompt,
                   double uncached, uint32_t step_tokens) {
    const double count = slices(uncached, batch, step_tokens);
    const double size = std::max(1.0, uncached) / count;
    const double middle = std::max(0.0, prompt - uncached / 2 - size / 2);
    StepShape shape = decodes(batch, context);
    shape.add_chunk(static_cast<uint64_t>(middle), static_cast<uint64_t>(std::ceil(size)));
    return count * cost.time(shape).seconds();
}

const std::vector<PromptTimes::Reading>& PromptTimes::of(const std::vector<PromptReading>& readings,
                                                         uint32_t batch) {
    const auto [found, is_new] = by_batch_.try_emplace(batch);
    if (!is_new) return found->second;
    for (const PromptReading& one : readings)
        found->second.push_back(
            {read_prompt(cost_, batch, context_, one.prompt, one.uncached, step_tokens_),
             slices(one.uncached, batch, step_tokens_)});
    return found->second;
}

AnswerTime answer_time(PromptTimes& times, const ReplicaLoad& load,
                       std::vector<PromptReading>& readings) {
    const double beside = std::max(0.0, 1 - 1 / std::max(1.0, load.sources));
    double tpot = decode_step(times.cost(), 1, times.context());
    AnswerTime out;
    Moments moments;
    for (int round = 0; round < 24; ++round) {
        const double others = load.calls_per_s * load.output_tokens * tpot * beside;
        if (others > 4 * times.step_tokens()) return endless();
        moments = read_all(times, others, readings);
        out.read_busy = load.calls_per_s * moments.compute;
        if (out.read_busy >= 0.999) return endless();
        out.decode_batch = 1 + others;
        const double step = decode_step(times.cost(), out.decode_batch, times.context());
        const double mixed = load.calls_per_s * moments.steps;
        const double next = 1 / (mixed + (1 - out.read_busy) / step);
        const bool settled = std::abs(next - tpot) < 1e-6 * tpot;
        tpot = std::midpoint(tpot, next);
        if (settled) break;
    }
    // Pollaczek-Khinchine: calls come at random and are read one after another.
    out.tpot_s = tpot;
    out.wait_s = beside * load.calls_per_s * moments.square / (2 * (1 - out.read_busy));
    out.read_s = moments.mean;
    out.decode_s = tpot * std::max(0.0, load.output_tokens - 1);
    return out;
}

}  // namespace brigada
