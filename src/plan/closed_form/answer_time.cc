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

/// Between the two whole batches.
template <typename Seconds>
double between(double batch, const Seconds& seconds) {
    const double low = std::floor(batch);
    const double below = seconds(static_cast<uint32_t>(low));
    if (batch == low) return below;
    return below + (batch - low) * (seconds(static_cast<uint32_t>(low) + 1) - below);
}

double slices(double uncached, double batch, uint32_t step_tokens) {
    return std::ceil(std::max(1.0, uncached) / std::max(16.0, step_tokens - batch));
}

/// Steps that carry a slice, for each second.
double mixed_steps(const ReplicaLoad& load, const std::vector<PromptReading>& readings,
                   double batch) {
    double per_call = 0;
    for (const PromptReading& reading : readings)
        per_call += reading.share * slices(reading.uncached, batch, load.step_tokens);
    return load.calls_per_s * per_call;
}

struct Moments {
    double mean = 0, square = 0, compute = 0;
};

Moments read_all(const StepCost& cost, const ReplicaLoad& load, double batch,
                 std::vector<PromptReading>& readings) {
    Moments moments;
    for (PromptReading& reading : readings) {
        const double compute = read_prompt(cost, batch, load.context, reading.prompt,
                                           reading.uncached, load.step_tokens);
        reading.read_s = reading.load_s + compute;
        moments.mean += reading.share * reading.read_s;
        moments.square += reading.share * reading.read_s * reading.read_s;
        moments.compute += reading.share * compute;
    }
    return moments;
}

AnswerTime endless() {
    return {.tpot_s = kEndless, .read_busy = 1, .wait_s = kEndless, .decode_s = kEndless};
}

}  // namespace

double decode_step(const StepCost& cost, double batch, double context) {
    return between(std::max(1.0, batch),
                   [&](uint32_t count) { return cost.time(decodes(count, context)).seconds(); });
}

double read_prompt(const StepCost& cost, double batch, double context, double prompt,
                   double uncached, uint32_t step_tokens) {
    const double count = slices(uncached, batch, step_tokens);
    const double size = std::max(1.0, uncached) / count;
    const double middle = std::max(0.0, prompt - uncached / 2 - size / 2);
    const double step = between(batch, [&](uint32_t others) {
        StepShape shape = decodes(others, context);
        shape.add_chunk(static_cast<uint64_t>(middle), static_cast<uint64_t>(std::ceil(size)));
        return cost.time(shape).seconds();
    });
    return count * step;
}

AnswerTime answer_time(const StepCost& cost, const ReplicaLoad& load,
                       std::vector<PromptReading>& readings) {
    const double beside = std::max(0.0, 1 - 1 / std::max(1.0, load.sources));
    double tpot = decode_step(cost, 1, load.context);
    AnswerTime out;
    Moments moments;
    for (int round = 0; round < 24; ++round) {
        const double others = load.calls_per_s * load.output_tokens * tpot * beside;
        if (others > 4 * load.step_tokens) return endless();
        moments = read_all(cost, load, others, readings);
        out.read_busy = load.calls_per_s * moments.compute;
        if (out.read_busy >= 0.999) return endless();
        out.decode_batch = 1 + others;
        const double step = decode_step(cost, out.decode_batch, load.context);
        const double mixed = mixed_steps(load, readings, others);
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
