// DeclaredWorkload: a trace made of a few numbers, for whoever has none: sessions of so many calls,
// each prompt the one before plus its answer plus something new.
#pragma once

#include "base/result.h"
#include "trace/trace.h"

namespace brigada {

struct DeclaredWorkload {
    uint32_t sessions = 64;          // different ones; players begin anew after the last
    uint32_t calls = 1;              // of each session
    uint32_t prompt_tokens = 1'024;  // of its first prompt
    uint32_t shared_prefix = 0;      // of those: the same in all sessions, as the system's prompt
    uint32_t turn_tokens = 256;      // that each later prompt adds, beside the answer before it
    uint32_t output_tokens = 128;
    Duration gap = {};  // from an answer to the next call
    bool tools = true;  // later calls bring results of tools, else the user's words
    double spread = 0;  // of all these but the shared prefix: coefficient of variation
    uint64_t seed = 1;
};

/// Error::invalid_argument for numbers that contradict each other or are 0.
Result<Trace> declared_trace(const DeclaredWorkload& workload);

}  // namespace brigada
