#include "route/expected_time.h"

#include <algorithm>

namespace brigada {
namespace {

// Of the KV that makes room, so much is missed later: that used longest ago goes first, and much of
// it belongs to sessions that are over.
constexpr int64_t kMissedPerMille = 500;

}  // namespace

// Every call that runs there decodes with this one for most of its time, also those that still
// read; prompts are read one after the other, as chunked prefill with a token budget does.
Estimate expected_time(const Call& call, const UpstreamFacts& facts, const UpstreamLoad& load,
                       const KvThere& kv, Instant now) {
    const int64_t pending = load.pending_tokens_at(now, facts.prefill_tokens_per_s);
    const int64_t uncached = call.prompt_tokens - kv.cached_tokens;
    const int64_t evicted = uncached - std::min(uncached, kv.free_tokens);
    const Duration step = facts.decode_per_token + facts.decode_per_peer * load.calls();
    return {.queue = reading_time(facts, pending),
            .prefill = reading_time(facts, uncached),
            .decode = step * call.output_tokens,
            .eviction = reading_time(facts, evicted) * kMissedPerMille / 1000};
}

}  // namespace brigada
