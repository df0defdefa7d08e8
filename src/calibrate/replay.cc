#include "calibrate/replay.h"

#include <algorithm>

#include "calibrate/plan_shape.h"

namespace brigada {

namespace {

/// One replica and the requests that come to it.
class Replay {
  public:
    Replay(const RequestLog& log, const ReplaySetup& setup, const StepCost& cost)
        : log_(log),
          cost_(cost),
          scheduler_(setup.scheduler,
                     {.blocks = setup.kv_blocks, .block_tokens = setup.block_tokens}) {}

    Result<RequestLog> run() {
        while (next_ < log_.size() || !scheduler_.idle()) {
            if (scheduler_.idle()) now_ = std::max(now_, log_[next_].arrival);
            TRY(arrive());
            step();
        }
        return std::move(log_);
    }

  private:
    Result<void> arrive() {
        for (; next_ < log_.size() && log_[next_].arrival <= now_; ++next_) {
            TRY(scheduler_.submit(spec_of(next_), log_[next_].arrival));
        }
        return {};
    }

    // Token ids of a prompt begin with its number, so no two share a block.
    SequenceSpec spec_of(size_t index) const {
        const LoggedRequest& request = log_[index];
        SequenceSpec spec;
        spec.id = SequenceId{index};
        spec.prompt.assign(request.prompt_tokens, TokenId{static_cast<uint32_t>(index)});
        spec.max_new_tokens = request.output_tokens;
        spec.arrival = request.arrival;
        return spec;
    }

    void step() {
        const Plan plan = scheduler_.plan(now_);
        const StepShape shape = plan_shape(plan, scheduler_);
        Outcome outcome;
        for (const Chunk& chunk : plan.chunks)
            if (chunk.samples) outcome.sampled.push_back({chunk.sequence, TokenId{0}});
        now_ = now_ + cost_.time(shape);
        for (const Sampled& sampled : outcome.sampled)
            note_token(log_[raw(sampled.sequence)], raw(sampled.sequence));
        (void)scheduler_.commit(plan, outcome, now_);
    }

    void note_token(LoggedRequest& request, size_t index) {
        if (scheduler_.tokens(SequenceId{index}).size() == request.prompt_tokens)
            request.first_token = now_;
        request.last_token = now_;
    }

    RequestLog log_;
    StepCost cost_;
    Scheduler scheduler_;
    Instant now_;
    size_t next_ = 0;
};

}  // namespace

SchedulerConfig scheduler_like_vllm(uint32_t step_tokens, uint32_t max_num_seqs,
                                    uint32_t max_context) {
    SchedulerConfig config;
    config.step_tokens = step_tokens;
    config.max_running = std::min(max_num_seqs, step_tokens);
    config.max_context = max_context;
    config.long_prefill_threshold = step_tokens;
    config.max_waiting = 1u << 20;
    config.max_waiting_tokens = uint64_t{1} << 40;
    config.watermark_permille = 0;
    config.tenant_fairness = false;
    config.ageing = Duration::max();
    return config;
}

Result<RequestLog> replay(const RequestLog& log, const ReplaySetup& setup, const StepCost& cost) {
    TRY(check_config(setup.scheduler));
    return Replay(log, setup, cost).run();
}

}  // namespace brigada
