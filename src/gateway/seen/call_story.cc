#include "gateway/seen/call_story.h"

#include "base/concat.h"

namespace brigada {

namespace {

std::string_view operation(Dialect dialect) {
    switch (dialect) {
        case Dialect::completions:
            return "text_completion";
        case Dialect::embeddings:
            return "embeddings";
        case Dialect::count_tokens:
            return "count_tokens";
        case Dialect::chat:
        case Dialect::responses:
        case Dialect::messages:
            break;
    }
    return "chat";
}

std::string_view error_type(const CallFacts& facts) {
    if (!facts.refusal.empty()) return facts.refusal;
    return facts.status == CallStatus::ok ? std::string_view() : to_string(facts.status);
}

void add_tenant(TraceSpan& span, const CallFacts& facts) {
    if (facts.caller) {
        span.add("brigada.tenant", facts.caller->tenant);
        span.add("brigada.organisation", facts.caller->organisation);
        span.add("brigada.team", facts.caller->team);
        span.add("brigada.team_alias", facts.caller->team_alias);
        span.add("brigada.user", facts.caller->user);
        span.add("brigada.key", facts.caller->key);
        span.add("brigada.key_alias", facts.caller->key_alias);
    }
    span.add("enduser.id", facts.end_user);
    span.add("gen_ai.conversation.id", facts.session);
}

void add_usage(TraceSpan& span, const CallFacts& facts) {
    if (facts.usage == Usage{}) return;
    span.add("gen_ai.usage.input_tokens", facts.usage.prompt());
    span.add("gen_ai.usage.output_tokens", facts.usage.output);
    span.add("gen_ai.usage.cache_read.input_tokens", facts.usage.cached_input);
    span.add("gen_ai.usage.cache_creation.input_tokens", facts.usage.cache_write);
    span.attributes.push_back({"brigada.usage_counted_here", facts.usage_counted_here});
    span.add("brigada.cost_dollars", decimal_dollars(facts.cost));
}

void add_first_byte(TraceSpan& span, const CallFacts& facts) {
    if (facts.first_byte == WallTime{}) return;
    span.events.push_back({"first_byte", facts.first_byte});
    if (facts.stream)
        span.attributes.push_back(
            {"gen_ai.response.time_to_first_chunk", (facts.first_byte - facts.started).seconds()});
}

void end_with(TraceSpan& span, std::string_view error, int http_status) {
    if (http_status != 0) span.add("http.response.status_code", int64_t{http_status});
    if (error.empty()) return;
    span.add("error.type", error);
    span.status = SpanStatus::error;
}

TraceSpan begin_span(const CallFacts& facts, const CallPlace& place, std::string_view model) {
    TraceSpan out{.trace = place.parent.trace,
                  .trace_state = place.parent.state,
                  .flags = place.parent.flags,
                  .name = concat(operation(facts.dialect), model.empty() ? "" : " ", model)};
    out.add("gen_ai.operation.name", operation(facts.dialect));
    out.add("gen_ai.request.model", model);
    if (facts.max_output) out.add("gen_ai.request.max_tokens", *facts.max_output);
    out.attributes.push_back({"gen_ai.request.stream", facts.stream});
    return out;
}

TraceSpan call_span(const CallFacts& facts, const CallPlace& place) {
    TraceSpan out = begin_span(facts, place, facts.model_asked);
    out.id = place.span;
    out.parent = place.parent.span;
    out.kind = SpanKind::server;
    out.start = facts.started;
    out.end = facts.ended;
    out.add("gen_ai.response.model", facts.model_served);
    if (!facts.attempts.empty()) out.add("gen_ai.provider.name", facts.attempts.back().provider);
    out.add("http.request.method", "POST");
    out.add("url.path", facts.path);
    out.add("brigada.call_id", facts.id);
    out.attributes.push_back({"brigada.from_cache", facts.from_cache});
    add_tenant(out, facts);
    add_usage(out, facts);
    add_first_byte(out, facts);
    end_with(out, error_type(facts), facts.http_status);
    if (out.status == SpanStatus::error) out.status_message = facts.message;
    return out;
}

TraceSpan attempt_span(const CallFacts& facts, const CallPlace& place,
                       const AttemptFacts& attempt) {
    TraceSpan out = begin_span(facts, place, attempt.model);
    out.id = attempt.span;
    out.parent = place.span;
    out.kind = SpanKind::client;
    out.start = attempt.started;
    out.end = attempt.ended;
    out.add("gen_ai.provider.name", attempt.provider);
    out.add("server.address", attempt.host);
    out.add("server.port", int64_t{attempt.port});
    out.add("brigada.upstream", attempt.upstream);
    add_tenant(out, facts);
    const bool failed = attempt.status != CallStatus::ok;
    end_with(out, failed ? to_string(attempt.status) : std::string_view(), attempt.http_status);
    return out;
}

void tell_caller(const Caller& caller, LogLine& line) {
    line.add("organisation", caller.organisation)
        .add("team", caller.team)
        .add("team_alias", caller.team_alias)
        .add("user", caller.user)
        .add("key", caller.key)
        .add("key_alias", caller.key_alias);
}

void tell_usage(const CallFacts& facts, LogLine& line) {
    line.add("input_tokens", facts.usage.input)
        .add("cached_input_tokens", facts.usage.cached_input)
        .add("cache_write_tokens", facts.usage.cache_write)
        .add("output_tokens", facts.usage.output)
        .add("usage_counted_here", facts.usage_counted_here)
        .add("cost_dollars", decimal_dollars(facts.cost));
}

}  // namespace

LogLevel level_of(const CallFacts& facts) {
    return facts.http_status >= 500 || facts.status == CallStatus::cut ? LogLevel::warning
                                                                       : LogLevel::info;
}

void tell_call(const CallFacts& facts, const CallPlace& place, LogLine& line) {
    line.add("id", facts.id)
        .add("dialect", to_string(facts.dialect))
        .add("status", facts.http_status);
    line.add("refusal", facts.refusal).add("message", facts.message);
    if (facts.caller) tell_caller(*facts.caller, line);
    line.add("end_user", facts.end_user)
        .add("session", facts.session)
        .add("model", facts.model_asked)
        .add("model_served", facts.model_served)
        .add("stream", facts.stream)
        .add("from_cache", facts.from_cache)
        .add("body_bytes", facts.body_bytes)
        .add("attempts", facts.attempts.size());
    if (!facts.attempts.empty()) {
        line.add("upstream", facts.attempts.back().upstream);
        line.add("outcome", to_string(facts.status));
        tell_usage(facts, line);
    }
    if (facts.first_byte != WallTime{})
        line.add("first_byte_seconds", facts.first_byte - facts.started);
    line.add("seconds", facts.ended - facts.started);
    if (place.parent.trace.is_valid()) line.add("trace_id", place.parent.trace.hex());
}

std::vector<TraceSpan> call_spans(const CallFacts& facts, const CallPlace& place) {
    std::vector<TraceSpan> out{call_span(facts, place)};
    for (const AttemptFacts& attempt : facts.attempts)
        out.push_back(attempt_span(facts, place, attempt));
    return out;
}

}  // namespace brigada
