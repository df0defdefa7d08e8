#include "load/declared_workload.h"

#include <algorithm>
#include <cmath>

#include "base/concat.h"
#include "base/rng.h"

namespace brigada {

namespace {

constexpr uint32_t kBlockTokens = 16;
constexpr uint64_t kMostNames = uint64_t{1} << 31;

/// By Box and Muller.
double normal(Rng& rng) {
    const double radius = std::sqrt(-2 * std::log(1 - rng.uniform()));
    return radius * std::cos(2 * 3.14159265358979323846 * rng.uniform());
}

/// Lognormal with this mean and coefficient of variation, at least 1.
uint32_t varied(Rng& rng, uint32_t mean, double cv) {
    if (cv <= 0) return mean;
    const double variance = std::log(1 + cv * cv);
    const double value = mean * std::exp(std::sqrt(variance) * normal(rng) - variance / 2);
    return static_cast<uint32_t>(std::clamp(std::round(value), 1.0, 1e7));
}

Result<void> check(const DeclaredWorkload& workload) {
    const auto bad = [](auto... words) { return Error{Code::invalid_argument, concat(words...)}; };
    if (workload.sessions == 0 || workload.calls == 0)
        return bad("0 sessions or calls: nothing to send");
    if (workload.prompt_tokens == 0 || workload.output_tokens == 0 || workload.turn_tokens == 0)
        return bad("prompts, answers and turns need at least one token");
    if (workload.shared_prefix >= workload.prompt_tokens)
        return bad("a shared prefix of ", workload.shared_prefix,
                   " tokens leaves nothing of a prompt of ", workload.prompt_tokens,
                   "; it must be shorter");
    const uint64_t longest =
        workload.prompt_tokens +
        uint64_t{workload.calls} * (uint64_t{workload.turn_tokens} + workload.output_tokens);
    if (longest / kBlockTokens * workload.sessions > kMostNames)
        return bad(workload.sessions, " sessions of ", longest, " tokens are too many");
    return {};
}

class Maker {
  public:
    explicit Maker(const DeclaredWorkload& workload) : workload_(workload), rng_(workload.seed) {
        trace_.origin = "declared";
        trace_.block_tokens = kBlockTokens;
        trace_.models = {"model"};
        trace_.tenants = {"load"};
        trace_.names = shared_blocks();
    }

    Trace make() {
        for (uint32_t i = 0; i < workload_.sessions; ++i)
            trace_.sessions.push_back(session(i));
        return std::move(trace_);
    }

  private:
    uint32_t shared_blocks() const { return workload_.shared_prefix / kBlockTokens; }

    TraceSession session(uint32_t number) {
        Rng rng = rng_.fork();
        TraceSession out{.name = concat("declared-", number),
                         .start = Instant::at_ns(int64_t{number} * 1'000'000'000),
                         .parent = {},
                         .system_tokens = workload_.shared_prefix,
                         .calls = {}};
        uint32_t prompt = 0, answer = 0;
        for (uint32_t i = 0; i < workload_.calls; ++i) {
            out.calls.push_back(call(rng, i, prompt, answer));
            prompt = out.calls.back().prompt_tokens;
            answer = out.calls.back().output_tokens;
        }
        return out;
    }

    // After a prompt of `prompt` tokens and its answer of `answer`.
    TraceCall call(Rng& rng, uint32_t number, uint32_t prompt, uint32_t answer) {
        TraceCall out{.gap = {},
                      .output_tokens = varied(rng, workload_.output_tokens, workload_.spread),
                      .added = {},
                      .user = number == 0 || !workload_.tools,
                      .recorded_time = {},
                      .recorded_ttft = {}};
        if (number == 0) {
            const uint32_t own = workload_.prompt_tokens - workload_.shared_prefix;
            out.prompt_tokens = workload_.shared_prefix + varied(rng, own, workload_.spread);
            if (shared_blocks() > 0) out.added.push_back({.first = 0, .count = shared_blocks()});
        } else {
            out.gap = varied_gap(rng);
            out.prompt_tokens =
                prompt + answer + varied(rng, workload_.turn_tokens, workload_.spread);
            out.keep_blocks = prompt / kBlockTokens;
        }
        const uint32_t all = (out.prompt_tokens + kBlockTokens - 1) / kBlockTokens;
        const uint32_t old = number == 0 ? shared_blocks() : out.keep_blocks;
        if (all > old) out.added.push_back({.first = trace_.names, .count = all - old});
        trace_.names += all - old;
        return out;
    }

    Duration varied_gap(Rng& rng) const {
        const auto ms =
            static_cast<uint32_t>(std::clamp<int64_t>(workload_.gap.ms(), 0, 86'400'000));
        return ms == 0 ? workload_.gap : Duration::milliseconds(varied(rng, ms, workload_.spread));
    }

    const DeclaredWorkload& workload_;
    Rng rng_;
    Trace trace_;
};

}  // namespace

Result<Trace> declared_trace(const DeclaredWorkload& workload) {
    TRY(check(workload));
    return Maker(workload).make();
}

}  // namespace brigada
