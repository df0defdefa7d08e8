#include "kv/prefix_tree.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/rng.h"

namespace brigada {
namespace {

constexpr uint32_t kBlocks = 24;

/// A list of blocks with what the order of eviction depends on.
struct NaiveTree {
    struct Block {
        std::optional<BlockId> parent;
        uint32_t depth = 0;
        uint32_t locks = 0;
        uint64_t last_used = 0;
        uint8_t priority = kPriorityDefault;
        Instant expiry = Instant::never();
    };
    std::map<BlockId, Block> blocks;

    std::vector<BlockId> path(BlockId block) const {  // root first
        std::vector<BlockId> up;
        for (std::optional at = block; at; at = blocks.at(*at).parent)
            up.push_back(*at);
        std::ranges::reverse(up);
        return up;
    }

    std::optional<BlockId> victim() const {
        std::optional<BlockId> worst;
        const auto rank = [&](BlockId b) {
            const Block& block = blocks.at(b);
            return std::tuple(block.priority, block.last_used, -int64_t{block.depth}, b);
        };
        for (const auto& [id, block] : blocks) {
            const bool has_child = std::ranges::any_of(
                blocks, [&](const auto& other) { return other.second.parent == id; });
            if (has_child || block.locks > 0) continue;
            if (!worst || rank(id) < rank(*worst)) worst = id;
        }
        return worst;
    }
};

/// One session throughout, so that no block counts as shared: that is tested with the books.
class TreeAndModel {
  public:
    explicit TreeAndModel(uint64_t seed) : rng_(seed) {
        scope_ = tree_.open_scope("", "");
        for (uint32_t i = 0; i < kBlocks; ++i)
            free_.push_back(BlockId{i});
    }

    void step() {
        now_ = now_ + Duration::seconds(1);
        tree_.begin_step(now_);
        ++step_;
        for (auto& [id, block] : model_.blocks) {
            if (block.expiry > now_) continue;
            block.expiry = Instant::never();
            block.priority = kPriorityDefault;
        }
        switch (rng_.below(4)) {
            case 0:
                grow();
                break;
            case 1:
                lock();
                break;
            case 2:
                unlock();
                break;
            case 3:
                hint();
                break;
        }
        if (rng_.chance(0.4)) evict();
        tree_.check();
        for (const auto& [id, block] : model_.blocks) {
            ASSERT_EQ(tree_.locks(id), block.locks);
            ASSERT_EQ(tree_.priority(id), block.priority);
        }
    }

    uint64_t evictions = 0;

  private:
    BlockId any() {
        return std::next(model_.blocks.begin(), int64_t(rng_.below(model_.blocks.size())))->first;
    }

    void grow() {
        if (free_.empty()) return;
        std::optional<BlockId> parent;
        if (!model_.blocks.empty() && rng_.chance(0.8)) parent = any();
        if (parent) lock_path(*parent);
        const BlockId block = free_.back();
        const TokenId fresh[] = {TokenId{next_token_++}, TokenId{0}};
        ASSERT_EQ(tree_.insert(scope_, parent, fresh, block, SessionId{7}), block);
        free_.pop_back();
        const uint32_t depth = parent ? model_.blocks.at(*parent).depth + 1 : 0;
        model_.blocks[block] = {parent, depth, 1, step_};
        held_.push_back(block);
    }

    void lock_path(BlockId tip) {
        tree_.lock(tip, SessionId{7});
        for (const BlockId block : model_.path(tip)) {
            ++model_.blocks[block].locks;
            model_.blocks[block].last_used = step_;
        }
    }

    void lock() {
        if (model_.blocks.empty()) return;
        const BlockId tip = any();
        lock_path(tip);
        held_.push_back(tip);
    }

    void unlock() {
        if (held_.empty()) return;
        const size_t which = rng_.below(held_.size());
        const BlockId tip = held_[which];
        held_.erase(held_.begin() + ptrdiff_t(which));
        tree_.unlock(tip);
        for (const BlockId block : model_.path(tip))
            if (--model_.blocks[block].locks == 0) model_.blocks[block].last_used = step_;
    }

