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

/// Calls are read in classes by size: between these shares of them, finer where prompts are longer.
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

/// The same calls by size, in an order that depends on the workload alone.
class Sizes {
  public:
    explicit Sizes(const Workload& workload)
        : new_(classes_of(workload.new_shape)),
          prompts_(classes_of(workload.prompt_shape)),
          fresh_(classes_of(workload.fresh_shape)) {}

    std::vector<PromptReading> of(const Readings& kinds) const {
        std::vector<PromptReading> out;
        for (const SizeClass& size : new_)
            for (const PromptReading* kind : {&kinds.found, &kinds.loaded}) {
                PromptReading one = *kind;
                one.share *= size.share;
                one.uncached = std::min(one.prompt, size.multiple * one.uncached);
                out.push_back(one);
            }
        for (const SizeClass& size : prompts_)
            out.push_back(longer(kinds.evicted, size));
        for (const SizeClass& size : fresh_)
            out.push_back(longer(kinds.fresh, size));
        return out;
    }

  private:
    /// What is shared is as long in every prompt.
    static PromptReading longer(PromptReading kind, const SizeClass& size) {
        const double shared = kind.prompt - kind.uncached;
        kind.share *= size.share;
        kind.uncached *= size.multiple;
        kind.prompt = kind.uncached + shared;
        return kind;
    }

    std::vector<SizeClass> new_, prompts_, fresh_;
};

/// Who waits for answers more than for himself and his tools is held up by the fleet.
constexpr double kLongestWait = 1e5;

/// Enough for an answer time within a millionth.
constexpr int kLooks = 24;

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

