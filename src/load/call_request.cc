#include "load/call_request.h"

#include "base/concat.h"
#include "dialect/write_conversation.h"

namespace brigada {

namespace {

/// As agents send them: OpenCode and others, Codex, Claude Code.
void add_session(HttpHeaders& headers, Dialect api, const SessionName& who) {
    const bool is_agent = !who.agent.empty();
    if (api == Dialect::messages) {
        headers.add("x-claude-code-session-id", who.session);
        if (is_agent) headers.add("x-claude-code-agent-id", who.agent);
    } else if (api == Dialect::responses) {
        headers.add("session-id", who.session);
        headers.add("thread-id", is_agent ? who.agent : who.session);
    } else {
        headers.add("x-session-id", is_agent ? who.agent : who.session);
        if (is_agent) headers.add("x-parent-session-id", who.session);
    }
}

void add_key(HttpHeaders& headers, const LoadTarget& target) {
    if (target.api == Dialect::messages) headers.add("anthropic-version", "2023-06-01");
    if (target.key.empty()) return;
    if (target.api == Dialect::messages) headers.add("x-api-key", target.key);
    headers.add("authorization", concat("Bearer ", target.key));
}

}  // namespace

HttpCall call_head(const LoadTarget& target, const SessionName& who) {
    HttpCall call{.method = HttpMethod::post,
                  .host = target.host,
                  .port = target.port,
                  .tls = target.tls,
                  .target = concat(target.base_path, upstream_path(target.api)),
                  .timeouts = target.timeouts};
    call.headers.add("content-type", "application/json");
    call.headers.add("accept", "text/event-stream");
    call.headers.add("user-agent", "brigada-load");
    add_key(call.headers, target);
    add_session(call.headers, target.api, who);
    return call;
}

Result<std::string> call_body(const LoadTarget& target, Conversation conversation,
                              const SessionName& who, uint32_t output_tokens) {
    conversation.sampling.max_output = output_tokens;
    conversation.stream = true;
    conversation.include_usage = true;
    const std::string cache_key = escaped(who.agent.empty() ? who.session : who.agent);
    if (target.api == Dialect::responses) {
        conversation.store = false;
        conversation.prompt_cache_key = {cache_key};
    }
    TRY(WrittenRequest written, write_conversation(conversation, target.api, target.model));
    std::string extra = target.extra_body;
    if (target.exact_output)
        extra +=
            concat(extra.empty() ? "" : ",", R"("ignore_eos":true,"min_tokens":)", output_tokens);
    if (!extra.empty()) {
        written.body.pop_back();
        written.body += concat(",", extra, "}");
    }
    return std::move(written.body);
}

}  // namespace brigada