    void hint() {
        if (model_.blocks.empty()) return;
        const BlockId block = any();
        auto& known = model_.blocks[block];
        const auto priority = static_cast<uint8_t>(rng_.below(kPriorityMax + 1));
        const Instant expiry = now_ + Duration::seconds(rng_.between(1, 30));
        const bool first = rng_.chance(0.5);
        if (first)
            tree_.assign(std::span(&block, 1), priority, expiry);
        else
            tree_.retain(std::span(&block, 1), priority, expiry);
        const bool holds =
            first || std::pair(priority, expiry) > std::pair(known.priority, known.expiry);
        if (holds) std::tie(known.priority, known.expiry) = std::pair(priority, expiry);
    }

    void evict() {
        const auto expected = model_.victim();
        const auto evicted = tree_.evict();
        ASSERT_EQ(evicted.has_value(), expected.has_value());
        if (!evicted) return;
        ASSERT_EQ(evicted->block, *expected);
        model_.blocks.erase(*expected);
        free_.push_back(*expected);
        ++evictions;
    }

    Rng rng_;
    PrefixTree tree_{kBlocks, 2};
    NaiveTree model_;
    KvScopeId scope_{};
    Instant now_;
    uint64_t step_ = 0;
    uint32_t next_token_ = 1;
    std::vector<BlockId> free_;
    std::vector<BlockId> held_;  // tips of locked paths
};

TEST(PrefixTree, evicts_what_sorting_all_open_leaves_would_evict) {
    uint64_t evictions = 0;
    for (uint64_t seed = 0; seed < 30; ++seed) {
        SCOPED_TRACE(seed);
        TreeAndModel both(seed);
        for (int i = 0; i < 500; ++i) {
            both.step();
            if (testing::Test::HasFatalFailure()) return;
        }
        evictions += both.evictions;
    }
    EXPECT_GT(evictions, 500u);
}

TEST(PrefixTree, forgets_a_scope_when_nothing_refers_to_it) {
    PrefixTree tree(4, 1);
    const TokenId token[] = {TokenId{5}};
    for (int i = 0; i < 100; ++i) {
        const std::string salt = std::to_string(i);
        const KvScopeId scope = tree.open_scope(salt, "");
        EXPECT_EQ(tree.open_scope(salt, ""), scope);
        tree.insert(scope, std::nullopt, token, BlockId{0}, SessionId{});
        tree.unlock(BlockId{0});
        tree.close_scope(scope);
        tree.close_scope(scope);
        EXPECT_EQ(tree.find_scope(salt, ""), scope) << "a cached block still needs it";
        tree.check();
        tree.evict();
        EXPECT_EQ(tree.find_scope(salt, ""), std::nullopt);
        EXPECT_EQ(tree.scopes(), 0u);
    }
}

TEST(PrefixTree, notices_that_a_cursors_block_has_another_life) {
    PrefixTree tree(1, 1);
    const KvScopeId scope = tree.open_scope("", "");
    const TokenId first[] = {TokenId{1}, TokenId{3}};
    const TokenId second[] = {TokenId{2}, TokenId{3}};
    KvCursor cursor;
    tree.insert(scope, std::nullopt, std::span(first).first(1), BlockId{0}, SessionId{});
    EXPECT_EQ(tree.match_on(scope, first, 2, cursor), 1u);
    tree.unlock(BlockId{0});
    tree.evict();
    tree.insert(scope, std::nullopt, std::span(second).first(1), BlockId{0}, SessionId{});
    EXPECT_EQ(tree.match_on(scope, first, 2, cursor), 0u);
}

TEST(PrefixTreeDeathTest, refuses_to_remove_what_is_locked) {
    PrefixTree tree(1, 1);
    const TokenId token[] = {TokenId{1}};
    tree.insert(tree.open_scope("", ""), std::nullopt, token, BlockId{0}, SessionId{});
    EXPECT_DEATH(tree.remove(BlockId{0}), "is_open_leaf");
}

}  // namespace
}  // namespace brigada
