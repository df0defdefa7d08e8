// PrefixTree against the same rules kept block by block: sessions that extend, branch, share and
// leave behind what they have. The tree writes blocks of one fate down as runs; nobody may notice.
#include <algorithm>
#include <map>
#include <tuple>

#include "base/rng.h"
#include "kv/prefix_tree.h"

namespace brigada {
namespace {

constexpr uint32_t kBlocks = 40;

/// Every block alone, and everything that happens to it.
class NaiveTree {
  public:
    explicit NaiveTree(RetentionPolicy retention) : retention_(retention) {}

    struct Block {
        std::optional<BlockId> parent;
        uint32_t name = 0;  // its token
        uint32_t depth = 0;
        uint32_t locks = 0;
        uint64_t last_used = 0;
        SessionId session{};
        uint8_t priority = kPriorityDefault;
        bool shared = false;
        bool superseded = false;
        Instant expiry = Instant::never();
    };
    std::map<BlockId, Block> blocks;
    std::map<SessionId, BlockId> tips;

    void begin_step(Instant now) {
        ++step_;
        now_ = now;
        for (auto& [id, block] : blocks) {
            if (block.expiry > now) continue;
            block.expiry = Instant::never();
            block.priority = kPriorityDefault;
        }
    }

    std::vector<BlockId> path(std::optional<BlockId> tip) const {  // root first
        std::vector<BlockId> up;
        for (; tip; tip = blocks.at(*tip).parent)
            up.push_back(*tip);
        std::ranges::reverse(up);
        return up;
    }

    std::optional<BlockId> child(std::optional<BlockId> parent, uint32_t name) const {
        for (const auto& [id, block] : blocks)
            if (block.parent == parent && block.name == name) return id;
        return std::nullopt;
    }

    size_t children(BlockId parent) const {
        return static_cast<size_t>(std::ranges::count_if(
            blocks, [&](const auto& other) { return other.second.parent == parent; }));
    }

    void insert(std::optional<BlockId> parent, uint32_t name, BlockId id, SessionId session) {
        Block added{.parent = parent, .name = name, .locks = 1, .last_used = step_};
        added.depth = parent ? blocks.at(*parent).depth + 1 : 0;
        added.session = session;
        blocks[id] = added;
        if (!parent || children(*parent) < 2 || blocks.at(*parent).session != SessionId{}) return;
        for (std::optional at = parent; at && !blocks.at(*at).shared; at = blocks.at(*at).parent) {
            blocks.at(*at).shared = true;
            retain(*at, kPriorityShared, now_ + kSharedFor);
        }
    }

    void lock_one(BlockId id, SessionId session) {
        Block& block = blocks.at(id);
        ++block.locks;
        if (block.session != SessionId{} && block.session != session) {
            move_tip_up(block.session, id);
            block.session = SessionId{};
        }
        if (block.superseded) {
            block.superseded = false;
            block.priority = kPriorityDefault;
        }
        if (block.shared) retain(id, kPriorityShared, now_ + kSharedFor);
    }

    void unlock(BlockId tip) {
        for (const BlockId id : path(tip))
            if (--blocks.at(id).locks == 0) blocks.at(id).last_used = step_;
    }

    void assign(BlockId id, uint8_t priority, Instant expiry) {
        if (retention_ == RetentionPolicy::lru) return;
        Block& block = blocks.at(id);
        std::tie(block.priority, block.expiry, block.superseded) =
            std::tuple(priority, expiry, false);
    }

    void retain(BlockId id, uint8_t priority, Instant expiry) {
        const Block& block = blocks.at(id);
        if (std::pair(priority, expiry) > std::pair(block.priority, block.expiry))
            assign(id, priority, expiry);
    }

