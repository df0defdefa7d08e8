// Retention: how long parts of a sequence deserve to stay cached after it ends. All blocks of a
// lower priority go before any of the next; inside one priority the least recently used goes first.
// After its duration a hint lapses and the block is ordinary again (TensorRT-LLM's semantics).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace brigada {

/// Which blocks go first when room is needed.
enum class RetentionPolicy : uint8_t {
    agents,  // as above, by a policy that knows agents (below)
    lru,     // what was used longest ago, whatever it is, as in vLLM and SGLang: hints do nothing
};

std::string_view to_string(RetentionPolicy policy);
/// Error::invalid_argument has the names.
Result<RetentionPolicy> retention_named(std::string_view name);

inline constexpr uint8_t kPriorityMax = 100;
inline constexpr uint8_t kPriorityDefault = 35;

// The policy that knows agents. An agent's next call extends its last one, so the end of
// a turn is kept at the ordinary level while the state that a newer turn of the same session left
// behind is the first to go. What several conversations share (system prompt, tools) costs all of
// them when lost, so a junction, a block with two continuations, and everything before it rises a
// level while it is in use. What is system and tools gets no more than that: to hold each session's
// for an hour cost recorded sessions up to four points of what they found (docs/benchmarks.md).
inline constexpr uint8_t kPrioritySuperseded = 10;
inline constexpr uint8_t kPriorityShared = 50;

// Measured agent sessions pause 5 minutes or less between calls in all but a few cases (90 % of
// reuse survives a 5-minute cache); three times that keeps a shared prefix through a coffee break.
inline constexpr Duration kSharedFor = Duration::seconds(15 * 60);

/// A hint for the blocks that touch positions [first, last) of a sequence.
struct RetentionRange {
    uint32_t first = 0;
    uint32_t last = 0;
    uint8_t priority = kPriorityDefault;  // 0..kPriorityMax
    Duration duration = Duration::max();  // from the step that computed or found the block
};

/// The hints of one sequence. A position under no range has the default priority; where ranges
/// overlap, and where another sequence already gave a hint, the higher priority holds.
struct Retention {
    std::vector<RetentionRange> ranges;
};

}  // namespace brigada
