#include "gateway/count_desk.h"

#include <algorithm>
#include <optional>
#include <string>

#include "gateway/body_memo.h"
#include "gateway/desk_answers.h"
#include "gateway/prompt_source_of.h"
#include "gateway/upstream_call.h"

namespace brigada {

namespace {

/// The tokens of a body's prompt; nothing where the model's prompts are estimated.
Task<std::optional<int64_t>> count_body(Gateway& gateway, const ReadBody& read,
                                        std::string_view text, Dialect dialect,
                                        const Caller& caller) {
    const SetupRef setup = gateway.setup();
    const std::string model(setup->upstreams.resolve_alias(caller.resolve(read.body.model)));
    const CounterRef counter = setup->counter_of(model);
    if (!counter) co_return std::nullopt;
    co_return co_await gateway.counting().count(
        counter, prompt_source_of(read.body, text, read.message_keys, dialect), caller.tenant);
}

/// By how many bytes it has.
int64_t estimate(Gateway& gateway, const ReadBody& read) {
    return gateway.token_estimate().tokens(read.body.model, read.prompt.bytes);
}

/// Whether an upstream of the model takes calls of this dialect, translated or not.
bool is_served(const UpstreamSet& upstreams, std::string_view model, Dialect dialect) {
    return std::ranges::any_of(upstreams.all(), [&](const Upstream& upstream) {
        return upstream_model_for(*upstream.deployment, model) && upstream.deployment->address &&
               dialect_at(*upstream.deployment, dialect);
    });
}

}  // namespace

Task<void> count_for_litellm(Gateway& gateway, HttpRequest& request, Responder& responder) {
    const auto caller = caller_of(gateway, request);
    if (!caller) co_return co_await refuse(responder, caller.error());
    const auto read = gateway.bodies().read(request.body, Dialect::chat, (*caller)->tenant);
    if (!read.ok()) co_return co_await refuse(responder, denial_of(read.error()));
    const CallBody& body = read->body;
    if (const auto denial = (*caller)->denies(body.model))
        co_return co_await refuse(responder, *denial);
    const bool has_messages = !body.prompt[kMessagesField].empty();
    if (!has_messages && body.prompt[kPromptField].empty())
        co_return co_await refuse(responder, denial_of({Code::invalid_argument,
                                                        "messages or prompt: one must be there"}));
    const Dialect dialect = has_messages ? Dialect::chat : Dialect::completions;
    const auto counted = co_await count_body(gateway, *read, request.body, dialect, **caller);
    co_await answer(responder, 200,
                    {{"total_tokens", counted ? *counted : estimate(gateway, *read)},
                     {"request_model", body.model},
                     {"model_used", (*caller)->resolve(body.model)},
                     {"tokenizer_type", counted ? "huggingface_tokenizer" : "estimate"}});
}

Task<bool> count_for_anthropic(Gateway& gateway, HttpRequest& request, Responder& responder) {
    constexpr Dialect kDialect = Dialect::count_tokens;
    const auto caller = caller_of(gateway, request);
    if (!caller) co_return false;
    const auto read = gateway.bodies().read(request.body, kDialect, (*caller)->tenant);
    if (!read.ok() || (*caller)->denies(read->body.model)) co_return false;
    const std::string model(
        gateway.upstreams().resolve_alias((*caller)->resolve(read->body.model)));
    const UpstreamSet& upstreams = gateway.upstreams();
    if (is_served(upstreams, model, kDialect) || !is_served(upstreams, model, Dialect::messages))
        co_return false;
    const auto counted = co_await count_body(gateway, *read, request.body, kDialect, **caller);
    const int64_t tokens = counted ? *counted : estimate(gateway, *read);
    co_await answer(responder, 200, {{"input_tokens", tokens}});
    co_return true;
}

}  // namespace brigada