    uint32_t supersede(SessionId session, BlockId newest) {
        if (session == SessionId{} || retention_ == RetentionPolicy::lru) return 0;
        const bool newest_is_own = blocks.at(newest).session == session;
        const auto tip = tips.find(session);
        if (tip == tips.end()) {
            if (newest_is_own) tips[session] = newest;
            return 0;
        }
        const auto older = path(tip->second);
        const auto newer = path(newest);
        const auto part = std::ranges::mismatch(older, newer).in1 - older.begin();
        const auto common = static_cast<size_t>(part);
        const bool extends = common * 2 >= older.size();
        if (newest_is_own && (extends || newer.size() > older.size())) tip->second = newest;
        uint32_t demoted = 0;
        for (size_t i = older.size(); extends && i > common; --i) {
            Block& block = blocks.at(older[i - 1]);
            if (block.session != session) break;
            if (block.locks > 0 || block.superseded || block.priority != kPriorityDefault) continue;
            block.superseded = true;
            block.expiry = Instant::never();
            block.priority = kPrioritySuperseded;
            ++demoted;
        }
        return demoted;
    }

    std::optional<BlockId> evict() {
        std::optional<BlockId> worst;
        const auto rank = [&](BlockId id) {
            const Block& block = blocks.at(id);
            return std::tuple(block.priority, block.last_used, -int64_t{block.depth}, id);
        };
        for (const auto& [id, block] : blocks)
            if (block.locks == 0 && children(id) == 0 && (!worst || rank(id) < rank(*worst)))
                worst = id;
        if (!worst) return std::nullopt;
        move_tip_up(blocks.at(*worst).session, *worst);
        blocks.erase(*worst);
        return worst;
    }

  private:
    void move_tip_up(SessionId session, BlockId id) {
        const auto tip = tips.find(session);
        if (tip == tips.end() || tip->second != id) return;
        const auto parent = blocks.at(id).parent;
        if (parent && blocks.at(*parent).session == session)
            tip->second = *parent;
        else
            tips.erase(tip);
    }

    RetentionPolicy retention_;
    uint64_t step_ = 0;
    Instant now_;
};

class TreeAndModel {
  public:
    TreeAndModel(uint64_t seed, RetentionPolicy retention)
        : rng_(seed),
          tree_(kBlocks, 1, retention),
          model_(retention),
          scope_(tree_.open_scope("", "")) {
        for (uint32_t i = 0; i < kBlocks; ++i)
            free_.push_back(BlockId{i});
    }

    void step() {
        now_ = now_ + Duration::seconds(rng_.between(0, 60));
        tree_.begin_step(now_);
        model_.begin_step(now_);
        const uint64_t what = rng_.below(10);
        if (what < 3 && open_.size() < 5) begin();
        if (what < 7) extend();
        if (what == 7) fork();
        if (what == 8) hint();
        if (what >= 6) end();
        if (rng_.chance(0.2)) evict();
        compare();
    }

    uint64_t evictions = 0;
    uint64_t demoted = 0;

  private:
    struct Open {
        std::optional<BlockId> tip;
        SessionId session{};
    };

    /// A call of one of four sessions, or of none, whose prompt begins like something that is here.
    void begin() {
        Open open{std::nullopt, SessionId{rng_.below(5)}};
        while (rng_.chance(0.85)) {
            const auto next = model_.child(open.tip, static_cast<uint32_t>(rng_.below(3)));
            if (next) open.tip = next;
        }
        if (open.tip) {
            tree_.lock(*open.tip, open.session);
            for (const BlockId id : model_.path(open.tip))
                model_.lock_one(id, open.session);
        }
        open_.push_back(open);
    }

    void extend() {
        if (open_.empty()) return;
        Open& open = open_[rng_.below(open_.size())];
        for (int64_t n = rng_.between(1, 4); n > 0; --n) {
            if (free_.empty()) evict();
            if (free_.empty()) return;
            const auto name = static_cast<uint32_t>(rng_.below(3));
            const TokenId token[] = {TokenId{name}};
            const BlockId own = free_.back();
            const auto there = model_.child(open.tip, name);
            ASSERT_EQ(tree_.insert(scope_, open.tip, token, own, open.session),
                      there.value_or(own));
            if (there) {
                model_.lock_one(*there, open.session);
            } else {
                model_.insert(open.tip, name, own, open.session);
                free_.pop_back();
            }
            open.tip = there.value_or(own);
        }
    }

