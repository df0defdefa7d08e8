// FakeRunner: stands in for the model in tests and benchmarks. The "KV" of a position is a hash of
// the sequence's scope and all its tokens up to there, so a plan that would let attention read a
// stale, a foreign, a missing or an overwritten block is caught at that position. The next token is
// a hash too, so any schedule must give the same answers as computing each sequence alone.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/ids.h"
#include "sched/scheduler.h"

namespace brigada {

class FakeRunner {
  public:
    FakeRunner(uint32_t blocks, uint32_t block_tokens)
        : block_tokens_(block_tokens), slots_(size_t{blocks} * block_tokens, 0) {}

    /// Carries out the plan; CHECKs that every position it reads is valid.
    Outcome run(const Plan& plan, const Scheduler& scheduler) {
        for (const BlockCopy& copy : plan.copies)
            copy_block(copy);
        for (const Chunk& chunk : plan.chunks)
            expect_valid(chunk, chunk.first, scheduler);
        for (const Chunk& chunk : plan.chunks)
            write(chunk, scheduler);
        for (const Chunk& chunk : plan.chunks)  // and nobody wrote over anybody
            expect_valid(chunk, chunk.first + chunk.count, scheduler);
        return sample(plan, scheduler);
    }

    /// What `id` generates from `prompt` alone: until it stops or knows `max_tokens`.
    static Tokens generate(SequenceId id, const Tokens& prompt, size_t max_tokens) {
        Tokens tokens = prompt;
        for (bool finished = false; !finished && tokens.size() < max_tokens;) {
            const Sampled next = next_token(id, tokens);
            tokens.push_back(next.token);
            finished = next.finished;
        }
        return tokens;
    }

    static Sampled next_token(SequenceId id, std::span<const TokenId> tokens) {
        uint64_t hash = raw(id) * kOdd;
        for (const TokenId token : tokens)
            hash = extend(hash, raw(token));
        return {id, TokenId{static_cast<uint32_t>(hash >> 32) % 3}, hash % 41 == 0};
    }

  private:
    static constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;

    static uint64_t extend(uint64_t hash, uint64_t value) {
        hash = (hash ^ (value + 1)) * kOdd;
        return hash ^ (hash >> 29);
    }

    static uint64_t scope_hash(const KvScope& scope) {
        uint64_t hash = 1;
        for (const std::string_view part :
             {std::string_view(scope.salt), std::string_view(scope.lora)}) {
            for (const char c : part)
                hash = extend(hash, static_cast<unsigned char>(c));
            hash = extend(hash, 1000);
        }
        return hash;
    }

    uint64_t& slot(std::span<const BlockId> table, uint32_t position) {
        const uint32_t index = position / block_tokens_;
        CHECK(index < table.size(), "position ", position, " is not in the table");
        return slots_[size_t{raw(table[index])} * block_tokens_ + position % block_tokens_];
    }

    void copy_block(const BlockCopy& copy) {
        std::copy_n(slots_.begin() + ptrdiff_t{raw(copy.from)} * block_tokens_, block_tokens_,
                    slots_.begin() + ptrdiff_t{raw(copy.to)} * block_tokens_);
    }

    void expect_valid(const Chunk& chunk, uint32_t upto, const Scheduler& scheduler) {
        const Sequence& sequence = scheduler.sequence(chunk.sequence);
        const auto table = scheduler.table(chunk.sequence);
        uint64_t hash = scope_hash(sequence.spec.scope);
        for (uint32_t p = 0; p < upto; ++p) {
            hash = extend(hash, raw(sequence.tokens[p]));
            CHECK(slot(table, p) == hash, "sequence ", raw(chunk.sequence), " would read position ",
                  p, " from block ", raw(table[p / block_tokens_]), ", which holds something else");
        }
    }

    void write(const Chunk& chunk, const Scheduler& scheduler) {
        const Sequence& sequence = scheduler.sequence(chunk.sequence);
        const auto table = scheduler.table(chunk.sequence);
        uint64_t hash = scope_hash(sequence.spec.scope);
        for (uint32_t p = 0; p < chunk.first + chunk.count; ++p) {
            hash = extend(hash, raw(sequence.tokens[p]));
            if (p >= chunk.first) slot(table, p) = hash;
        }
    }

    static Outcome sample(const Plan& plan, const Scheduler& scheduler) {
        Outcome outcome;
        for (const Chunk& chunk : plan.chunks) {
            if (!chunk.samples) continue;
            const Sequence& sequence = scheduler.sequence(chunk.sequence);
            CHECK(chunk.forks == sequence.spec.forks.size());
            outcome.sampled.push_back(next_token(chunk.sequence, sequence.tokens));
            for (const SequenceId fork : sequence.spec.forks)
                outcome.sampled.push_back(next_token(fork, sequence.tokens));
        }
        return outcome;
    }

    uint32_t block_tokens_;
    std::vector<uint64_t> slots_;  // [block][offset]
};

}  // namespace brigada
