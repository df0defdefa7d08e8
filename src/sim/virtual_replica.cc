#include "sim/virtual_replica.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"

namespace brigada {

namespace {

constexpr uint32_t kMostSteps = 1 << 20;  // as many as any answer has tokens

KvConfig kv_config(const SimReplica& kind, uint32_t block_tokens) {
    const auto blocks = static_cast<uint32_t>(kind.kv_tokens / block_tokens);
    return {.blocks = blocks,
            .block_tokens = block_tokens,
            .ghost_blocks = blocks,
            .event_blocks = kind.tiers.any() ? UINT32_MAX : 0,
            .retention = kind.retention,
            .tokens_per_id = block_tokens};
}

/// The scheduler plans one token of each sequence at a time; with drafts that is a part of a step,
/// and so are the slices of prompts beside it.
SchedulerConfig scheduler_config(const SimReplica& kind) {
    SchedulerConfig config = kind.scheduler;
    if (!kind.speculation.on()) return config;
    const auto part = [&](uint32_t tokens) {
        return static_cast<uint32_t>(std::ceil(tokens / kind.speculation.tokens_per_step()));
    };
    config.step_tokens = std::max(config.max_running, part(config.step_tokens));
    config.long_prefill_threshold = part(config.long_prefill_threshold);
    return config;
}

}  // namespace

VirtualReplica::VirtualReplica(const SimReplica& kind, uint32_t block_tokens, bool step_by_step,
                               const SimLink& link)
    : cost_(kind.cost, kind.speculation, scheduler_config(kind).step_tokens),
      max_steps_(step_by_step ? 1 : kMostSteps),
      scheduler_(scheduler_config(kind), kv_config(kind, block_tokens)),
      loads_(kind.tiers.any() || kind.role == ReplicaRole::decode
                 ? std::make_unique<KvLoads>(kind, link, block_tokens)
                 : nullptr),
      time_by_held_percent_(101) {}

// --- sequences ----------------------------------------------------------------------------------

Result<void> VirtualReplica::submit(SequenceSpec spec, Tokens answer, Instant now,
                                    std::span<const BlockKey> keys, Lane* from) {
    const SequenceId id = spec.id;
    const auto prompt_ids = static_cast<uint32_t>(spec.prompt.size());
    TRY(scheduler_.submit(std::move(spec), now));
    answers_.emplace(id, Answer{prompt_ids, std::move(answer)});
    if (loads_) loads_->submitted(id, keys, from);
    return {};
}

void VirtualReplica::cancel(SequenceId id, Instant /*now*/) {
    scheduler_.cancel(id);
    answers_.erase(id);
    if (loads_) loads_->forget(scheduler_, id);
}

std::vector<SequenceId> VirtualReplica::end_loads(Instant now) {
    if (!loads_) return {};
    const std::vector<SequenceId> refused = loads_->end(scheduler_, now);
    for (const SequenceId id : refused)
        answers_.erase(id);
    return refused;
}

// --- steps --------------------------------------------------------------------------------------

std::optional<Instant> VirtualReplica::begin(Instant now) {
    if (plan_ || scheduler_.idle()) return std::nullopt;
    launch(now, max_steps_);
    return plan_ ? std::optional(ends_) : std::nullopt;
}

void VirtualReplica::launch(Instant now, uint32_t max_steps) {
    plan(now, max_steps);
    if (!plan_) return;
    shape_ = shape_of(*plan_);
    began_ = now;
    if (plan_->until != Instant::never()) plan_->steps = steps_begun_before(plan_->until);
    ends_ = now + run_time(plan_->steps);
}

// Work that has to wait for KV leaves the plan; while it holds the blocks, there may be nothing to
// do.
void VirtualReplica::plan(Instant now, uint32_t max_steps) {
    for (bool again = true; again;) {
        if (loads_) loads_->learn(scheduler_);
        plan_ = scheduler_.plan(now, max_steps);
        again = loads_ && loads_->take_out(scheduler_, *plan_, now) && plan_->empty();
        if (!plan_->empty()) return;
        CHECK(loading() > 0, "a step with work computes something");
        fill_outcome(1);
        CHECK(scheduler_.commit(*plan_, outcome_, now).empty());
        plan_.reset();
        again = again && !scheduler_.idle();
    }
}

const VirtualReplica::StepsDone& VirtualReplica::end(Instant now) {
    CHECK(plan_ && ends_ == now);
    done_ = StepsDone();
    done_.steps = {
        .begin = began_, .end = now, .steps = plan_->steps, .shape = shape_, .kv_held = kv_held()};
    for (const Chunk& chunk : plan_->chunks) {
        if (!chunk.samples || !scheduler_.contains(chunk.sequence)) continue;
        const Sequence& sequence = scheduler_.sequence(chunk.sequence);
        if (sequence.known() == sequence.prompt_tokens)
            done_.first_tokens.push_back({chunk.sequence, sequence.cached_tokens,
                                          sequence.reread_tokens,
                                          loads_ ? loads_->loaded(chunk.sequence) : KvLoaded()});
    }
    fill_outcome(plan_->steps);
    account(now - began_);
    done_.finished = scheduler_.commit(*plan_, outcome_, now);
    for (const Finished& one : done_.finished) {
        answers_.erase(one.sequence);
        if (loads_) loads_->forget(scheduler_, one.sequence);
    }
    plan_.reset();
    return done_;
}

bool VirtualReplica::catch_up(Instant now) {
    if (!plan_ || plan_->steps == 1) return false;
    const uint32_t over = steps_over_by(now);
    if (over == 0) {
        plan_->steps = 1;
        ends_ = began_ + run_time(1);
        return true;
    }
    const Instant here = began_ + run_time(over);
    fill_outcome(over);
    account(here - began_);
    CHECK(scheduler_.commit(*plan_, outcome_, here).empty());
    plan_.reset();
    if (here < now) launch(here, 1);  // else the next begins when all of this instant is known
    return true;
}

// The ids that begin in `steps` more tokens of every sequence that samples.
void VirtualReplica::fill_outcome(uint32_t steps) {
    outcome_.sampled.clear();
    outcome_.steps = steps;
    const uint32_t per_id = scheduler_.kv().tokens_per_id();
    for (const Chunk& chunk : plan_->chunks) {
        if (!chunk.samples || !scheduler_.contains(chunk.sequence)) continue;
        const Sequence& sequence = scheduler_.sequence(chunk.sequence);
        const auto have = static_cast<uint32_t>(sequence.tokens.size());
        const uint32_t want = (sequence.known() + steps + per_id - 1) / per_id;
        if (want == have) continue;
        const Answer& answer = answers_.at(chunk.sequence);
        for (uint32_t i = have; i < want; ++i)
            outcome_.sampled.push_back({chunk.sequence, answer.ids.at(i - answer.prompt_ids)});
    }
}

// --- time ---------------------------------------------------------------------------------------

StepShape VirtualReplica::shape_of(const Plan& plan) const {
    StepShape shape;
    for (const Chunk& chunk : plan.chunks) {
        const bool is_one =
            chunk.count == 1 ||
            (loads_ && loads_->came_whole(scheduler_.sequence(chunk.sequence), chunk));
        if (is_one)
            shape.add_decode(uint64_t{chunk.first} + chunk.count);
        else
            shape.add_chunk(chunk.first, chunk.count);
    }
    return shape;
}

Duration VirtualReplica::run_time(uint32_t steps) const {
    return steps == 1 ? cost_.time(shape_) : cost_.run(shape_, steps);
}

uint32_t VirtualReplica::steps_over_by(Instant now) const {
    uint32_t over = 0;
    for (uint32_t more = plan_->steps; over < more;) {
        const uint32_t middle = over + (more - over + 1) / 2;
        if (began_ + run_time(middle) <= now)
            over = middle;
        else
            more = middle - 1;
    }
    return over;
}

uint32_t VirtualReplica::steps_begun_before(Instant until) const {
    const uint32_t over = steps_over_by(until - Duration::nanoseconds(1));
    return std::min(over + 1, plan_->steps);
}

// --- books --------------------------------------------------------------------------------------

void VirtualReplica::check() const {
    scheduler_.check();
    if (loads_) loads_->check();
}

double VirtualReplica::kv_held() const {
    const KvBooks& kv = scheduler_.kv();
    return static_cast<double>(kv.held_blocks()) / kv.total_blocks();
}

double VirtualReplica::kv_cached() const {
    const KvBooks& kv = scheduler_.kv();
    return static_cast<double>(kv.cached_blocks()) / kv.total_blocks();
}

void VirtualReplica::account(Duration time) {
    busy_ = busy_ + time;
    Duration& there = time_by_held_percent_[static_cast<size_t>(kv_held() * 100)];
    there = there + time;
}

}  // namespace brigada
