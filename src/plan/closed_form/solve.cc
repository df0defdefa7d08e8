#include "plan/closed_form/solve.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "plan/closed_form/answer_time.h"
#include "plan/closed_form/percentiles.h"
#include "plan/closed_form/residency.h"

namespace brigada {

namespace {

/// Of the blocks, what is never used: the scheduler's watermark and unevenly spread sessions.
constexpr double kUsableRoom = 0.95;

/// Calls that find their prefix are read in classes: between these shares of them, finer where what
/// they bring is more.
constexpr std::array kBounds = {0.0, 0.25, 0.5, 0.7, 0.8, 0.85, 0.9, 0.93, 0.96, 0.98, 0.99, 1.0};

struct SizeClass {
    double share = 0;     // of the calls
    double multiple = 1;  // of the mean of all
};

/// Together they have the mean 1.
std::vector<SizeClass> classes_of(const std::vector<Quantile>& shape) {
    if (shape.empty()) return {{1, 1}};
    constexpr int kParts = 10;
    std::vector<SizeClass> out;
    double mean = 0;
    for (size_t i = 1; i < kBounds.size(); ++i) {
        SizeClass one{kBounds[i] - kBounds[i - 1], 0};
        for (int part = 0; part < kParts; ++part)
            one.multiple +=
                value_at(shape, kBounds[i - 1] + (part + 0.5) / kParts * one.share) / kParts;
        mean += one.share * one.multiple;
        out.push_back(one);
    }
    for (SizeClass& one : out)
        one.multiple /= mean;
    return out;
}

/// The same calls, those that find their prefix by how much they bring.
std::vector<PromptReading> by_size(const std::vector<PromptReading>& kinds,
                                   const std::vector<Quantile>& new_shape) {
    std::vector<PromptReading> out;
    for (const SizeClass& size : classes_of(new_shape)) {
        for (size_t kind = 0; kind + 1 < kinds.size(); ++kind) {
            PromptReading one = kinds[kind];
            one.share *= size.share;
            one.uncached = std::min(one.prompt, size.multiple * one.uncached);
            if (one.share > 0) out.push_back(one);
        }
    }
    out.push_back(kinds.back());
    return out;
}

/// Who waits for answers more than for himself and his tools is held up by the fleet.
constexpr double kLongestWait = 1e5;

double think_time(const Situation& situation) {
    return mean_think(situation.workload) / situation.peak_factor;
}

double sequences_per_replica(const Situation& situation) {
    return situation.people * amplification(situation.workload) / situation.replicas;
}

CacheLoad cache_load(const Situation& situation, double answer_s, double held_s) {
    const double replicas = situation.replicas;
    const bool stays = situation.affinity;
    return {.workload = situation.workload,
            .sessions = sequences_per_replica(situation) * (stays ? 1 : replicas),
            .session_tokens = session_kv_tokens(situation),
            .answer_s = answer_s,
            .held_s = held_s,
            .gap_scale = 1 / situation.peak_factor,
            .visits_every = stays ? 1 : replicas};
}

double tier_tokens(const Situation& situation) {
    const double bytes_per_token =
        std::max<double>(1, static_cast<double>(situation.memory.kv_size.per_token)) *
        situation.deployment.tp;
    const double bytes = (situation.tiers.ram_bytes + situation.tiers.disk_bytes) *
                         situation.deployment.accelerators();
    return bytes / bytes_per_token;
}

double tier_bytes_per_s(const KvTiers& tiers) {
    const double all = tiers.ram_bytes + tiers.disk_bytes;
    if (all <= 0) return 1;
    return all /
           (tiers.ram_bytes / tiers.ram_bytes_per_s + tiers.disk_bytes / tiers.disk_bytes_per_s);
}

struct Look {
    FleetFigures figures;
    std::vector<PromptReading> sizes;  // figures.readings, by size
    AnswerTime time;
};

/// What happens at a replica when calls are answered after `answer_s`.
Look look(const Situation& situation, double answer_s) {
    Look out;
    FleetFigures& figures = out.figures;
    const Workload& workload = situation.workload;
    figures.think_s = think_time(situation);
    figures.cycle_s = figures.think_s + answer_s;
    figures.sequences = situation.people * amplification(workload);
    figures.calls_per_s = figures.sequences / figures.cycle_s;
    figures.running = figures.calls_per_s * answer_s;
    figures.session_tokens = session_kv_tokens(situation);
    const ReplicaLoad load{.calls_per_s = figures.calls_per_s / situation.replicas,
                           .sources = sequences_per_replica(situation),
                           .context = workload.prompt_tokens + workload.output_tokens / 2,
                           .output_tokens = workload.output_tokens,
                           .step_tokens = situation.deployment.step_tokens};
    double held_s = 0;  // what is found depends on how long KV is held, and the other way round
    for (int round = 0; round < 2; ++round) {
        figures.readings = readings_of(situation, answer_s, held_s, figures);
        out.sizes = by_size(figures.readings, workload.new_shape);
        out.time = answer_time(situation.cost, load, out.sizes);
        held_s = std::min(answer_s, out.time.read_s + out.time.decode_s);
    }
    figures.kv_use = load.calls_per_s * held_s * figures.session_tokens / kv_room_tokens(situation);
    return out;
}

bool keeps_up(const Look& seen, double answer_s) {
    return seen.figures.kv_use <= 1 && seen.time.call_s() <= answer_s;
}

std::vector<Quantile> times_each(std::vector<Quantile> shape, double by) {
    for (Quantile& each : shape)
        each.value *= by;
    return shape;
}

double mean_square(const std::vector<Quantile>& quantiles) {
    double sum = 0;
    for (size_t i = 1; i < quantiles.size(); ++i) {
        const double low = quantiles[i - 1].value, high = quantiles[i].value;
        const double share = quantiles[i].share - quantiles[i - 1].share;
        sum += share * (low * low + low * high + high * high) / 3;
    }
    return sum;
}

double task_p90(const Situation& situation, const CallTimes& times, double call_s) {
    const Workload& workload = situation.workload;
    if (workload.calls_per_turn_p90 <= 1) return call_quantile(times, 0.9);
    // At the peak tools are as quick as people: all gaps are shorter.
    const double gap = workload.tool_gap_s / situation.peak_factor;
    const double spread =
        workload.tool_gap_shape.empty() ? 1 : mean_square(workload.tool_gap_shape);
    const double p90 = workload.calls_per_turn_p90;
    TurnTimes turn{.call_s = call_s,
                   .call_square = std::max(call_square(times), call_s * call_s),
                   .gap_s = gap,
                   .gap_square = gap * gap * std::max(1.0, spread),
                   .calls = {{0, p90}, {1, p90}}};
    if (!workload.turn_shape.empty()) turn.calls = times_each(workload.turn_shape, p90);
    return turn_quantile(turn, 0.9);
}

void fill_percentiles(const Situation& situation, const std::vector<PromptReading>& sizes,
                      double queue_s, FleetFigures& figures) {
    const Workload& workload = situation.workload;
    const CallTimes times{.readings = sizes,
                          .outputs = workload.outputs,
                          .wait_s = queue_s,
                          .read_busy = figures.read_busy,
                          .tpot_s = figures.tpot_s};
    figures.ttft_p50_s = ttft_quantile(times, 0.5);
    figures.ttft_p90_s = ttft_quantile(times, 0.9);
    figures.ttft_p95_s = ttft_quantile(times, 0.95);
    figures.ttft_p99_s = ttft_quantile(times, 0.99);
    figures.call_p90_s = call_quantile(times, 0.9);
    figures.interactivity_p90 = 1 / per_token_quantile(times, 0.9);
    figures.task_p90_s = task_p90(situation, times, figures.call_s);
}

}  // namespace

double kv_room_tokens(const Situation& situation) {
    const MemoryBudget& memory = situation.memory;
    return kUsableRoom * static_cast<double>(memory.blocks) * memory.kv_size.block_tokens *
           situation.deployment.dp;
}

double session_kv_tokens(const Situation& situation) {
    const MemoryBudget& memory = situation.memory;
    return situation.workload.prompt_tokens + situation.workload.output_tokens +
           static_cast<double>(memory.sequence_blocks) * memory.kv_size.block_tokens;
}

double fresh_share(const Workload& workload) {
    const double missed = (1 - workload.reuse) * workload.prompt_tokens - workload.new_tokens;
    const double more = workload.prompt_tokens - workload.shared_tokens - workload.new_tokens;
    return more <= 0 ? 0 : std::clamp(missed / more, 0.0, 1.0);
}

std::vector<PromptReading> readings_of(const Situation& situation, double answer_s, double held_s,
                                       FleetFigures& figures) {
    const Workload& workload = situation.workload;
    const CacheLoad load = cache_load(situation, answer_s, held_s);
    const double room = kv_room_tokens(situation);
    const double tiers = tier_tokens(situation);
    figures.eviction_age_s = eviction_age(load, room);
    figures.tier_age_s = tiers > 0 ? eviction_age(load, room + tiers) : figures.eviction_age_s;
    const double repeats = (1 - fresh_share(workload)) * situation.found_share;
    const double found = repeats * found_within(load, figures.eviction_age_s);
    const double loaded = repeats * found_within(load, figures.tier_age_s) - found;
    const double bytes = (workload.prompt_tokens - workload.new_tokens) *
                         static_cast<double>(situation.memory.kv_size.per_token);
    const double load_s = bytes / tier_bytes_per_s(situation.tiers);
    const double prompt = workload.prompt_tokens;
    const double again = prompt - workload.shared_tokens * situation.found_share;
    std::vector<PromptReading> readings = {
        {.share = found, .uncached = workload.new_tokens, .prompt = prompt},
        {.share = loaded, .uncached = workload.new_tokens, .prompt = prompt, .load_s = load_s},
        {.share = 1 - found - loaded, .uncached = again, .prompt = prompt}};
    figures.uncached_per_call = 0;
    for (const PromptReading& reading : readings)
        figures.uncached_per_call += reading.share * reading.uncached;
    figures.hit_rate = 1 - figures.uncached_per_call / prompt;
    return readings;
}

FleetFigures solve(const Situation& situation) {
    double low = 0, high = kLongestWait;
    for (int i = 0; i < 40; ++i) {
        const double answer_s =
            i < 8 ? std::sqrt(std::max(low, 1e-3) * high) : std::midpoint(low, high);
        (keeps_up(look(situation, answer_s), answer_s) ? high : low) = answer_s;
    }
    Look seen = look(situation, high);
    FleetFigures figures = std::move(seen.figures);
    figures.call_s = high;
    figures.read_busy = seen.time.read_busy;
    const double for_room = std::max(0.0, high - seen.time.call_s());  // until KV fits
    for (PromptReading& reading : seen.sizes)
        reading.read_s += for_room;
    figures.wait_s = seen.time.wait_s + for_room;
    figures.decode_batch = seen.time.decode_batch;
    figures.tpot_s = seen.time.tpot_s;
    figures.ttft_s = figures.wait_s + seen.time.read_s;
    figures.saturated = figures.read_busy > 0.9 || figures.kv_use > 0.98;
    fill_percentiles(situation, seen.sizes, seen.time.wait_s, figures);
    return figures;
}

}  // namespace brigada
