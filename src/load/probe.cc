#include "load/probe.h"

#include <algorithm>

#include "base/check.h"

namespace brigada {

namespace {

constexpr uint32_t kBlockTokens = 16;
constexpr double kLeastScale = 0.2, kMostScale = 5;

}  // namespace

Trace probe_trace(uint32_t part, uint32_t more_tokens) {
    CHECK(part % kBlockTokens == 0, "blocks of the texts must not meet");
    Trace out{.origin = "probe",
              .block_tokens = kBlockTokens,
              .models = {"probe"},
              .tenants = {"probe"},
              .sessions = {}};
    const auto blocks = [&](uint32_t tokens) {
        const BlockRun run{.first = out.names, .count = (tokens + kBlockTokens - 1) / kBlockTokens};
        out.names += run.count;
        return std::vector<BlockRun>{run};
    };
    for (const ProbeCall kind : kProbeCalls) {
        TraceSession session{
            .name = "probe", .start = {}, .parent = {}, .system_tokens = part, .calls = {}};
        const uint32_t more = kind == ProbeCall::longer_prompt ? more_tokens : 0;
        session.calls.push_back({.gap = {},
                                 .prompt_tokens = 2 * part + more,
                                 .output_tokens = part,
                                 .added = blocks(2 * part + more),
                                 .recorded_time = {},
                                 .recorded_ttft = {}});
        if (kind == ProbeCall::user_step || kind == ProbeCall::tool_step)
            session.calls.push_back({.gap = {},
                                     .prompt_tokens = 4 * part,
                                     .output_tokens = part,
                                     .keep_blocks = 2 * part / kBlockTokens,
                                     .added = blocks(2 * part),
                                     .user = kind == ProbeCall::user_step,
                                     .recorded_time = {},
                                     .recorded_ttft = {}});
        out.sessions.push_back(std::move(session));
    }
    return out;
}

ProbeFacts probe_facts(const std::vector<ProbeCount>& counts) {
    CHECK(counts.size() == std::size(kProbeCalls));
    const auto& [first, longer, user_step, tool_step] =
        std::tie(counts[0], counts[1], counts[2], counts[3]);
    ProbeFacts out;
    const double more = longer.text - first.text;
    if (more <= 0) return out;
    out.scale = (longer.prompt - first.prompt) / more;
    out.believed = out.scale >= kLeastScale && out.scale <= kMostScale;
    if (!out.believed) {
        out.scale = 1;
        return out;
    }
    const auto markup = [&](const ProbeCount& count) {
        return count.prompt - count.text * out.scale;
    };
    out.cost.message = std::max(0.0, (markup(user_step) - markup(first)) / 2);
    out.cost.call = std::max(0.0, markup(first) - 2 * out.cost.message);
    out.cost.tool_step = std::max(0.0, markup(tool_step) - markup(user_step));
    return out;
}

}  // namespace brigada
