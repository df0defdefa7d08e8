// generate(): a trace that was never recorded: so many people doing one kind of work for so long.
// Each session is drawn by a generator of its own, so that another user changes nobody's calls.
#pragma once

#include "base/result.h"
#include "trace/profile.h"
#include "trace/timeline.h"
#include "trace/trace.h"

namespace brigada {

struct GenerateSetup {
    uint32_t users = 0;            // each has one session after another; or:
    double sessions_per_hour = 0;  // that begin whenever they do
    double arrival_cv = 1;         // of the times between them: 1 Poisson, more: in bursts
    Duration duration = Duration::seconds(3600);
    uint32_t block_tokens = 64;
    Duration ttft = kUsualTtft;           // what answers take, so that sessions begin when the
    Duration per_token = kUsualPerToken;  // ones before them are over
    uint64_t seed = 1;
};

/// People were at work long before time 0: the trace begins in the middle of their sessions, whose
/// first prompt in it is all they had so far; no cache is warm. Sessions end with the duration.
/// Error::invalid_argument names what is wrong in the setup, ::too_large what is too much of it.
Result<Trace> generate(const Profile& profile, const GenerateSetup& setup);

}  // namespace brigada