    void fork() {
        if (open_.empty()) return;
        const Open open = open_[rng_.below(open_.size())];
        if (open.tip) {
            tree_.lock_again(*open.tip);
            for (const BlockId id : model_.path(open.tip))
                ++model_.blocks.at(id).locks;
        }
        open_.push_back(open);
    }

    void hint() {
        if (open_.empty()) return;
        const auto path = model_.path(open_[rng_.below(open_.size())].tip);
        if (path.empty()) return;
        const size_t first = rng_.below(path.size());
        const auto chain = std::span(path).subspan(first, 1 + rng_.below(path.size() - first));
        const auto priority = static_cast<uint8_t>(rng_.below(3) * 30);
        const Instant expiry = now_ + Duration::seconds(rng_.between(1, 600));
        const bool is_first = rng_.chance(0.3);
        is_first ? tree_.assign(chain, priority, expiry) : tree_.retain(chain, priority, expiry);
        for (const BlockId id : chain)
            is_first ? model_.assign(id, priority, expiry) : model_.retain(id, priority, expiry);
    }

    void end() {
        if (open_.empty()) return;
        const size_t which = rng_.below(open_.size());
        const Open open = open_[which];
        open_.erase(open_.begin() + static_cast<ptrdiff_t>(which));
        if (!open.tip) return;
        if (rng_.chance(0.8)) {
            const uint32_t expected = model_.supersede(open.session, *open.tip);
            ASSERT_EQ(tree_.supersede(open.session, *open.tip), expected);
            demoted += expected;
        }
        tree_.unlock(*open.tip);
        model_.unlock(*open.tip);
    }

    void evict() {
        const auto expected = model_.evict();
        const auto evicted = tree_.evict();
        ASSERT_EQ(evicted ? std::optional(evicted->block) : std::nullopt, expected);
        if (!expected) return;
        free_.push_back(*expected);
        ++evictions;
    }

    void compare() {
        tree_.check();
        ASSERT_EQ(tree_.blocks(), model_.blocks.size());
        uint32_t unlocked = 0;
        for (const auto& [id, block] : model_.blocks) {
            ASSERT_EQ(tree_.locks(id), block.locks);
            ASSERT_EQ(tree_.priority(id), block.priority) << raw(id);
            ASSERT_EQ(tree_.parent(id), block.parent);
            if (block.locks == 0) ++unlocked;
        }
        ASSERT_EQ(tree_.evictable_blocks(), unlocked);
    }

    Rng rng_;
    PrefixTree tree_;
    NaiveTree model_;
    KvScopeId scope_;
    Instant now_ = Instant::at_ns(1);
    std::vector<BlockId> free_;
    std::vector<Open> open_;
};

struct Happened {
    uint64_t evictions = 0;
    uint64_t demoted = 0;
};

Happened compare_both(RetentionPolicy retention) {
    Happened sum;
    for (uint64_t seed = 0; seed < 60 && !testing::Test::HasFatalFailure(); ++seed) {
        SCOPED_TRACE(seed);
        TreeAndModel both(seed, retention);
        for (int i = 0; i < 800 && !testing::Test::HasFatalFailure(); ++i)
            both.step();
        sum.evictions += both.evictions;
        sum.demoted += both.demoted;
    }
    return sum;
}

TEST(PrefixTreeModel, does_in_runs_what_every_block_alone_would_do) {
    const Happened happened = compare_both(RetentionPolicy::agents);
    EXPECT_GT(happened.evictions, 2'000u);  // what the test is about did happen
    EXPECT_GT(happened.demoted, 200u);
}

TEST(PrefixTreeModel, knows_nothing_but_recency_where_it_shall_not) {
    const Happened happened = compare_both(RetentionPolicy::lru);
    EXPECT_GT(happened.evictions, 2'000u);
    EXPECT_EQ(happened.demoted, 0u);
}

}  // namespace
}  // namespace brigada
