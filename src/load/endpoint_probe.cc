#include "load/endpoint_probe.h"

#include <algorithm>

#include "base/concat.h"

namespace brigada {

namespace {

constexpr uint32_t kProbeRound = UINT32_MAX;  // its texts are nobody else's

struct ProbeSize {
    uint32_t part, more;  // as of probe_trace
};

/// Texts of a conversation, by our estimate.
double text_tokens(const Conversation& conversation) {
    uint64_t tokens = 0;
    for (const Message& message : conversation.messages)
        for (const Block& block : message.blocks) {
            if (const auto* plain = std::get_if<TextBlock>(&block))
                tokens += estimated_tokens(unescaped(plain->text));
            if (const auto* result = std::get_if<ToolResultBlock>(&block))
                for (const ToolResultPart& part : result->content)
                    tokens += estimated_tokens(unescaped(std::get_if<TextBlock>(&part)->text));
        }
    return static_cast<double>(tokens);
}

struct Asking {
    CallAttempts& attempts;
    const LoadTarget& target;
    const PromptText& text;
    Trace probes;
    BlockTexts texts{probes};
};

Task<Result<ProbeCount>> ask(Asking& asking, ProbeCall kind, bool uses_tools) {
    const TraceSession& session = asking.probes.sessions[static_cast<size_t>(kind)];
    Transcript at(asking.probes, session, asking.texts, asking.text, {.uses_tools = uses_tools},
                  kProbeRound);
    at.advance_to(static_cast<uint32_t>(session.calls.size()) - 1);
    const SessionName who{.session = "probe"};
    const double planned =
        asking.text.is_exact() ? at.prompt_tokens() : text_tokens(at.conversation());
    CO_TRY(std::string body, call_body(asking.target, at.conversation(), who, 1));
    CallResult result;
    StreamMeter meter(asking.target.api, nullptr);
    const HttpCall head = call_head(asking.target, who);
    const auto failure = co_await asking.attempts.run(head, std::move(body), result, meter);
    if (failure)
        co_return Error{
            Code::unavailable,
            concat(failure->cause, failure->example.empty() ? "" : ": ", failure->example)};
    LogHistogram nobody;
    meter.finish(result, nobody);
    co_return ProbeCount{.text = planned, .prompt = static_cast<double>(result.usage.prompt())};
}

Task<Result<std::vector<ProbeCount>>> ask_all(Asking& asking, bool uses_tools) {
    std::vector<ProbeCount> out;
    for (const ProbeCall kind : kProbeCalls) {
        CO_TRY(const ProbeCount count, co_await ask(asking, kind, uses_tools));
        out.push_back(count);
    }
    co_return out;
}

/// With tools; without them, where that is what the endpoint does not like.
Task<Result<ProbeFacts>> ask_either_way(Asking& asking, bool uses_tools) {
    auto counts = co_await ask_all(asking, uses_tools);
    if (counts.ok()) co_return probe_facts(*counts);
    if (!uses_tools) co_return counts.error();
    CO_TRY(const auto plain, co_await ask_all(asking, false));
    ProbeFacts out = probe_facts(plain);
    out.tools_refused = true;
    out.tools_error = counts.error().message;
    co_return out;
}

}  // namespace

Task<Result<ProbeFacts>> probe_endpoint(CallAttempts& attempts, const LoadTarget& target,
                                        const PromptText& text, uint32_t longest_prompt,
                                        bool uses_tools) {
    // A context may be small, and its size unknown: what does not fit is tried smaller.
    const ProbeSize sizes[] = {
        {.part = 64, .more = std::clamp(longest_prompt, 256u, 4'096u)}, {64, 256}, {16, 64}};
    LoadTarget short_answers = target;
    short_answers.exact_output = false;
    Result<ProbeFacts> facts = Error{Code::internal, "no probe was tried"};
    for (const ProbeSize size : sizes) {
        Asking asking{.attempts = attempts,
                      .target = short_answers,
                      .text = text,
                      .probes = probe_trace(size.part, size.more)};
        facts = co_await ask_either_way(asking, uses_tools);
        if (facts.ok()) break;
    }
    co_return facts;
}

}  // namespace brigada
