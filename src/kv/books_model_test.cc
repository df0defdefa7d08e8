// KvBooks against models too simple to be wrong: a list of everything computed, and a mirror that
// believes only the events.
#include <algorithm>
#include <map>
#include <set>

#include "base/rng.h"
#include "kv/books.h"

namespace brigada {
namespace {

/// Two tokens only: prefixes collide often.
Tokens random_prompt(Rng& rng, int64_t most) {
    Tokens tokens;
    for (int64_t n = rng.between(1, most); n > 0; --n)
        tokens.push_back(TokenId{uint32_t(rng.below(2))});
    return tokens;
}

uint32_t longest_shared_prefix(const std::vector<Tokens>& seen, const Tokens& prompt) {
    size_t longest = 0;
    for (const Tokens& one : seen) {
        const auto first_difference = std::ranges::mismatch(one, prompt).in2;
        longest = std::max<size_t>(longest, size_t(first_difference - prompt.begin()));
    }
    return static_cast<uint32_t>(longest);
}

TEST(BooksModel, finds_what_remembering_everything_finds) {
    for (uint64_t seed = 0; seed < 60; ++seed) {
        SCOPED_TRACE(seed);
        Rng rng(seed);
        const auto block = static_cast<uint32_t>(rng.between(1, 5));
        KvBooks books({.blocks = 2'000, .block_tokens = block});
        std::vector<Tokens> seen;
        for (uint64_t i = 1; i <= 40; ++i) {
            const Tokens prompt = random_prompt(rng, 40);
            const auto size = static_cast<uint32_t>(prompt.size());
            const uint32_t shared = std::min(longest_shared_prefix(seen, prompt), size - 1);
            const Hit hit = books.begin(SequenceId{i}, prompt, {});
            ASSERT_EQ(hit.cached_tokens, shared / block * block);
            ASSERT_TRUE(books.grow(SequenceId{i}, size));
            const auto upto = static_cast<uint32_t>(rng.between(hit.cached_tokens, size));
            books.computed(SequenceId{i}, prompt, upto);
            books.release(SequenceId{i}, true);
            seen.emplace_back(prompt.begin(), prompt.begin() + upto / block * block);
            books.check();
        }
    }
}

/// Knows the cache from its events alone.
struct Mirror {
    explicit Mirror(uint32_t tokens) : block_tokens(tokens) {}

    uint32_t block_tokens;
    std::map<BlockKey, std::optional<BlockKey>> parents;
    uint64_t stored = 0;

    void take(const std::vector<KvEvent>& events) {
        for (const KvEvent& event : events) {
            if (std::holds_alternative<KvCleared>(event)) parents.clear();
            if (const auto* added = std::get_if<KvStored>(&event)) add(*added);
            if (const auto* gone = std::get_if<KvRemoved>(&event))
                for (const BlockKey key : gone->keys)
                    ASSERT_EQ(parents.erase(key), 1u);
        }
    }

    void add(const KvStored& event) {
        ASSERT_EQ(event.tokens.size(), event.keys.size() * block_tokens);
        ASSERT_EQ(event.keys, block_keys(event.tokens, block_tokens, event.parent));
        std::optional<BlockKey> parent = event.parent;
        for (const BlockKey key : event.keys) {
            ASSERT_TRUE(parents.emplace(key, parent).second) << "stored twice";
            parent = key;
            ++stored;
        }
    }

    uint32_t longest(const Tokens& prompt, std::optional<BlockKey> root) const {
        uint32_t blocks = 0;
        for (const BlockKey key : block_keys(prompt, block_tokens, root)) {
            if (!parents.contains(key)) break;
            ++blocks;
        }
        return blocks * block_tokens;
    }
};

/// Random sequences in too few blocks. With `event_blocks` too small the log overflows on and on.
class Churn {
  public:
    Churn(uint64_t seed, uint32_t event_blocks)
        : rng_(seed), books_({30, kBlock, 64, event_blocks}), mirror_(kBlock) {}

    void step() {
        now_ = now_ + Duration::seconds(rng_.between(0, 200));
        books_.begin_step(now_);
        const uint64_t what = rng_.below(10);
        if (what < 4 && open_.size() < 6) begin();
        if (what < 8) advance();
        if (what == 8) fork();
        if (what > 6) release();
        if (rng_.chance(0.5)) compare();
        books_.check();
    }

    uint64_t evicted() const { return books_.stats().evicted_blocks; }
    uint64_t copied() const { return books_.stats().copied_blocks; }
    const Mirror& mirror() const { return mirror_; }

  private:
    static constexpr uint32_t kBlock = 3;

    struct Open {
        Tokens tokens;
        uint32_t computed = 0;
        KvScope scope;
        std::vector<BlockId> blocks;
    };

    KvScope random_scope() {
        return {rng_.chance(0.3) ? "salt" : "", rng_.chance(0.2) ? "lora" : "",
                SessionId{rng_.below(4)}};
    }

    void begin() {
        const SequenceId id{next_++};
        Open open{random_prompt(rng_, 24), 0, random_scope(), {}};
        const int64_t priority = rng_.between(0, kPriorityMax);
        Retention retention{{{2, 9, uint8_t(priority), Duration::seconds(rng_.between(1, 900))}}};
        if (rng_.chance(0.5)) retention = {};
        const uint32_t looked_up = lookup(open.tokens, open.scope);
        const Hit hit = books_.begin(id, open.tokens, open.scope, retention);
        ASSERT_EQ(hit.cached_tokens, looked_up);
        open.computed = hit.cached_tokens;
        open_.emplace(id, open);
    }

    auto any() { return std::next(open_.begin(), int64_t(rng_.below(open_.size()))); }

    void advance() {
        if (open_.empty()) return;
        auto& [id, open] = *any();
        const auto size = static_cast<uint32_t>(open.tokens.size());
        const auto upto = static_cast<uint32_t>(rng_.between(open.computed, size));
        const uint32_t available = books_.available_blocks();
        const uint32_t needed = books_.blocks_to_grow(id, upto);
        ASSERT_EQ(books_.grow(id, upto), needed <= available);
        if (needed > available) return;
        ASSERT_EQ(books_.available_blocks(), available - needed);
        for (const BlockCopy& copy : books_.take_copies())
            ASSERT_NE(copy.from, copy.to);
        books_.computed(id, open.tokens, upto);
        open.computed = upto;
        if (upto == size) open.tokens.push_back(TokenId{uint32_t(rng_.below(2))});
    }

    void fork() {
        if (open_.empty()) return;
        const auto& [id, open] = *any();
        const SequenceId child{next_++};
        books_.fork(id, child);
        open_.emplace(child, Open(open));
    }

    void release() {
        if (open_.empty()) return;
        const auto place = any();
        books_.release(place->first, rng_.chance(0.8), rng_.chance(0.5));
        open_.erase(place);
    }

    uint32_t lookup(const Tokens& prompt, const KvScope& scope) {
        KvCursor fresh;
        const uint32_t found = books_.lookup(prompt, scope, fresh);
        EXPECT_EQ(books_.lookup(prompt, scope, cursors_[{scope.salt, scope.lora, prompt}]), found)
            << "going on from an old cursor finds something else";
        return found;
    }

    void compare() {
        mirror_.take(books_.drain_events());
        ASSERT_EQ(mirror_.parents.size(), books_.cached_blocks());
        for (int i = 0; i < 5; ++i) {
            const Tokens prompt = random_prompt(rng_, 8);
            const KvScope scope = random_scope();
            const uint32_t most = static_cast<uint32_t>(prompt.size() - 1) / kBlock * kBlock;
            ASSERT_EQ(lookup(prompt, scope),
                      std::min(most, mirror_.longest(prompt, scope_key(scope.salt, scope.lora))));
        }
    }

    Rng rng_;
    KvBooks books_;
    Mirror mirror_;
    Instant now_;
    uint64_t next_ = 1;
    std::map<SequenceId, Open> open_;
    std::map<std::tuple<std::string, std::string, Tokens>, KvCursor> cursors_;
};

TEST(BooksModel, is_what_its_events_say_through_evictions_forks_and_overflows) {
    uint64_t evicted = 0;
    uint64_t copied = 0;
    uint64_t stored = 0;
    for (const uint32_t event_blocks : {1'000u, 6u}) {
        for (uint64_t seed = 0; seed < 10; ++seed) {
            SCOPED_TRACE(testing::Message() << "seed " << seed << ", log of " << event_blocks);
            Churn churn(seed, event_blocks);
            for (int i = 0; i < 1'000 && !testing::Test::HasFatalFailure(); ++i)
                churn.step();
            if (testing::Test::HasFatalFailure()) return;
            evicted += churn.evicted();
            copied += churn.copied();
            stored += churn.mirror().stored;
        }
    }
    EXPECT_GT(evicted, 1'000u);  // what the test is about did happen
    EXPECT_GT(copied, 100u);
    EXPECT_GT(stored, 1'000u);
}

}  // namespace
}  // namespace brigada
