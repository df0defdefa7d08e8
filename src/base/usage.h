// Usage: the tokens of one call, in the parts that are priced apart.
#pragma once

#include <cstdint>

namespace brigada {

/// The three input parts partition the prompt: a token is in exactly one of them.
struct Usage {
    int64_t input = 0;         // prompt tokens read anew and not written to a cache that costs
    int64_t cached_input = 0;  // prompt tokens whose KV was found
    int64_t cache_write = 0;   // prompt tokens written to a cache at a price of their own
    int64_t output = 0;        // generated tokens, reasoning included

    constexpr int64_t prompt() const { return input + cached_input + cache_write; }
    constexpr int64_t total() const { return prompt() + output; }

    bool operator==(const Usage&) const = default;
};

}  // namespace brigada
