#include "gateway/seen/trace_context.h"

#include <fmt/format.h>

#include <charconv>

namespace brigada {

namespace {

constexpr size_t kSize = 55;           // "00-" + 32 + "-" + 16 + "-" + 2
constexpr size_t kMaxState = 512;      // the least that everybody must pass on
constexpr uint8_t kKnownFlags = 0x03;  // what version 00 does not know is not passed on

/// Lower-case digits only, as the specification wants them.
std::optional<uint64_t> read_hex(std::string_view text) {
    uint64_t out = 0;
    if (text.find_first_not_of("0123456789abcdef") != text.npos) return std::nullopt;
    std::from_chars(text.data(), text.data() + text.size(), out, 16);
    return out;
}

bool has_dashes(std::string_view text) {
    return text[2] == '-' && text[35] == '-' && text[52] == '-';
}

/// Version 00 ends here; a newer one may go on after a dash; ff is none.
bool is_version(uint64_t version, std::string_view rest) {
    if (version == 0) return rest.empty();
    return version != 0xff && (rest.empty() || rest.front() == '-');
}

}  // namespace

std::string TraceId::hex() const {
    return fmt::format("{:016x}{:016x}", high, low);
}

std::string to_hex(SpanId id) {
    return fmt::format("{:016x}", static_cast<uint64_t>(id));
}

std::optional<TraceContext> read_trace_context(std::string_view traceparent,
                                               std::string_view tracestate) {
    if (traceparent.size() < kSize || !has_dashes(traceparent)) return std::nullopt;
    const auto version = read_hex(traceparent.substr(0, 2));
    const auto high = read_hex(traceparent.substr(3, 16));
    const auto low = read_hex(traceparent.substr(19, 16));
    const auto span = read_hex(traceparent.substr(36, 16));
    const auto flags = read_hex(traceparent.substr(53, 2));
    if (!version || !high || !low || !span || !flags) return std::nullopt;
    if (!is_version(*version, traceparent.substr(kSize))) return std::nullopt;
    TraceContext out{.trace = {*high, *low},
                     .span = SpanId{*span},
                     .flags = static_cast<uint8_t>(*flags & kKnownFlags)};
    if (!out.trace.is_valid() || *span == 0) return std::nullopt;
    if (tracestate.size() <= kMaxState) out.state = tracestate;
    return out;
}

std::string traceparent_of(const TraceContext& context) {
    return fmt::format("00-{}-{}-{:02x}", context.trace.hex(), to_hex(context.span), context.flags);
}

}  // namespace brigada
