#include "admit/replica_share.h"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>

#include "admit/fake_shared_books.h"
#include "admit/limiter.h"
#include "base/concat.h"
#include "base/rng.h"

namespace brigada {
namespace {

constexpr Duration kPatience = Duration::milliseconds(100);

Instant at(int64_t ms) {
    return Instant::at_ns(ms * 1'000'000);
}

// --- rules --------------------------------------------------------------------------------------

TEST(ReplicaShare, a_new_replica_waits_until_its_share_is_surely_free) {
    ReplicaShare share(3, kPatience, at(0));
    ASSERT_TRUE(share.alone());
    EXPECT_EQ(share.alone()->cap(100, 0, at(64'099)), 0);
    EXPECT_EQ(share.alone()->cap(100, 0, at(64'100)), 33);
    share.check();
}

TEST(ReplicaShare, one_that_lost_the_others_goes_on_with_what_it_had) {
    ReplicaShare share(4, kPatience, at(0));
    share.joining(at(1'000));
    EXPECT_FALSE(share.alone());
    share.sent(at(5'000));
    share.lost();
    ASSERT_TRUE(share.alone());
    EXPECT_EQ(share.alone()->lost, at(5'200)) << "what leaves before has perhaps left there, too";
    EXPECT_EQ(share.alone()->cap(100, 7, at(5'200)), 7);
    EXPECT_EQ(share.alone()->cap(100, 90, at(5'200)), 25);
    EXPECT_EQ(share.alone()->cap(100, 0, at(69'100)), 25);
    share.lost();
    EXPECT_EQ(share.alone()->lost, at(5'200)) << "it can't lose them twice";
    share.check();
}

TEST(ReplicaShare, one_that_is_turned_away_is_as_alone_as_before) {
    ReplicaShare share(2, kPatience, at(0));
    const Alone before = *share.alone();
    share.joining(at(70'000));
    share.turned_away();
    EXPECT_EQ(share.alone(), before);
    share.joining(at(71'000));
    share.lost();
    EXPECT_EQ(share.alone()->lost, at(71'200)) << "perhaps it was let in";
}

TEST(ReplicaShare, more_replicas_than_promised_make_shares_smaller) {
    ReplicaShare share(2, kPatience, at(0));
    share.saw(5);
    share.saw(1);
    EXPECT_EQ(share.alone()->cap(100, 0, at(100'000)), 20);
}

TEST(LimiterAlone, keeps_to_what_was_in_use_and_then_to_the_share) {
    Limiter limiter;
    const ScopeId key{1};
    const ScopeId scopes[] = {key};
    limiter.set_limits(key, {.requests_per_minute = 9, .concurrent = 9});
    for (int i = 0; i < 2; ++i)
        limiter.settle(limiter.take(scopes, 1, at(1'000)), 1);
    limiter.set_alone(Alone{.replicas = 3, .lost = at(2'000), .settled = at(66'000)});
    EXPECT_FALSE(limiter.reserve(scopes, 1, at(3'000)));
    EXPECT_FALSE(limiter.reserve(scopes, 1, at(60'999)).has_value());
    for (int i = 0; i < 2; ++i)  // nothing ran when it was lost, so nothing may run until settled
        EXPECT_EQ(limiter.reserve(scopes, 1, at(61'000)).error().kind, LimitKind::concurrency);
    for (int i = 0; i < 3; ++i)
        EXPECT_TRUE(limiter.reserve(scopes, 1, at(66'000)));
    EXPECT_EQ(limiter.reserve(scopes, 1, at(66'001)).error().limit, 3);
    EXPECT_EQ(limiter.use(key, at(66'001)).entries.size(), 3u);
    limiter.set_alone({});
    EXPECT_EQ(limiter.headroom(scopes, at(66'002)).requests->remaining, 6);
    limiter.check();
}

TEST(LimiterAlone, says_when_a_call_that_is_over_the_share_may_fit) {
    Limiter limiter;
    const ScopeId key{1};
    const ScopeId scopes[] = {key};
    limiter.set_limits(key, {.tokens_per_minute = 90});
    limiter.set_alone(Alone{.replicas = 3, .lost = at(0), .settled = at(64'000)});
    const RateRefusal refused = limiter.reserve(scopes, 40, at(4'000)).error();
    EXPECT_FALSE(refused.never_fits);
    EXPECT_EQ(refused.retry_after, Duration::seconds(60));
    EXPECT_TRUE(limiter.reserve(scopes, 91, at(4'000)).error().never_fits);
}

// --- many replicas in virtual time --------------------------------------------------------------

/// Replicas, one keeper of books, and a network that loses, delays and parts them.
class World {
  public:
    static constexpr int64_t kReplicas = 3;

    World(uint64_t seed, bool has_faults) : rng_(seed), has_faults_(has_faults), books_(kReplicas) {
        limits_["requests"].requests_per_minute = 20 + static_cast<int64_t>(rng_.below(60));
        limits_["tokens"].tokens_per_minute = 500 + static_cast<int64_t>(rng_.below(500));
        books_.start(now_);
        for (int i = 0; i < kReplicas; ++i)
            start_replica(i, true);
    }

    void run(Duration time) {
        const Instant end = now_ + time;
        for (int i = 0; i < kReplicas; ++i)
            tick(i);
        if (has_faults_) make_trouble();
        call();
        while (!events_.empty() && events_.begin()->first <= end) {
            auto event = events_.extract(events_.begin());
            now_ = event.key();
            event.mapped()();
        }
        now_ = end;
    }

    /// The most that any 60 seconds hold.
    int64_t most(const std::string& scope) const {
        int64_t most = 0, sum = 0;
        const auto& all = admitted_.at(scope);
        for (auto first = all.begin(), last = all.begin(); last != all.end(); ++last) {
            sum += last->second;
            for (; first->first + ReplicaShare::kSpan <= last->first; ++first)
                sum -= first->second;
            most = std::max(most, sum);
        }
        return most;
    }

    int64_t limit(const std::string& scope) const {
        const Limits& limits = limits_.at(scope);
        return limits.requests_per_minute.value_or(limits.tokens_per_minute.value_or(0));
    }
    int64_t alone() const { return alone_; }
    int64_t together() const { return together_; }

  private:
    struct Replica {
        std::string name = {};
        Instant started = {};
        bool is_complete = false;
        bool is_parted = false;
        Instant last_taken = {};
        Instant last_told = {};
        uint64_t connection = 0;  // messages of an earlier one are heard of no more
        std::unique_ptr<ReplicaShare> share = {};
        std::unique_ptr<Limiter> limiter = {};
        std::set<std::string> unsaid = {};  // scopes whose use the books don't have
        uint64_t books = 0;                 // the start of the books that it last spoke with
    };

    static ScopeId id(const std::string& scope) { return ScopeId{scope == "tokens" ? 2u : 1u}; }

    void after(Duration wait, std::function<void()> what) {
        events_.emplace(now_ + wait, std::move(what));
    }
    Duration some(int64_t most_ms) {
        return Duration::microseconds(
            static_cast<int64_t>(rng_.below(static_cast<uint64_t>(most_ms) * 1'000)));
    }

    void start_replica(int i, bool is_complete) {
        Replica& replica = replicas_[i];
        replica = {.name = concat("r", ++names_), .started = now_, .is_complete = is_complete};
        replica.share = std::make_unique<ReplicaShare>(kReplicas, kPatience, now_);
        replica.limiter = std::make_unique<Limiter>();
        for (const auto& [scope, limits] : limits_)
            replica.limiter->set_limits(id(scope), limits);
        replica.limiter->set_alone(replica.share->alone());
        replica.connection = ++connections_;
        replica.books = 0;
    }

    // A message that the books take in time or not at all, and its answer, or silence.
    void send(int i, std::function<void()> at_books, std::function<void()> answered) {
        Replica& replica = replicas_[i];
        replica.share->sent(now_);
        const bool lost_there = has_faults_ && rng_.below(400) == 0;
        const bool lost_back = has_faults_ && rng_.below(400) == 0;
        // One connection: nothing overtakes.
        const Instant taken = std::max(replica.last_taken, now_ + some(40));
        const Instant told = std::max(replica.last_told, taken + some(40));
        replica.last_taken = taken;
        replica.last_told = told;
        const uint64_t connection = replica.connection, books = books_start_;
        auto heard = std::make_shared<bool>(false);
        if (!lost_there && !replica.is_parted)
            after(taken - now_, [=, this] {
                if (!are_up_ || books != books_start_) return;
                at_books();
                if (lost_back) return;
                after(told - taken, [=, this] {
                    if (replicas_[i].connection != connection || replicas_[i].is_parted) return;
                    *heard = true;
                    answered();
                });
            });
        after(kPatience, [=, this] {
            if (!*heard && replicas_[i].connection == connection) lose(i);
        });
    }

    void lose(int i) {
        Replica& replica = replicas_[i];
        replica.share->lost();
        replica.limiter->set_alone(replica.share->alone());
        replica.connection = ++connections_;
        for (const auto& [scope, limits] : limits_)
            replica.unsaid.insert(scope);
    }

    // A heartbeat, or a try to join.
    void tick(int i) {
        after(Duration::milliseconds(500), [=, this] { tick(i); });
        Replica& replica = replicas_[i];
        const std::string name = replica.name;
        if (!replica.share->alone()) {
            auto known = std::make_shared<bool>();
            send(
                i, [=, this] { *known = books_.beat(name, now_); },
                [=, this] {
                    if (!*known) lose(i);
                });
        } else if (are_up_ && !replica.is_parted) {
            join(i);
        }
    }

    void join(int i) {
        Replica& replica = replicas_[i];
        if (replica.books != books_start_)
            for (const auto& [scope, limits] : limits_)
                replica.unsaid.insert(scope);
        replica.books = books_start_;
        std::map<std::string, Limiter::Use> said;
        for (const std::string& scope : std::exchange(replica.unsaid, {}))
            said[scope] = replica.limiter->use(id(scope), now_);
        replica.share->joining(now_);
        replica.limiter->set_alone({});
        const std::string name = replica.name;
        const Instant sent = now_, started = replica.started;
        const bool complete = replica.is_complete || now_ - started >= ReplicaShare::kSpan;
        auto is_in = std::make_shared<bool>();
        send(
            i,
            [=, this] {
                for (const auto& [scope, use] : said)
                    books_.replace(name, scope, use, now_);
                *is_in = books_.join(name, sent - started, complete, now_);
            },
            [=, this] {
                if (*is_in) return;
                replicas_[i].share->turned_away();
                replicas_[i].limiter->set_alone(replicas_[i].share->alone());
            });
    }

    void call() {
        after(some(150), [this] { call(); });
        const int i = static_cast<int>(rng_.below(kReplicas));
        const std::string scope = rng_.below(2) ? "requests" : "tokens";
        const int64_t tokens = 1 + static_cast<int64_t>(rng_.below(60));
        Replica& replica = replicas_[i];
        if (replica.share->alone()) return call_alone(replica, scope, tokens);
        auto answer = std::make_shared<FakeSharedBooks::Answer>();
        auto when = std::make_shared<Instant>();
        const std::string name = replica.name;
        send(
            i,
            [=, this] {
                *answer = books_.admit(name, {{scope, limits_.at(scope)}}, tokens, now_);
                *when = now_;
            },
            [=, this] {
                if (replicas_[i].share->alone()) {  // turned away: what it asked behind that, too
                    call_alone(replicas_[i], scope, tokens);
                } else if (*answer == FakeSharedBooks::Answer::unknown) {
                    lose(i);
                } else if (*answer == FakeSharedBooks::Answer::yes) {
                    const ScopeId scopes[] = {id(scope)};
                    replicas_[i].limiter->take(scopes, tokens, now_);
                    note(scope, tokens, *when);
                    ++together_;
                }
            });
    }

    void call_alone(Replica& replica, const std::string& scope, int64_t tokens) {
        const ScopeId scopes[] = {id(scope)};
        if (!replica.limiter->reserve(scopes, tokens, now_)) return;
        replica.unsaid.insert(scope);
        note(scope, tokens, now_);
        ++alone_;
    }

    void note(const std::string& scope, int64_t tokens, Instant when) {
        admitted_[scope].emplace(when, scope == "tokens" ? tokens : 1);
    }

    void make_trouble() {
        after(some(20'000), [this] { make_trouble(); });
        const int i = static_cast<int>(rng_.below(kReplicas));
        switch (rng_.below(5)) {
            case 0:  // they end, or start with nothing in them
                are_up_ = !are_up_;
                if (are_up_) {
                    books_.start(now_);
                    ++books_start_;
                }
                break;
            case 1:
                if (rng_.below(2)) {  // forgets, and is back at once
                    books_.start(now_);
                    ++books_start_;
                    are_up_ = true;
                }
                break;
            case 2:
            case 3:
                replicas_[i].is_parted = !replicas_[i].is_parted;
                break;
            case 4:  // a replica dies; another process takes its place
                start_replica(i, false);
                replicas_[i].is_parted = rng_.below(2);
                break;
        }
    }

    Rng rng_;
    bool has_faults_;
    Instant now_ = at(1'000'000);
    std::multimap<Instant, std::function<void()>> events_;
    FakeSharedBooks books_;
    uint64_t books_start_ = 1;
    bool are_up_ = true;
    std::map<std::string, Limits> limits_;
    Replica replicas_[kReplicas];
    uint64_t names_ = 0;
    uint64_t connections_ = 0;
    std::map<std::string, std::multimap<Instant, int64_t>> admitted_;
    int64_t alone_ = 0;
    int64_t together_ = 0;
};

TEST(ReplicaShare, never_exceeds_whatever_breaks) {
    int64_t alone = 0, together = 0;
    for (uint64_t seed = 0; seed < 400; ++seed) {
        SCOPED_TRACE(seed);
        World world(seed, true);
        world.run(Duration::seconds(400));
        for (const std::string scope : {"requests", "tokens"})
            ASSERT_LE(world.most(scope), world.limit(scope)) << scope;
        alone += world.alone();
        together += world.together();
    }
    EXPECT_GT(alone, 20'000);  // else nothing was tested
    EXPECT_GT(together, 20'000);
}

TEST(ReplicaShare, uses_a_limit_in_full_when_nothing_breaks) {
    for (uint64_t seed = 0; seed < 20; ++seed) {
        SCOPED_TRACE(seed);
        World world(seed, false);
        world.run(Duration::seconds(200));
        EXPECT_EQ(world.most("requests"), world.limit("requests"));
        EXPECT_EQ(world.alone(), 0);
    }
}

}  // namespace
}  // namespace brigada
