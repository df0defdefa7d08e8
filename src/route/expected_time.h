// Estimate: how long a call would take at one upstream, in the parts that routing can change:
// waiting for prompts before it, reading what is not cached of its own, decoding among others, and
// what it makes others read again because its KV takes the room of theirs.
#pragma once

#include <cstdint>

#include "base/time.h"
#include "route/call.h"
#include "route/upstream.h"
#include "route/upstream_load.h"

namespace brigada {

struct Estimate {
    Duration queue;
    Duration prefill;
    Duration decode;
    Duration eviction;

    Duration total() const { return queue + prefill + decode + eviction; }
};

/// What an upstream holds for a call: how much of its prompt, and how much room is left beside.
struct KvThere {
    int64_t cached_tokens = 0;
    int64_t free_tokens = INT64_MAX;
};

Estimate expected_time(const Call& call, const UpstreamFacts& facts, const UpstreamLoad& load,
                       const KvThere& kv, Instant now);

}  // namespace brigada
