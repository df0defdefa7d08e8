#include "gateway/seen/call_witness.h"

#include <utility>

namespace brigada {

namespace {

constexpr uint8_t kSampledAndRandom = 0x03;

/// Several tracestate fields are one list.
std::string joined(const std::vector<std::string_view>& values) {
    std::string out;
    for (const std::string_view value : values) {
        if (!out.empty()) out += ',';
        out += value;
    }
    return out;
}

}  // namespace

CallWitness::CallWitness(Seen& seen, const HttpHeaders& client) : seen_(seen) {
    const auto parent = client.get("traceparent");
    if (parent)
        if (auto known = read_trace_context(*parent, joined(client.get_all("tracestate"))))
            place_.parent = *std::move(known);
    if (!seen_.traces()) return;
    if (!place_.parent.trace.is_valid())
        place_.parent = {.trace = seen_.new_trace_id(), .flags = kSampledAndRandom};
    place_.span = seen_.new_span_id();
}

void CallWitness::attempt_began(const Deployment& deployment, std::string_view model_served) {
    attempts_.push_back({.span = seen_.traces() ? seen_.new_span_id() : SpanId{},
                         .deployment = &deployment,
                         .model_served = std::string(model_served),
                         .started = WallClock().now()});
}

void CallWitness::attempt_ended(CallStatus status, int http_status) {
    Attempt& attempt = attempts_.back();
    attempt.status = status;
    attempt.http_status = http_status;
    attempt.ended = WallClock().now();
}

void CallWitness::mark(HttpHeaders& upstream) const {
    if (!place_.parent.trace.is_valid()) return;
    TraceContext context = place_.parent;
    if (seen_.traces()) context.span = attempts_.back().span;
    upstream.add("traceparent", traceparent_of(context));
    if (!context.state.empty()) upstream.add("tracestate", context.state);
}

AttemptFacts CallWitness::facts_of(const Attempt& attempt) {
    const Deployment& deployment = *attempt.deployment;
    AttemptFacts out{.span = attempt.span,
                     .upstream = deployment.id,
                     .provider = deployment.provider,
                     .model = upstream_model_for(deployment, attempt.model_served).value_or(""),
                     .started = attempt.started,
                     .ended = attempt.ended,
                     .status = attempt.status,
                     .http_status = attempt.http_status};
    if (deployment.address) {
        out.host = deployment.address->host;
        out.port = deployment.address->port;
    }
    return out;
}

void CallWitness::tell(CallFacts facts) {
    for (const Attempt& attempt : attempts_)
        facts.attempts.push_back(facts_of(attempt));
    seen_.call_ended(facts, place_);
}

}  // namespace brigada
