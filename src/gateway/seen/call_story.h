// The two ways to tell of a call that is over: a line of the log, and the spans of a trace. Pure:
// facts in, texts and spans out.
#pragma once

#include <vector>

#include "gateway/seen/call_facts.h"
#include "gateway/seen/log_line.h"
#include "gateway/seen/trace_span.h"

namespace brigada {

/// Which span of which trace a call is.
struct CallPlace {
    TraceContext parent = {};  // the client's; span 0 when it sent none
    SpanId span = {};          // the call's own
};

/// Adds to a line of event "call".
void tell_call(const CallFacts& facts, const CallPlace& place, LogLine& line);

/// info for answers and refusals, warning for what upstreams failed at.
LogLevel level_of(const CallFacts& facts);

/// The call's span, a server's, and one below it per attempt, a client's, by OpenTelemetry's
/// conventions for generative AI; all with the tenant.
std::vector<TraceSpan> call_spans(const CallFacts& facts, const CallPlace& place);

}  // namespace brigada
