// Plan and Outcome: what one step computes, and what came of it. The scheduler makes the plan, the
// engine (or the simulator) carries it out and answers with the outcome.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "kv/books.h"

namespace brigada {

/// Compute positions [first, first + count) of a sequence. Its table covers them.
struct Chunk {
    SequenceId sequence{};
    uint32_t first = 0;
    uint32_t count = 0;
    bool samples = false;  // the last position's logits give the next token
    uint32_t forks = 0;    // with samples: and one for each of this many forks, born in this step
};

/// To be carried out in this order: all copies, as listed; then all chunks, at once. May be carried
/// out `steps` times in a row, each chunk one position further each time: no step in between would
/// be planned otherwise, provided that each begins before `until` and nothing is submitted or
/// cancelled meanwhile. More than 1 only if asked for, and only when all do nothing but decode.
struct Plan {
    uint64_t step = 0;  // of the first
    uint32_t steps = 1;
    Instant until = Instant::never();
    std::vector<BlockCopy> copies;
    std::vector<Chunk> chunks;          // each sequence at most once
    std::vector<SequenceId> preempted;  // back in the queue; they keep their tokens
    std::vector<SequenceId> expired;    // gone: the deadline passed before they began

    uint32_t tokens() const {
        uint32_t sum = 0;
        for (const Chunk& chunk : chunks)
            sum += chunk.count;
        return sum;
    }
    bool empty() const { return chunks.empty(); }
};

struct Sampled {
    SequenceId sequence{};
    TokenId token{};
    bool finished = false;  // EOS, stop string: the shell decides; the token still counts
};

/// One token for every chunk that samples and, where forks were born, for each fork; best in the
/// order of the chunks, forks after their parent. Where ids stand for several tokens, or of several
/// steps: as many ids of each, in order, as it begins; so it may be none.
struct Outcome {
    std::vector<Sampled> sampled;
    uint32_t steps = 1;  // how often the plan was carried out
};

enum class Finish {
    stop,    // the shell said so
    length,  // max_new_tokens or the context limit reached
};

struct Finished {
    SequenceId sequence{};
    Finish reason = Finish::stop;
    KvCursor cursor;  // for SequenceSpec::cursor of a sequence that goes on from here
};

}  // namespace brigada
