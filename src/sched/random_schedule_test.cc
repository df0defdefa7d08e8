// Random traffic through the scheduler and a runner that notices every wrong block: agent sessions
// that grow, shared prompts, forks, cancels, deadlines, tenants and classes, in far too little KV.
#include <map>
#include <set>

#include "base/rng.h"
#include "sched/fake_runner.h"
#include "sched/scheduler.h"

namespace brigada {
namespace {

struct World {
    SchedulerConfig config;
    KvConfig kv;
    double submit_chance = 0.5;
    double cancel_chance = 0.02;
};

struct Totals {
    uint64_t finished = 0;
    uint64_t cancelled = 0;
    uint64_t expired = 0;
    uint64_t refused = 0;
    uint64_t digest = 0;
    SchedulerStats scheduler;
    KvStats kv;
};

/// Drives one scheduler; every sequence's end is compared with what it generates alone.
class Traffic {
  public:
    Traffic(const World& world, uint64_t seed)
        : world_(world),
          rng_(seed),
          scheduler_(world.config, world.kv),
          runner_(world.kv.blocks, world.kv.block_tokens) {
        for (Tokens& tokens : systems_)
            tokens = random_tokens(rng_.between(1, 24));
        sessions_.resize(6);
    }

    void run(int steps) {
        for (int i = 0; i < steps && !testing::Test::HasFatalFailure(); ++i) {
            if (rng_.chance(world_.submit_chance)) submit();
            if (rng_.chance(world_.cancel_chance)) cancel_one();
            step();
        }
    }