/// Of a mean prompt, with an endless cache.
double missed_tokens(const Workload& workload) {
    return (1 - workload.reuse) * workload.prompt_tokens;
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

double mean_context(const Workload& workload) {
    return workload.prompt_tokens + workload.output_tokens / 2;
}

/// Looks at one situation, under different answer times.
class Observer {
  public:
    explicit Observer(const Situation& situation)
        : situation_(situation),
          sizes_(situation.workload),
          times_(situation.cost, mean_context(situation.workload),
                 situation.deployment.step_tokens) {}

    /// What happens at a replica when calls are answered after `answer_s`.
    Look look(double answer_s) {
        Look out;
        FleetFigures& figures = out.figures;
        const Workload& workload = situation_.workload;
        figures.think_s = think_time(situation_);
        figures.cycle_s = figures.think_s + answer_s;
        figures.sequences = situation_.people * amplification(workload);
        figures.calls_per_s = figures.sequences / figures.cycle_s;
        figures.running = figures.calls_per_s * answer_s;
        figures.session_tokens = session_kv_tokens(situation_);
        const ReplicaLoad load{.calls_per_s = figures.calls_per_s / situation_.replicas,
                               .sources = sequences_per_replica(situation_),
                               .output_tokens = workload.output_tokens};
        double held_s = 0;  // what is found depends on how long KV is held, and vice versa
        for (int round = 0; round < 2; ++round) {
            figures.readings = readings_of(situation_, answer_s, held_s, figures);
            out.sizes = sizes_.of(figures.readings);
            out.time = answer_time(times_, load, out.sizes);
            held_s = std::min(answer_s, out.time.read_s + out.time.decode_s);
        }
        figures.kv_use =
            load.calls_per_s * held_s * figures.session_tokens / kv_room_tokens(situation_);
        return out;
    }

  private:
    const Situation& situation_;
    Sizes sizes_;
    PromptTimes times_;
};

bool keeps_up(const Look& seen, double answer_s) {
    return seen.figures.kv_use <= 1 && seen.time.call_s() <= answer_s;
}

/// Turns of equal shares, as they are at the peak: tools are as quick as people.
std::vector<Turn> turns_of(const Situation& situation) {
    const Workload& workload = situation.workload;
    const double calls = std::max(1.0, workload.calls_per_turn_p90);
    const double tools = calls * workload.tool_gap_s / situation.peak_factor;
    const double outputs = calls * workload.output_tokens;
    if (workload.turns.empty())
        return {{.calls = calls, .tools_s = (calls - 1) / calls * tools, .outputs = outputs}};
    std::vector<Turn> out;
    for (const TurnShape& turn : workload.turns)
        out.push_back({.calls = turn.calls * calls,
                       .tools_s = turn.tools * tools,
                       .outputs = turn.outputs * outputs});
    return out;
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
    figures.task_p90_s = workload.calls_per_turn_p90 <= 1
                             ? figures.call_p90_s
                             : turn_quantile(times, turns_of(situation), 0.9);
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

// Of measured work what is missed lies between what the two kinds read, whichever reads more;
// declared numbers need not agree.
double fresh_tokens(const Workload& workload) {
    const double own = workload.prompt_tokens - workload.shared_tokens;
    const double fresh = workload.fresh_part * own;
    const double missed = missed_tokens(workload);
    const auto [less, more] = std::minmax(fresh, workload.new_tokens);
    return less <= missed && missed <= more ? fresh : std::min(own, std::max(fresh, missed));
}

double fresh_share(const Workload& workload) {
    const double more = fresh_tokens(workload) - workload.new_tokens;
    if (std::abs(more) < 1) return 0;  // they read the same
    return std::clamp((missed_tokens(workload) - workload.new_tokens) / more, 0.0, 1.0);
}

double repeating_tokens(const Workload& workload) {
    const double fresh = fresh_share(workload);
    const double prompt = workload.prompt_tokens;
    if (fresh >= 1) return prompt;
    const double others = fresh * (fresh_tokens(workload) + workload.shared_tokens);
    return std::max(workload.new_tokens + workload.shared_tokens, (prompt - others) / (1 - fresh));
}

Readings readings_of(const Situation& situation, double answer_s, double held_s,
                     FleetFigures& figures) {
    const Workload& workload = situation.workload;
    const CacheLoad load = cache_load(situation, answer_s, held_s);
    const double room = kv_room_tokens(situation);
    const double tiers = tier_tokens(situation);
    figures.eviction_age_s = eviction_age(load, room);
    figures.tier_age_s = tiers > 0 ? eviction_age(load, room + tiers) : figures.eviction_age_s;
    const double fresh = fresh_share(workload);
    const double repeats = (1 - fresh) * situation.found_share;
    const double found = repeats * found_within(load, figures.eviction_age_s);
    const double loaded = repeats * found_within(load, figures.tier_age_s) - found;
    const double prompt = repeating_tokens(workload);
    const double bytes =
        (prompt - workload.new_tokens) * static_cast<double>(situation.memory.kv_size.per_token);
    const double load_s = bytes / tier_bytes_per_s(situation.tiers);
    const double unshared = workload.shared_tokens * (1 - situation.found_share);
    const double own = fresh_tokens(workload);
    // A replica that sees one call in so many of a session has missed what the others brought.
    const double missed = std::min(prompt, workload.new_tokens * load.visits_every);
    Readings out;
    out.found = {.share = found, .uncached = missed, .prompt = prompt};
    out.loaded = {.share = loaded, .uncached = missed, .prompt = prompt, .load_s = load_s};
    out.evicted = {.share = 1 - fresh - found - loaded,
                   .uncached = prompt - workload.shared_tokens + unshared,
                   .prompt = prompt};
    out.fresh = {
        .share = fresh, .uncached = own + unshared, .prompt = own + workload.shared_tokens};
    figures.uncached_per_call = 0;
    for (const PromptReading* reading : out.all())
        figures.uncached_per_call += reading->share * reading->uncached;
    figures.hit_rate = 1 - figures.uncached_per_call / workload.prompt_tokens;
    return out;
}

FleetFigures solve(const Situation& situation) {
    Observer observer(situation);
    double low = 0, high = kLongestWait;
    for (int i = 0; i < kLooks; ++i) {
        const double answer_s =
            i < 8 ? std::sqrt(std::max(low, 1e-3) * high) : std::midpoint(low, high);
        (keeps_up(observer.look(answer_s), answer_s) ? high : low) = answer_s;
    }
    Look seen = observer.look(high);
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
