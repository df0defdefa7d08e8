// Percentiles of TTFT, of calls and of their time per token, from the kinds of reading, a tail of
// waiting and the lengths of answers. No simulation: lengths and waits are taken as independent.
#pragma once

#include <vector>

#include "plan/closed_form/situation.h"

namespace brigada {

/// Calls that begin with an answer each and, but for the last, end with a tool.
struct Turn {
    double calls = 1;
    double tools_s = 0;  // together
    double outputs = 0;  // tokens, together
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

/// Of a turn's time, over turns of equal shares. What a turn brings is known; how long its calls
/// wait and read is taken as lognormal, with the mean and variance that so many independent calls
/// have (Fenton and Wilkinson).
double turn_quantile(const CallTimes& times, const std::vector<Turn>& turns, double share);

/// Of call time over output tokens, seconds.
double per_token_quantile(const CallTimes& times, double share);

}  // namespace brigada
