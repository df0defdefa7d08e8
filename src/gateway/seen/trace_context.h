// TraceContext: where a call stands in a distributed trace, as W3C Trace Context has it on the
// wire: `traceparent: 00-<trace>-<span>-<flags>`, and what vendors add in `tracestate`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace brigada {

struct TraceId {
    uint64_t high = 0;
    uint64_t low = 0;

    bool is_valid() const { return (high | low) != 0; }
    std::string hex() const;  // 32 digits
    friend bool operator==(TraceId, TraceId) = default;
};

enum class SpanId : uint64_t {};  // 0: none

std::string to_hex(SpanId id);  // 16 digits

struct TraceContext {
    TraceId trace = {};
    SpanId span = {};        // of whoever calls
    uint8_t flags = 0;       // bit 0: sampled; bit 1: the trace id is random
    std::string state = {};  // tracestate, untouched

    bool sampled() const { return (flags & 1) != 0; }
    friend bool operator==(const TraceContext&, const TraceContext&) = default;
};

/// Nothing for what is no traceparent: the receiver then begins a trace of its own. Of a newer
/// version the parts that version 0 knows are read. A tracestate over 512 bytes is left out.
std::optional<TraceContext> read_trace_context(std::string_view traceparent,
                                               std::string_view tracestate);

/// In version 00.
std::string traceparent_of(const TraceContext& context);

}  // namespace brigada
