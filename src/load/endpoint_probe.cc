#include "load/endpoint_probe.h"

#include <algorithm>

#include "base/concat.h"

namespace brigada {

namespace {

constexpr uint32_t kProbeRound = UINT32_MAX;  // its texts are nobody else's
constexpr uint32_t kLongestProbe = 4'096, kShortestProbe = 256;

/// Texts of a conversation, in our tokens.
double text_tokens(const Conversation& conversation, const PromptText& text) {
    size_t bytes = 0;
    for (const Message& message : conversation.messages)
        for (const Block& block : message.blocks) {
            if (const auto* plain = std::get_if<TextBlock>(&block))
                bytes += unescaped(plain->text).size();
            if (const auto* result = std::get_if<ToolResultBlock>(&block))
                for (const ToolResultPart& part : result->content)
                    bytes += unescaped(std::get_if<TextBlock>(&part)->text).size();
        }
    return static_cast<double>(bytes) / text.bytes_per_token();
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
        asking.text.is_exact() ? at.prompt_tokens() : text_tokens(at.conversation(), asking.text);
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
    LoadTarget short_answers = target;
    short_answers.exact_output = false;
    const uint32_t more = std::clamp(longest_prompt, kShortestProbe, kLongestProbe);
    Asking asking{
        .attempts = attempts, .target = short_answers, .text = text, .probes = probe_trace(more)};
    auto facts = co_await ask_either_way(asking, uses_tools);
    if (facts.ok() || more == kShortestProbe) co_return facts;
    Asking smaller{.attempts = attempts,
                   .target = short_answers,
                   .text = text,
                   .probes = probe_trace(kShortestProbe)};
    co_return co_await ask_either_way(smaller, uses_tools);
}

}  // namespace brigada