    /// No more comes in: everything must end, in steps that the tokens explain.
    void drain() {
        int steps = 0;
        while (!scheduler_.idle() && !testing::Test::HasFatalFailure()) {
            ASSERT_LT(++steps, 20'000) << scheduler_.describe(now_);
            step();
        }
        EXPECT_TRUE(live_.empty());
        EXPECT_EQ(scheduler_.kv().held_blocks(), 0u);
    }

    Totals totals() const {
        Totals totals = totals_;
        totals.digest = scheduler_.digest();
        totals.scheduler = scheduler_.stats();
        totals.kv = scheduler_.kv().stats();
        return totals;
    }

  private:
    struct Live {
        Tokens prompt;
        size_t max_tokens = 0;
        size_t session = 0;
        std::vector<SequenceId> forks;
    };

    Tokens random_tokens(int64_t count) {
        Tokens tokens;
        for (int64_t i = 0; i < count; ++i)
            tokens.push_back(TokenId{uint32_t(rng_.below(3))});
        return tokens;
    }

    /// A session's next call extends its last one; now and then it starts over.
    Tokens next_prompt(size_t session) {
        Tokens prompt = sessions_[session];
        const bool starts_over =
            prompt.empty() || prompt.size() + 20 > world_.config.max_context || rng_.chance(0.15);
        if (starts_over) prompt = systems_[rng_.below(std::size(systems_))];
        const Tokens more = random_tokens(rng_.between(0, 20));
        prompt.insert(prompt.end(), more.begin(), more.end());
        return prompt;
    }

    void submit() {
        SequenceSpec spec;
        const size_t session = rng_.below(sessions_.size());
        spec.id = SequenceId{next_id_++};
        spec.prompt = next_prompt(session);
        spec.max_new_tokens = uint32_t(rng_.between(0, 30));
        spec.priority = int32_t(rng_.between(0, 2)) * 10;
        spec.tenant = TenantId{uint32_t(session % 3)};
        spec.scope.salt = session % 3 == 2 ? "salted" : "";
        spec.scope.session = SessionId{rng_.chance(0.8) ? session + 1 : 0};
        if (rng_.chance(0.5)) spec.retention.ranges = {{0, 8, 60, Duration::seconds(3'600)}};
        spec.arrival = now_;
        if (rng_.chance(0.1)) spec.deadline = now_ + Duration::milliseconds(rng_.between(0, 200));
        if (rng_.chance(0.15))
            for (int64_t n = rng_.between(1, 3); n > 0; --n)
                spec.forks.push_back(SequenceId{next_id_++});

        const size_t max_tokens = std::min<size_t>(spec.prompt.size() + spec.max_new_tokens,
                                                   scheduler_.max_prompt_tokens() + 1);
        const Live live{spec.prompt, max_tokens, session, spec.forks};
        const SequenceId id = spec.id;
        if (!scheduler_.submit(std::move(spec), now_).ok()) {
            ++totals_.refused;
            return;
        }
        live_[id] = live;
        for (const SequenceId fork : live.forks)
            live_[fork] = {live.prompt, max_tokens, session, {}};
    }

    void cancel_one() {
        if (live_.empty()) return;
        const SequenceId id = std::next(live_.begin(), int64_t(rng_.below(live_.size())))->first;
        const bool forks_unborn =
            scheduler_.contains(id) && !scheduler_.sequence(id).spec.forks.empty();
        if (forks_unborn)
            for (const SequenceId fork : scheduler_.sequence(id).spec.forks)
                forget(fork);
        scheduler_.cancel(id);
        forget(id);
        scheduler_.check();
    }

    void forget(SequenceId id) { totals_.cancelled += live_.erase(id); }

    void step() {
        now_ = now_ + Duration::milliseconds(rng_.between(1, 10));
        const Plan plan = scheduler_.plan(now_);
        scheduler_.check();
        expect_sound(plan);
        for (const SequenceId id : plan.expired)
            expire(id);
        const Outcome outcome = runner_.run(plan, scheduler_);
        if (rng_.chance(world_.cancel_chance)) cancel_one();  // while the step computes
        if (rng_.chance(0.1)) submit();
        const auto tokens_before = known_tokens(plan);
        now_ = now_ + Duration::milliseconds(rng_.between(1, 10));
        const auto finished = scheduler_.commit(plan, outcome, now_);
        scheduler_.check();
        for (const Finished& one : finished)
            finish(one, outcome, tokens_before);
    }

    void expect_sound(const Plan& plan) {
        std::set<SequenceId> seen;
        ASSERT_LE(plan.tokens(), world_.config.step_tokens);
        for (const Chunk& chunk : plan.chunks) {
            ASSERT_TRUE(seen.insert(chunk.sequence).second) << "two chunks of one sequence";
            ASSERT_GT(chunk.count, 0u);
            ASSERT_EQ(std::ranges::count(plan.preempted, chunk.sequence), 0);
        }
        const bool has_work = !scheduler_.idle();
        ASSERT_EQ(plan.empty(), !has_work) << "a step with work computes something\n"
                                           << scheduler_.describe(now_);
    }

    std::map<SequenceId, Tokens> known_tokens(const Plan& plan) {
        std::map<SequenceId, Tokens> known;
        for (const Chunk& chunk : plan.chunks) {
            if (!scheduler_.contains(chunk.sequence)) continue;
            const auto tokens = scheduler_.tokens(chunk.sequence);
            const Tokens copy(tokens.begin(), tokens.end());
            known[chunk.sequence] = copy;
            for (const SequenceId fork : scheduler_.sequence(chunk.sequence).spec.forks)
                known[fork] = copy;
        }
        return known;
    }

    void finish(const Finished& one, const Outcome& outcome,
                const std::map<SequenceId, Tokens>& known) {
        const auto live = live_.find(one.sequence);
        ASSERT_NE(live, live_.end()) << "sequence " << raw(one.sequence) << " ended twice";
        Tokens tokens = known.at(one.sequence);
        const auto last = std::ranges::find(outcome.sampled, one.sequence, &Sampled::sequence);
        tokens.push_back(last->token);
        ASSERT_EQ(tokens,
                  FakeRunner::generate(one.sequence, live->second.prompt, live->second.max_tokens));
        ASSERT_EQ(one.reason == Finish::stop, last->finished);
        sessions_[live->second.session] = tokens;
        live_.erase(live);
        ++totals_.finished;
    }

    void expire(SequenceId id) {
        const auto live = live_.find(id);
        ASSERT_NE(live, live_.end());
        for (const SequenceId fork : live->second.forks)
            totals_.expired += live_.erase(fork);
        live_.erase(id);
        ++totals_.expired;
    }

    World world_;
    Rng rng_;
    Scheduler scheduler_;
    FakeRunner runner_;
    Instant now_ = Instant::at_ns(1'000'000'000);
    uint64_t next_id_ = 1;
    Tokens systems_[3];
    std::vector<Tokens> sessions_;     // the tokens of each session's last finished call
    std::map<SequenceId, Live> live_;  // submitted and not ended
    Totals totals_;
};

World tiny_world(uint32_t blocks, uint32_t block_tokens) {
    World world;
    world.config.step_tokens = 24;
    world.config.max_running = 6;
    world.config.max_context = 96;
    world.config.max_waiting = 12;
    world.config.max_waiting_tokens = 400;
    world.config.ageing = Duration::milliseconds(200);
    world.kv = {blocks, block_tokens, 2 * blocks, 0};
    return world;
}

Totals run(const World& world, uint64_t seed, int steps) {
    Traffic traffic(world, seed);
    traffic.run(steps);
    traffic.drain();
    return traffic.totals();
}

TEST(RandomSchedule, keeps_books_answers_and_kv_right_for_ten_thousand_steps) {
    const Totals totals = run(tiny_world(24, 4), 1, 10'000);
    EXPECT_GT(totals.finished, 1'000u);  // and everything the test is about did happen
    EXPECT_GT(totals.cancelled, 50u);
    EXPECT_GT(totals.expired, 20u);
    EXPECT_GT(totals.refused, 50u);
    EXPECT_GT(totals.scheduler.preemptions, 100u);
    EXPECT_GT(totals.scheduler.shared_waits, 20u);
    EXPECT_GT(totals.kv.hits, 1'000u);
    EXPECT_GT(totals.kv.resumed_hits, 0u);
    EXPECT_GT(totals.kv.reread, 100u);
    EXPECT_GT(totals.kv.copied_blocks, 50u);
    EXPECT_GT(totals.kv.duplicate_blocks, 10u);
    EXPECT_GT(totals.kv.superseded_blocks, 10u);
}

TEST(RandomSchedule, holds_in_worlds_of_odd_sizes) {
    for (const auto& [blocks, block_tokens] :
         {std::pair{1u, 2u}, {2u, 3u}, {5u, 16u}, {40u, 1u}, {9u, 5u}, {400u, 4u}}) {
        for (uint64_t seed = 0; seed < 4; ++seed) {
            SCOPED_TRACE(testing::Message()
                         << blocks << " blocks of " << block_tokens << ", seed " << seed);
            World world = tiny_world(blocks, block_tokens);
            world.config.tenant_fairness = seed % 2 == 0;
            world.config.watermark_permille = seed == 3 ? 200 : 10;
            run(world, seed, 400);
            if (testing::Test::HasFatalFailure()) return;
        }
    }
}

TEST(RandomSchedule, gives_the_same_digest_for_the_same_seed) {
    const World world = tiny_world(24, 4);
    const Totals once = run(world, 7, 1'000);
    const Totals again = run(world, 7, 1'000);
    const Totals other = run(world, 8, 1'000);
    EXPECT_EQ(once.digest, again.digest);
    EXPECT_NE(once.digest, other.digest);
    EXPECT_EQ(once.finished, again.finished);
}

}  // namespace
}  // namespace brigada
