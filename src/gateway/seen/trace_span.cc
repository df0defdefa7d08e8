#include "gateway/seen/trace_span.h"

#include "base/json.h"

namespace brigada {

namespace {

std::string nanoseconds(WallTime time) {
    return std::to_string(time.ns);
}

Json value_json(const SpanAttribute& attribute) {
    if (const auto* text = std::get_if<std::string>(&attribute.value))
        return {{"stringValue", *text}};
    if (const auto* number = std::get_if<int64_t>(&attribute.value))
        return {{"intValue", std::to_string(*number)}};
    if (const auto* real = std::get_if<double>(&attribute.value)) return {{"doubleValue", *real}};
    return {{"boolValue", std::get<bool>(attribute.value)}};
}

Json attributes_json(std::span<const SpanAttribute> attributes) {
    Json out = Json::array();
    for (const SpanAttribute& attribute : attributes)
        out.push_back({{"key", attribute.name}, {"value", value_json(attribute)}});
    return out;
}

Json events_json(const std::vector<SpanEvent>& events) {
    Json out = Json::array();
    for (const SpanEvent& event : events)
        out.push_back({{"timeUnixNano", nanoseconds(event.at)}, {"name", event.name}});
    return out;
}

Json status_json(const TraceSpan& span) {
    Json out = Json::object();
    if (!span.status_message.empty()) out["message"] = span.status_message;
    if (span.status != SpanStatus::unset) out["code"] = static_cast<int>(span.status);
    return out;
}

Json span_json(const TraceSpan& span) {
    Json out = {{"traceId", span.trace.hex()}, {"spanId", to_hex(span.id)}};
    if (!span.trace_state.empty()) out["traceState"] = span.trace_state;
    if (span.parent != SpanId{}) out["parentSpanId"] = to_hex(span.parent);
    out["flags"] = span.flags;
    out["name"] = span.name;
    out["kind"] = static_cast<int>(span.kind);
    out["startTimeUnixNano"] = nanoseconds(span.start);
    out["endTimeUnixNano"] = nanoseconds(span.end);
    out["attributes"] = attributes_json(span.attributes);
    if (!span.events.empty()) out["events"] = events_json(span.events);
    out["status"] = status_json(span);
    return out;
}

}  // namespace

void TraceSpan::add(std::string_view attribute, std::string_view text) {
    if (!text.empty()) attributes.push_back({std::string(attribute), std::string(text)});
}

std::string otlp_json(std::span<const TraceSpan> spans, std::span<const SpanAttribute> resource) {
    Json list = Json::array();
    for (const TraceSpan& span : spans)
        list.push_back(span_json(span));
    Json scope = {{"scope", {{"name", "brigada.gateway"}}}, {"spans", std::move(list)}};
    Json one = {{"resource", {{"attributes", attributes_json(resource)}}},
                {"scopeSpans", Json::array({std::move(scope)})}};
    return dump_json({{"resourceSpans", Json::array({std::move(one)})}});
}

}  // namespace brigada
