// Traces at random, right ones: sessions that share beginnings, branch, shrink and have sub-agents.
#pragma once

#include <algorithm>

#include "base/concat.h"
#include "base/rng.h"
#include "trace/trace_builder.h"

namespace brigada {

inline TraceSession random_session(TraceBuilder& trace, Rng& rng, uint64_t number) {
    const uint32_t block = trace.block_tokens();
    TraceSession out{.name = concat("s", number),
                     .start = Instant::at_ns(rng.between(0, 1000) * 1'000'000'000),
                     .system_tokens = static_cast<uint32_t>(rng.below(3)) * block};
    PromptChain prompt;
    const uint64_t calls = 1 + rng.below(6);
    for (uint64_t i = 0; i < calls; ++i) {
        const uint32_t kept = i == 0 ? 0 : static_cast<uint32_t>(rng.below(prompt.blocks() + 1));
        TraceCall call{.gap = Duration::milliseconds(i == 0 ? 0 : rng.between(0, 9000)),
                       .model = trace.model(rng.chance(0.5) ? "a" : "b"),
                       .prompt_tokens = (kept + 1) * block + uint32_t(rng.below(4 * block)),
                       .output_tokens = 1 + uint32_t(rng.below(500)),
                       .user = i == 0 || rng.chance(0.4),
                       .recorded_time = Duration::milliseconds(rng.between(1, 9000))};
        if (i > 0) prompt.keep(std::min(kept, out.calls.back().prompt_tokens / block));
        while (prompt.blocks() < call.prompt_tokens / block)
            prompt.add(trace.names().shared(prompt.last(), rng.below(3)));
        if (call.prompt_tokens % block != 0) prompt.add(trace.names().fresh(1));
        prompt.end(call);
        out.calls.push_back(std::move(call));
    }
    return out;
}

inline Trace random_trace(uint64_t seed, uint32_t block_tokens) {
    Rng rng(seed);
    TraceBuilder builder;
    builder.set_block_tokens(block_tokens).value();
    const uint64_t sessions = 1 + rng.below(8);
    for (uint64_t i = 0; i < sessions; ++i) {
        const auto parent = static_cast<uint32_t>(rng.below(i + 1));
        TraceSession session = random_session(builder, rng, i);
        if (parent < i && rng.chance(0.3) && !builder.session(parent).parent) {
            const auto call = uint32_t(rng.below(builder.session(parent).calls.size()));
            session.parent = ParentCall{parent, call};
            session.start = Instant::at_ns(rng.between(0, 3) * 1'000'000'000);
        }
        builder.add(std::move(session));
    }
    return std::move(builder).finish(concat("random ", seed));
}

}  // namespace brigada
