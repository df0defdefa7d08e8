#include "plan/workload.h"

#include <algorithm>
#include <utility>

#include "base/concat.h"

namespace brigada {

namespace {

const char* const kCorpus =
    "710 measured Claude Code sessions, 48,658 calls (kv-cache-tester at 94f6046)";

/// Seconds between an answer and the session's next call, tool results and people together.
const std::vector<Quantile> kAgentGaps = {
    {0, 0},      {0.05, 3},    {0.1, 4},     {0.2, 5},      {0.3, 6},   {0.4, 8},   {0.5, 10},
    {0.6, 14},   {0.7, 23},    {0.75, 34},   {0.8, 54},     {0.85, 96}, {0.9, 170}, {0.95, 471},
    {0.97, 877}, {0.98, 1501}, {0.99, 3039}, {0.995, 4137}, {1, 77589}};

const std::vector<Quantile> kAgentOutputs = {
    {0, 30},      {0.05, 89},   {0.1, 105},   {0.2, 126},   {0.3, 148},  {0.4, 176},
    {0.5, 216},   {0.6, 273},   {0.7, 363},   {0.8, 516},   {0.85, 641}, {0.9, 899},
    {0.95, 1544}, {0.97, 2171}, {0.98, 2741}, {0.99, 3663}, {1, 18195}};

/// TraceLab: tools take 0.3 s at the median, 13.6 s at p90, 216 s at p99.
const std::vector<Quantile> kToolGaps = {{0, 0.05}, {0.5, 0.3}, {0.9, 13.6}, {0.99, 216}, {1, 900}};

/// TraceLab: a person waits 1.4 minutes at the median, 20.6 at p90.
const std::vector<Quantile> kPersonGaps = {{0, 2}, {0.5, 84}, {0.9, 1236}, {1, 7200}};

std::vector<Quantile> scaled(std::vector<Quantile> quantiles, double by) {
    for (Quantile& quantile : quantiles)
        quantile.value *= by;
    return quantiles;
}

/// The measured shape with another mean.
std::vector<Quantile> outputs_of_mean(double mean) {
    return scaled(kAgentOutputs, mean / 439.1);
}

Workload claude_code() {
    return {.name = "claude-code",
            .source = kCorpus,
            .calls_per_session = 68.5,
            .session_s = 63.1 * 60,
            .prompt_tokens = 123'450,
            .context_p90 = 236'800,
            .context_max = 500'000,
            .new_tokens = 1'257,
            .reuse = 0.9631,
            .output_tokens = 439.1,
            .gaps = kAgentGaps,
            .outputs = kAgentOutputs,
            .tool_gap_s = 44.6,
            .calls_per_turn = 6.76,
            .calls_per_turn_p90 = 17,
            .fan_out = {{.name = "sub-agents", .share = 0.014, .extra = 1}}};
}

Workload agentx() {
    return {.name = "agentx",
            .source =
                "AgentX: 40.6 calls in 62.6 minutes, 142K tokens of context; gaps have the "
                "shape of the Claude Code corpus",
            .calls_per_session = 40.6,
            .session_s = 62.6 * 60,
            .prompt_tokens = 142'000,
            .context_p90 = 142'000,
            .context_max = 200'000,
            .new_tokens = 1'257,
            .reuse = 0.965,
            .output_tokens = 444,
            .gaps = scaled(kAgentGaps, 82.0 / 92.4),
            .outputs = outputs_of_mean(444),
            .tool_gap_s = 40,
            .calls_per_turn = 6.76,
            .calls_per_turn_p90 = 17,
            .fan_out = {{.name = "parallel sessions", .share = 0.09, .extra = 3},
                        {.name = "sub-agents", .share = 0.44, .extra = 3}}};
}

Workload copilot() {
    return {.name = "copilot",
            .source =
                "68K tokens of prompt, 63K of them cached, 15 calls a session; gaps have the "
                "shape of the Claude Code corpus",
            .calls_per_session = 15,
            .session_s = 15 * 60,
            .prompt_tokens = 68'000,
            .context_p90 = 100'000,
            .context_max = 128'000,
            .new_tokens = 1'000,
            .shared_tokens = 12'000,
            .reuse = 63.0 / 68,
            .output_tokens = 400,
            .gaps = scaled(kAgentGaps, 0.5),
            .outputs = outputs_of_mean(400),
            .tool_gap_s = 20,
            .calls_per_turn = 5,
            .calls_per_turn_p90 = 15};
}

Workload swe_bench() {
    return {.name = "swe-bench",
            .source =
                "62 turns; lengths of inference-perf's agentic profile (49,141 in, 659 out), "
                "tool times of TraceLab",
            .calls_per_session = 62,
            .session_s = 20 * 60,
            .prompt_tokens = 49'141,
            .context_p90 = 85'000,
            .context_max = 128'000,
            .new_tokens = 1'450,
            .shared_tokens = 4'000,
            .reuse = 0.965,
            .output_tokens = 659,
            .gaps = kToolGaps,
            .outputs = outputs_of_mean(659),
            .tool_gap_s = 8,
            .calls_per_turn = 62,
            .calls_per_turn_p90 = 100};
}

Workload chat() {
    return {.name = "chat",
            .source = "800 tokens in, 250 out; people wait as in TraceLab",
            .calls_per_session = 8,
            .session_s = 15 * 60,
            .prompt_tokens = 800,
            .context_p90 = 2'500,
            .context_max = 8'192,
            .new_tokens = 150,
            .shared_tokens = 200,
            .reuse = 0.75,
            .output_tokens = 250,
            .gaps = kPersonGaps,
            .outputs = outputs_of_mean(250)};
}

Workload rag() {
    return {.name = "rag",
            .source = "every prompt is new documents: reuse 1 %; 4,000 in and 300 out are declared",
            .calls_per_session = 1,
            .session_s = 120,
            .prompt_tokens = 4'000,
            .context_p90 = 8'000,
            .context_max = 16'384,
            .new_tokens = 3'960,
            .shared_tokens = 40,
            .reuse = 0.01,
            .output_tokens = 300,
            .gaps = kPersonGaps,
            .outputs = outputs_of_mean(300)};
}

}  // namespace

double amplification(const Workload& workload) {
    double product = 1;
    for (const FanOut& fan : workload.fan_out)
        product *= 1 + fan.share * fan.extra;
    return product;
}

/// Measured: agents compact to 0.27 of the context at the median; between that and the limit a
/// context is 0.635 of it on average.
Workload fitted_to_context(Workload workload, double max_context) {
    constexpr double kCompactedTo = 0.27;
    if (workload.context_p90 <= max_context) {
        workload.context_max = std::min(workload.context_max, max_context);
        return workload;
    }
    const double mean = std::min(workload.prompt_tokens, (1 + kCompactedTo) / 2 * max_context);
    const double calls_between = (1 - kCompactedTo) * max_context / workload.new_tokens;
    const double reread = mean / std::max(1.0, calls_between);
    workload.source += concat("; contexts compacted at ", max_context, " tokens");
    workload.prompt_tokens = mean;
    workload.context_p90 = 0.95 * max_context;
    workload.context_max = max_context;
    workload.new_tokens = std::min(workload.new_tokens, mean);
    workload.shared_tokens = std::min(workload.shared_tokens, mean);
    workload.reuse = std::clamp(1 - (workload.new_tokens + reread) / mean, 0.0, workload.reuse);
    return workload;
}

double mean_gap(const Workload& workload, double bound) {
    double mean = 0;
    const auto& gaps = workload.gaps;
    for (size_t i = 1; i < gaps.size(); ++i) {
        const double low = gaps[i - 1].value, high = gaps[i].value;
        const double share = gaps[i].share - gaps[i - 1].share;
        if (high <= bound) {
            mean += share * (low + high) / 2;
        } else if (low >= bound) {
            mean += share * bound;
        } else {
            const double below = (bound - low) / (high - low);
            mean += share * (below * (low + bound) / 2 + (1 - below) * bound);
        }
    }
    return mean;
}

double share_within(const std::vector<Quantile>& quantiles, double seconds) {
    for (size_t i = 0; i < quantiles.size(); ++i) {
        if (quantiles[i].value <= seconds) continue;
        if (i == 0) return 0;
        const Quantile& low = quantiles[i - 1];
        const double part = (seconds - low.value) / (quantiles[i].value - low.value);
        return low.share + part * (quantiles[i].share - low.share);
    }
    return 1;
}

double value_at(const std::vector<Quantile>& quantiles, double share) {
    if (quantiles.empty()) return 0;
    for (size_t i = 1; i < quantiles.size(); ++i) {
        if (quantiles[i].share < share) continue;
        const Quantile& low = quantiles[i - 1];
        const double part = (share - low.share) / (quantiles[i].share - low.share);
        return low.value + part * (quantiles[i].value - low.value);
    }
    return quantiles.back().value;
}

const std::vector<Workload>& known_workloads() {
    static const std::vector<Workload> all = {claude_code(), agentx(), copilot(),
                                              swe_bench(),   chat(),   rag()};
    return all;
}

Result<Workload> find_workload(std::string_view name) {
    std::string known;
    for (const Workload& workload : known_workloads()) {
        if (workload.name == name) return workload;
        known += concat(known.empty() ? "" : ", ", workload.name);
    }
    return Error{Code::not_found, concat("no profile '", name, "'; there are ", known)};
}

}  // namespace brigada
