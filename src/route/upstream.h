// Upstream: one server a call can go to. UpstreamFacts is what the shell knows of it beforehand;
// UpstreamLoad (upstream_load.h) is what happens on it now.
#pragma once

#include <cstdint>

#include "base/time.h"

namespace brigada {

enum class UpstreamId : uint32_t {};

/// What tokens cost, in pico-dollars each (3e-06 dollars per token are 3,000,000).
struct UpstreamRates {
    int64_t input_pico = 0;
    int64_t cached_input_pico = 0;
    int64_t output_pico = 0;
};

struct UpstreamFacts {
    uint64_t name = 0;    // the same in every gateway replica: a hash of its address, not its index
    uint32_t weight = 1;  // its share of calls, relative to the others'; at least 1
    int64_t prefill_tokens_per_s = 8'000;
    Duration decode_per_token = Duration::milliseconds(20);  // a step with one sequence
    Duration decode_per_peer = Duration::microseconds(500);  // what each further one adds to it
    uint32_t max_concurrent = 0;                             // calls; 0: no limit
    uint32_t kv_blocks = 0;  // KV that stays between calls; 0: nothing is remembered
    UpstreamRates rates = {};
};

/// How long `tokens` of a prompt take to read there.
constexpr Duration reading_time(const UpstreamFacts& facts, int64_t tokens) {
    constexpr int64_t kSecond = 1'000'000'000;
    const int64_t rate = facts.prefill_tokens_per_s;
    return Duration::nanoseconds(tokens / rate * kSecond + tokens % rate * kSecond / rate);
}

}  // namespace brigada
