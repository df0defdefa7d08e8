// StepShape: what one step of an engine has to do, as far as its time depends on it. The
// scheduler's plan says who computes what; this is the sum.
#pragma once

#include <cstdint>

namespace brigada {

struct StepShape {
    uint32_t decodes = 0;         // sequences that compute their newest token
    uint32_t decode_width = 1;    // tokens of each of those: with drafts that are verified
    uint64_t decode_context = 0;  // tokens of KV that they read, together
    uint32_t chunks = 0;          // prompts of which a slice is read
    uint64_t chunk_tokens = 0;    // tokens of those slices, together
    uint64_t chunk_context = 0;   // tokens of KV that the slices read: each its own positions' once
    uint64_t chunk_pairs = 0;     // (query, key) pairs: for each token of a slice all up to itself

    uint64_t decode_tokens() const { return uint64_t{decodes} * decode_width; }
    uint64_t tokens() const { return decode_tokens() + chunk_tokens; }
    uint32_t sequences() const { return decodes + chunks; }

    void add_decode(uint64_t context) {
        ++decodes;
        decode_context += context;
    }

    /// Positions [first, first + count) of a prompt.
    void add_chunk(uint64_t first, uint64_t count) {
        ++chunks;
        chunk_tokens += count;
        chunk_context += first + count;
        chunk_pairs += count * first + count * (count + 1) / 2;
    }

    bool operator==(const StepShape&) const = default;
};

}  // namespace brigada
