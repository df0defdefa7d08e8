// Probe: what a server's chat template adds to a prompt and how many of its tokens our text makes,
// found out by a few short calls before a run, so that prompts come out as long as they should.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "load/prompt_text.h"
#include "load/transcript.h"
#include "trace/trace.h"

namespace brigada {

/// The calls of a probe are the last calls of these sessions, written with no TemplateCost.
enum class ProbeCall : uint8_t { first_call, longer_prompt, user_step, tool_step };
inline constexpr ProbeCall kProbeCalls[] = {ProbeCall::first_call, ProbeCall::longer_prompt,
                                            ProbeCall::user_step, ProbeCall::tool_step};

/// Session i is of kProbeCalls[i]. Each text has `part` tokens; the longer prompt has `more` more.
Trace probe_trace(uint32_t part, uint32_t more);

/// Of one probe: tokens of our text, by the tokenizer or the estimate, and tokens that the server
/// counted in all.
struct ProbeCount {
    double text = 0;
    double prompt = 0;
};

struct ProbeFacts {
    bool believed = false;  // else the server's counts do not follow the prompt, or it has none
    double scale = 1;       // the server's tokens per token of our text as we count it
    bool tokenizer_differs = false;  // ours is not the server's, and is not used
    TemplateCost cost = {};          // in the server's tokens
    bool tools_refused = false;  // tool calls got an error: results are sent as the user's words
    std::string tools_error = {};
};

/// From the counts of the four calls; tool_step's is that of user_step where tools were refused.
ProbeFacts probe_facts(const std::vector<ProbeCount>& counts);

}  // namespace brigada
