// Percentiles of TTFT, of calls and of their time per token, from the kinds of reading, a tail of
// waiting and the lengths of answers. No simulation: lengths and waits are taken as independent.
#pragma once

#include <vector>

#include "plan/closed_form/situation.h"

namespace brigada {

/// Calls of which each begins with an answer and, but for the last, ends with a tool.
struct TurnTimes {
    double call_s = 0, call_square = 0;  // mean of a call's time, and of its square
    double gap_s = 0, gap_square = 0;    // likewise of the gap behind it
    std::vector<Quantile> calls = {};    // of a turn
};

struct CallTimes {
    const std::vector<PromptReading>& readings;
    const std::vector<Quantile>& outputs;
    double wait_s = 0;     // mean
    double read_busy = 0;  // the share of calls that wait at all
    double tpot_s = 0;
};

/// Waiting is taken as exponential where somebody waits: P(wait > t) = busy x e^(-t busy / mean).
double ttft_quantile(const CallTimes& times, double share);
double call_quantile(const CallTimes& times, double share);

/// Of a turn's time. Turns of as many calls are taken as lognormal, with the mean and variance that
/// so many independent calls and gaps have (Fenton and Wilkinson), and turns of all lengths as the
/// mixture of those.
double turn_quantile(const TurnTimes& times, double share);

/// The mean square of a call's time.
double call_square(const CallTimes& times);

/// Of call time over output tokens, seconds.
double per_token_quantile(const CallTimes& times, double share);

}  // namespace brigada
