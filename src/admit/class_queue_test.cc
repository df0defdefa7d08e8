#include "admit/class_queue.h"

#include <algorithm>
#include <deque>
#include <map>

#include "base/rng.h"

namespace brigada {
namespace {

using Verdict = OfferReply::Verdict;
using enum PriorityClass;

Instant at(int64_t ms) {
    return Instant::at_ns(ms * 1'000'000);
}

/// `slots` slots, no floors; ageing as slow as can be.
ClassQueueConfig plain(int64_t slots) {
    ClassQueueConfig config{.slots = slots};
    for (ClassPolicy& policy : config.classes)
        policy.ageing = Duration::max();
    return config;
}

Ask ask(PriorityClass priority, uint64_t tenant = 1, int64_t bytes = 0) {
    return {.priority = priority, .tenant = ScopeId{tenant}, .bytes = bytes};
}

TEST(ClassQueue, admits_by_class_then_in_turns) {
    ClassQueue queue(plain(1));
    const AskId running = queue.offer(ask(standard), at(0)).id;
    const AskId batch_call = queue.offer(ask(batch), at(1)).id;
    const AskId a1 = queue.offer(ask(standard, 1), at(2)).id;
    const AskId a2 = queue.offer(ask(standard, 1), at(3)).id;
    const AskId a3 = queue.offer(ask(standard, 1), at(4)).id;
    const AskId b1 = queue.offer(ask(standard, 2), at(5)).id;
    const AskId first = queue.offer(ask(guaranteed, 3), at(6)).id;
    std::vector<AskId> order;
    for (AskId next = running; std::ssize(order) < 6;) {
        const Moved moved = queue.finish(next, at(10));
        queue.check();
        ASSERT_EQ(moved.admitted.size(), 1u);
        order.push_back(next = moved.admitted[0]);
    }
    EXPECT_EQ(order, (std::vector{first, a1, b1, a2, a3, batch_call}));
}

TEST(ClassQueue, keeps_floors_free_and_shares_small) {
    ClassQueueConfig config = plain(10);
    config.classes[0].floor_slots = 3;
    config.classes[2].share_permille = 200;
    ClassQueue queue(config);
    const auto admitted = [&](PriorityClass priority) {
        int64_t count = 0;
        while (queue.offer(ask(priority), at(0)).verdict == Verdict::admitted)
            ++count;
        return count;
    };
    EXPECT_EQ(admitted(batch), 2) << "200 of 1000 of ten slots";
    EXPECT_EQ(admitted(standard), 5) << "three are kept for guaranteed";
    EXPECT_EQ(admitted(guaranteed), 3);
    queue.check();
}

TEST(ClassQueue, bounds_the_queue_of_a_tenant_in_requests_and_bytes) {
    ClassQueueConfig config = plain(1);
    config.classes[1].queue_requests = 2;
    config.classes[1].queue_bytes = 100;
    ClassQueue queue(config);
    queue.offer(ask(standard), at(0));
    EXPECT_EQ(queue.offer(ask(standard, 1, 101), at(0)).verdict, Verdict::full);
    const AskId large = queue.offer(ask(standard, 1, 100), at(0)).id;
    EXPECT_EQ(queue.offer(ask(standard, 1, 1), at(0)).verdict, Verdict::full);
    EXPECT_EQ(queue.offer(ask(standard, 1, 0), at(0)).verdict, Verdict::waiting);
    EXPECT_EQ(queue.offer(ask(standard, 1, 0), at(0)).verdict, Verdict::full);
    EXPECT_EQ(queue.offer(ask(standard, 2, 50), at(0)).verdict, Verdict::waiting);
    EXPECT_EQ(queue.waiting_bytes(), 150);
    queue.give_up(large);
    EXPECT_EQ(queue.offer(ask(standard, 1, 100), at(0)).verdict, Verdict::waiting);
    queue.check();
}

TEST(ClassQueue, estimates_the_wait_from_what_calls_took) {
    ClassQueueConfig config = plain(2);
    config.classes[1].queue_requests = 1;
    ClassQueue queue(config);
    const AskId first = queue.offer(ask(standard), at(0)).id;
    queue.offer(ask(standard), at(0));
    queue.offer(ask(standard, 1), at(0));
    EXPECT_EQ(queue.offer(ask(standard, 1), at(0)).retry_after, Duration::seconds(1))
        << "nothing is measured yet";
    queue.finish(first, at(10'000));  // ten seconds a call and two slots: a slot every five
    queue.offer(ask(standard, 1), at(10'000));
    queue.offer(ask(standard, 2), at(10'000));
    queue.offer(ask(guaranteed, 3), at(10'000));
    EXPECT_EQ(queue.offer(ask(standard, 1), at(10'000)).retry_after, Duration::seconds(20))
        << "three go first, then a place is free when the next slot is";
}

TEST(ClassQueue, hands_back_those_whose_deadline_has_come) {
    ClassQueue queue(plain(1));
    const AskId running = queue.offer(ask(standard), at(0)).id;
    Ask hurried = ask(standard);
    hurried.deadline = at(500);
    const AskId late = queue.offer(hurried, at(0)).id;
    hurried.deadline = at(700);
    const AskId later = queue.offer(hurried, at(0)).id;
    const AskId patient = queue.offer(ask(standard), at(0)).id;
    EXPECT_EQ(queue.next_deadline(), at(500));
    EXPECT_EQ(queue.expire(at(499)), Moved{});
    EXPECT_EQ(queue.expire(at(500)), (Moved{.late = {late}}));
    EXPECT_EQ(queue.finish(running, at(700)), (Moved{.admitted = {patient}, .late = {later}}))
        << "who is late is not admitted any more";
    EXPECT_EQ(queue.next_deadline(), Instant::never());
    queue.check();
}

TEST(ClassQueue, starves_nobody) {
    ClassQueueConfig config = plain(2);
    for (ClassPolicy& policy : config.classes)
        policy.ageing = Duration::seconds(10);
    ClassQueue queue(config);
    std::deque<AskId> running;
    for (uint64_t i = 0; i < 32; ++i) {  // ten of each of three guaranteed tenants wait, always
        const OfferReply reply = queue.offer(ask(guaranteed, i % 3), at(0));
        if (reply.verdict == Verdict::admitted) running.push_back(reply.id);
    }
    const AskId batch_call = queue.offer(ask(batch, 9), at(0)).id;
    const AskId standard_call = queue.offer(ask(standard, 8), at(0)).id;
    Instant standard_ran;
    Instant batch_ran;
    for (int64_t second = 1; second <= 30; ++second) {
        const AskId ends = running.front();
        running.pop_front();
        for (const AskId id : queue.finish(ends, at(second * 1'000)).admitted) {
            running.push_back(id);
            if (id == standard_call) standard_ran = at(second * 1'000);
            if (id == batch_call) batch_ran = at(second * 1'000);
        }
        queue.offer(ask(guaranteed, static_cast<uint64_t>(second) % 3), at(second * 1'000));
        queue.check();
    }
    EXPECT_EQ(standard_ran, at(10'000)) << "aged by one class, and its turn was long ago";
    EXPECT_EQ(batch_ran, at(20'000));
}

TEST(ClassQueue, stops_batch_that_has_not_begun_for_guaranteed) {
    ClassQueueConfig config = plain(4);
    config.classes[2].floor_slots = 1;
    ClassQueue queue(config);
    std::vector<AskId> calls;
    for (int i = 0; i < 4; ++i)
        calls.push_back(queue.offer(ask(batch), at(i)).id);
    EXPECT_TRUE(queue.reclaim().empty()) << "nobody waits";
    queue.offer(ask(standard), at(5));
    EXPECT_TRUE(queue.reclaim().empty()) << "standard waits its turn";
    queue.streaming(calls[3]);
    const AskId first = queue.offer(ask(guaranteed), at(6)).id;
    EXPECT_EQ(queue.reclaim(), std::vector{calls[2]}) << "the newest that does not stream";
    EXPECT_TRUE(queue.reclaim().empty()) << "one slot is on its way";
    EXPECT_EQ(queue.finish(calls[2], at(7)).admitted, std::vector{first});
    for (int i = 0; i < 5; ++i)
        queue.offer(ask(guaranteed), at(8));
    EXPECT_EQ(queue.reclaim(), (std::vector{calls[1], calls[0]})) << "one streams, one is floor";
    queue.streaming(calls[0]);
    queue.check();
    EXPECT_TRUE(queue.reclaim().empty()) << "both that are left stream";
}

TEST(ClassQueue, does_not_stop_batch_that_ran_for_its_age) {
    ClassQueueConfig config = plain(1);
    config.classes[2].ageing = Duration::seconds(1);
    ClassQueue queue(config);
    const AskId running = queue.offer(ask(standard), at(0)).id;
    const AskId aged = queue.offer(ask(batch), at(0)).id;
    EXPECT_EQ(queue.finish(running, at(1'000)).admitted, std::vector{aged});
    queue.offer(ask(guaranteed), at(1'001));
    EXPECT_TRUE(queue.reclaim().empty());
}

TEST(ClassQueue, refuses_a_configuration_in_which_a_class_never_runs) {
    const auto message = [](auto change) {
        ClassQueueConfig config = plain(10);
        change(config);
        const Result<void> checked = check_config(config);
        return checked.ok() ? std::string() : checked.error().message;
    };
    EXPECT_EQ(message([](auto&) {}), "");
    EXPECT_EQ(message([](auto& c) { c.slots = 0; }), "slots is 0; 1 to 1000000 works");
    EXPECT_EQ(message([](auto& c) { c.classes[1].share_permille = 1'001; }),
              "class standard: share_permille is 1001; 0 to 1000 works");
    EXPECT_EQ(message([](auto& c) { c.classes[0].queue_bytes = -1; }),
              "class guaranteed: queue_bytes is -1; 0 or more works");
    EXPECT_EQ(message([](auto& c) { c.classes[0].ageing = {}; }),
              "class guaranteed: ageing is 0; more than 0 ns works");
    EXPECT_NE(message([](auto& c) { c.classes[0].floor_slots = 10; }), "");
    EXPECT_NE(message([](auto& c) { c.classes[2].share_permille = 99; }), "");
    EXPECT_EQ(message([](auto& c) {
                  for (ClassPolicy& policy : c.classes)
                      policy.floor_slots = 4;
              }),
              "floors of all classes add up to 12 slots; there are 10");
}

/// The rules, on one flat list of all who wait and one of all who run.
class Naive {
  public:
    struct Call {
        AskId id{};
        Ask ask;
        Instant arrival;
    };

    explicit Naive(const ClassQueueConfig& config) : config_(config) {}

    Verdict offer(AskId id, const Ask& ask, Instant now) {
        if (can_run(ask.priority)) {
            running.push_back({id, ask, now});
            return Verdict::admitted;
        }
        int64_t requests = 1;
        int64_t bytes = ask.bytes;
        for (const Call& call : waiting)
            if (same_lane(call.ask, ask)) {
                ++requests;
                bytes += call.ask.bytes;
            }
        const ClassPolicy& policy = config_.classes[size_t(ask.priority)];
        if (requests > policy.queue_requests || bytes > policy.queue_bytes) return Verdict::full;
        if (requests == 1) turn_[lane(ask)] = ++turns_;
        waiting.push_back({id, ask, now});
        return Verdict::waiting;
    }

    Moved set_config(const ClassQueueConfig& config, Instant now) {
        config_ = config;
        return admit(now);
    }

    Moved finish(AskId id, Instant now) {
        std::erase_if(running, [&](const Call& call) { return call.id == id; });
        return admit(now);
    }

    Moved admit(Instant now) {
        Moved moved = expire(now);
        for (auto best = next(now); best != waiting.end(); best = next(now)) {
            turn_[lane(best->ask)] = ++turns_;
            moved.admitted.push_back(best->id);
            running.push_back(*best);
            waiting.erase(best);
        }
        return moved;
    }

    Moved expire(Instant now) {
        std::vector<std::pair<Instant, AskId>> late;
        for (const Call& call : waiting)
            if (call.ask.deadline <= now) late.emplace_back(call.ask.deadline, call.id);
        std::ranges::sort(late);
        Moved moved;
        for (const auto& [deadline, id] : late) {
            moved.late.push_back(id);
            give_up(id);
        }
        return moved;
    }

    void give_up(AskId id) {
        std::erase_if(waiting, [&](const Call& call) { return call.id == id; });
    }

    std::vector<Call> waiting;  // in order of arrival
    std::vector<Call> running;

  private:
    using LaneKey = std::pair<PriorityClass, ScopeId>;
    static LaneKey lane(const Ask& ask) { return {ask.priority, ask.tenant}; }
    static bool same_lane(const Ask& a, const Ask& b) { return lane(a) == lane(b); }

    /// With one more of the class, its share and everybody else's floor hold.
    bool can_run(PriorityClass priority) const {
        int64_t claimed = 0;
        for (size_t c = 0; c < 3; ++c) {
            const ClassPolicy& policy = config_.classes[c];
            int64_t count = c == size_t(priority) ? 1 : 0;
            for (const Call& call : running)
                count += size_t(call.ask.priority) == c ? 1 : 0;
            const int64_t share = config_.slots * policy.share_permille / 1'000;
            if (c == size_t(priority) && count > std::max(share, policy.floor_slots)) return false;
            claimed += c == size_t(priority) ? count : std::max(count, policy.floor_slots);
        }
        return claimed <= config_.slots;
    }

    std::vector<Call>::iterator next(Instant now) {
        auto best = waiting.end();
        std::pair<int64_t, uint64_t> best_rank;
        std::vector<LaneKey> seen;
        for (auto call = waiting.begin(); call != waiting.end(); ++call) {
            const bool is_first = std::ranges::count(seen, lane(call->ask)) == 0;
            seen.push_back(lane(call->ask));
            if (!is_first || !can_run(call->ask.priority)) continue;
            const ClassPolicy& policy = config_.classes[size_t(call->ask.priority)];
            const int64_t raised = (now - call->arrival).ns() / policy.ageing.ns();
            const int64_t level = std::max<int64_t>(0, int64_t(call->ask.priority) - raised);
            const std::pair rank(level, turn_.at(lane(call->ask)));
            if (best != waiting.end() && best_rank < rank) continue;
            best = call;
            best_rank = rank;
        }
        return best;
    }

    ClassQueueConfig config_;
    std::map<LaneKey, uint64_t> turn_;
    uint64_t turns_ = 0;
};

ClassQueueConfig random_config(Rng& rng) {
    for (;;) {
        ClassQueueConfig config{.slots = rng.between(1, 12)};
        for (ClassPolicy& policy : config.classes)
            policy = {.floor_slots = rng.between(0, 3),
                      .share_permille = rng.between(100, 1'000),
                      .queue_requests = rng.between(0, 6),
                      .queue_bytes = rng.between(0, 300),
                      .ageing = Duration::milliseconds(rng.between(200, 20'000))};
        if (check_config(config).ok()) return config;
    }
}

/// What was reclaimed is what the rules allow.
void expect_reclaimable(const std::vector<AskId>& named, const Naive& naive,
                        const ClassQueueConfig& config) {
    const auto count = [](const std::vector<Naive::Call>& calls, PriorityClass priority) {
        return std::ranges::count(calls, priority, [](const auto& c) { return c.ask.priority; });
    };
    if (named.empty()) return;
    ASSERT_LE(std::ssize(named), count(naive.waiting, guaranteed));
    ASSERT_GE(count(naive.running, batch) - std::ssize(named), config.classes[2].floor_slots);
    for (const AskId id : named) {
        const auto call = std::ranges::find(naive.running, id, &Naive::Call::id);
        ASSERT_TRUE(call != naive.running.end() && call->ask.priority == batch);
    }
}

void drive(uint64_t seed, int steps) {
    Rng rng(seed);
    ClassQueueConfig config = random_config(rng);
    ClassQueue queue(config);
    Naive naive(config);
    Instant now = at(0);
    for (int i = 0; i < steps && !testing::Test::HasFatalFailure(); ++i) {
        now = now + Duration::milliseconds(rng.between(0, 400));
        const uint64_t what = rng.below(100);
        if (what < 50) {
            Ask call =
                ask(static_cast<PriorityClass>(rng.below(3)), rng.below(4), rng.between(0, 100));
            if (rng.chance(0.5))
                call.deadline = now + Duration::milliseconds(rng.between(0, 9'000));
            const OfferReply reply = queue.offer(call, now);
            ASSERT_EQ(reply.verdict, naive.offer(reply.id, call, now));
            ASSERT_EQ(reply.verdict == Verdict::full, reply.retry_after >= Duration::seconds(1));
        } else if (what < 80 && !naive.running.empty()) {
            const AskId id = naive.running[rng.below(naive.running.size())].id;
            ASSERT_EQ(queue.finish(id, now), naive.finish(id, now));
        } else if (what < 85 && !naive.waiting.empty()) {
            const AskId id = naive.waiting[rng.below(naive.waiting.size())].id;
            queue.give_up(id);
            naive.give_up(id);
        } else if (what < 90) {
            ASSERT_EQ(queue.expire(now), naive.expire(now));
        } else if (what < 91) {
            config = random_config(rng);
            ASSERT_EQ(queue.set_config(config, now), naive.set_config(config, now));
        } else if (what < 95 && !naive.running.empty()) {
            queue.streaming(naive.running[rng.below(naive.running.size())].id);
        } else {
            const std::vector<AskId> named = queue.reclaim();
            expect_reclaimable(named, naive, config);
            for (const AskId id : named)
                ASSERT_EQ(queue.finish(id, now), naive.finish(id, now));
        }
        queue.check();
    }
}

TEST(ClassQueue, decides_as_the_rules_on_flat_lists_do) {
    for (uint64_t seed = 0; seed < 12; ++seed) {
        SCOPED_TRACE(seed);
        drive(seed, seed == 0 ? 10'000 : 2'000);
    }
}

}  // namespace
}  // namespace brigada
