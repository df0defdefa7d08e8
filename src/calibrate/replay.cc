#include "calibrate/replay.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "sim/virtual_replica.h"

namespace brigada {

namespace {

SimReplica kind_of(const ReplaySetup& setup, const StepCost& cost) {
    SimReplica kind;
    kind.cost = cost;
    kind.scheduler = setup.scheduler;
    kind.kv_tokens = uint64_t{setup.kv_blocks} * setup.block_tokens;
    return kind;
}

/// One replica and the requests that come to it.
class Replay {
  public:
    Replay(const RequestLog& log, const ReplaySetup& setup, const StepCost& cost)
        : log_(log),
          block_tokens_(setup.block_tokens),
          replica_(kind_of(setup, cost), setup.block_tokens, false) {}

    Result<RequestLog> run() {
        std::optional<Instant> ends;  // of the steps under way
        while (ends || next_ < log_.size()) {
            const bool arrives = next_ < log_.size() && (!ends || log_[next_].arrival < *ends);
            const Instant now = arrives ? log_[next_].arrival : *ends;
            if (!arrives)
                note(replica_.end(now), now);
            else if (replica_.catch_up(now))
                ends = replica_.ends();  // unless it computes nothing, see below
            TRY(arrive(now));
            if (!replica_.computes()) ends = replica_.begin(now);
        }
        return std::move(log_);
    }

  private:
    Result<void> arrive(Instant now) {
        for (; next_ < log_.size() && log_[next_].arrival <= now; ++next_) {
            const LoggedRequest& request = log_[next_];
            SequenceSpec spec;
            spec.id = SequenceId{next_};
            spec.prompt = new_blocks(blocks(request.prompt_tokens));
            spec.prompt_tokens = request.prompt_tokens;
            spec.max_new_tokens = request.output_tokens;
            spec.arrival = request.arrival;
            const uint32_t all = blocks(request.prompt_tokens + request.output_tokens);
            Tokens answer = new_blocks(all - blocks(request.prompt_tokens));
            TRY(replica_.submit(std::move(spec), std::move(answer), now));
        }
        return {};
    }

    uint32_t blocks(uint32_t tokens) const { return (tokens + block_tokens_ - 1) / block_tokens_; }

    // Names of blocks, none used before: prompts share nothing.
    Tokens new_blocks(uint32_t count) {
        Tokens out(count);
        for (TokenId& id : out)
            id = TokenId{names_++};
        return out;
    }

    void note(const VirtualReplica::StepsDone& done, Instant now) {
        for (const VirtualReplica::FirstToken& first : done.first_tokens)
            log_[raw(first.sequence)].first_token = now;
        for (const Finished& finished : done.finished)
            log_[raw(finished.sequence)].last_token = now;
    }

    RequestLog log_;
    uint32_t block_tokens_;
    VirtualReplica replica_;
    size_t next_ = 0;     // request that has not arrived
    uint32_t names_ = 0;  // of blocks
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
