// Timeline: when the calls of a trace are sent and answered if each answer takes as long as it did
// when it was recorded, or as long as a hosted model takes where that isn't known.
#pragma once

#include <vector>

#include "base/time.h"
#include "trace/trace.h"

namespace brigada {

/// 38 tokens/s and 2.5 s to the first: the medians of hosted models in the corpus.
inline constexpr Duration kUsualTtft = Duration::milliseconds(2500);
inline constexpr Duration kUsualPerToken = Duration::microseconds(26'316);

Duration usual_time(uint32_t output_tokens);
Duration answer_time(const TraceCall& call);  // recorded, or usual

struct TimedCall {
    Instant sent;
    Instant answered;
    Duration idle;  // since the answer before, sub-agents included; of a first call 0
};

/// By session, then by call.
std::vector<std::vector<TimedCall>> timeline(const Trace& trace);

/// A call's place in the trace.
struct CallAt {
    uint32_t session = 0;
    uint32_t call = 0;
};

/// All calls in the order in which they are sent; ties by session.
std::vector<CallAt> by_time(const std::vector<std::vector<TimedCall>>& times);

}  // namespace brigada
