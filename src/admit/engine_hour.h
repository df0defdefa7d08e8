// EngineHour: what the tokens of an engine of one's own cost, from what an hour of it costs and how
// many tokens it handles in one. A second is paid once, so that reading or writing a token costs
// the part of a second it takes:
//
//   second = hour / 3600 / busy share       idle seconds are paid by those that work
//   input  = second / prefill tokens per second
//   output = second / decode tokens per second
//   cached = input x cached share           it is not read anew, but it holds memory
#pragma once

#include <cstdint>

#include "base/money.h"
#include "base/token_rates.h"

namespace brigada {

/// How many tokens an engine handles in a second in which it does nothing else, all sequences
/// together.
struct Throughput {
    int64_t prefill_tokens_per_s = 0;
    int64_t decode_tokens_per_s = 0;

    friend bool operator==(const Throughput&, const Throughput&) = default;
};

struct EngineHour {
    Money price = {};               // of all its GPUs
    int64_t busy_permille = 1'000;  // of the hours that are paid; at least 1
    int64_t cached_permille = 100;  // of the price of input

    friend bool operator==(const EngineHour&, const EngineHour&) = default;
};

/// Rounded half up to a pico-dollar, and at most what int64 holds. Nothing of `throughput` is 0.
TokenRates rates_of(const EngineHour& hour, const Throughput& throughput);

/// Pico-dollars of a second in which it works.
int64_t second_of(const EngineHour& hour);

}  // namespace brigada
