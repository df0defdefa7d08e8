// TraceSpan: one piece of work in a trace, and how many of them read in OTLP's JSON. Plain values;
// the encoding follows the protocol buffers of OpenTelemetry with the exceptions its specification
// makes for JSON: ids are hex, enumerations numbers, 64-bit integers texts.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/wall_time.h"
#include "gateway/seen/trace_context.h"

namespace brigada {

struct SpanAttribute {
    std::string name = {};
    std::variant<std::string, int64_t, double, bool> value = {};

    friend bool operator==(const SpanAttribute&, const SpanAttribute&) = default;
};

struct SpanEvent {
    std::string name = {};
    WallTime at = {};
};

enum class SpanKind : uint8_t { internal = 1, server = 2, client = 3 };
enum class SpanStatus : uint8_t { unset = 0, ok = 1, error = 2 };

struct TraceSpan {
    TraceId trace = {};
    SpanId id = {};
    SpanId parent = {};
    std::string trace_state = {};
    uint8_t flags = 0;
    std::string name = {};
    SpanKind kind = SpanKind::internal;
    WallTime start = {};
    WallTime end = {};
    std::vector<SpanAttribute> attributes = {};
    std::vector<SpanEvent> events = {};
    SpanStatus status = SpanStatus::unset;
    std::string status_message = {};

    void add(std::string_view attribute, std::string_view text);  // not when it is empty
    void add(std::string_view attribute, int64_t number) {
        attributes.push_back({std::string(attribute), number});
    }
};

/// The body of POST /v1/traces: an ExportTraceServiceRequest of one resource.
std::string otlp_json(std::span<const TraceSpan> spans, std::span<const SpanAttribute> resource);

}  // namespace brigada
