// EndpointProbe: asks a live endpoint the calls of a probe.
#pragma once

#include "load/call_attempt.h"
#include "load/call_request.h"
#include "load/probe.h"

namespace brigada {

/// Errors: what the endpoint answered to a plain call. `uses_tools`: whether calls of tools are
/// tried. The probe's texts are nobody else's. All outlive it.
Task<Result<ProbeFacts>> probe_endpoint(CallAttempts& attempts, const LoadTarget& target,
                                        const PromptText& text, uint32_t longest_prompt,
                                        bool uses_tools);

}  // namespace brigada
