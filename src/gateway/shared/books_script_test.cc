#include "gateway/shared/books_script.h"

#include <map>

#include "admit/fake_shared_books.h"
#include "base/rng.h"
#include "gateway/shared/books_messages.h"
#include "gateway/shared/redis_process.h"

namespace brigada {
namespace {

constexpr std::string_view kTime = "redis.call('TIME')";

Instant at(int64_t ms) {
    return Instant::at_ns(ms * 1'000'000);
}

/// The script in a Redis whose clock the test sets.
class Books {
  public:
    explicit Books(int64_t replicas) : replicas_(replicas) {
        std::string script(books_script());
        script.replace(script.find(kTime), kTime.size(), "redis.call('LRANGE', 'time', 0, 1)");
        sha_ = redis_.ask({"SCRIPT", "LOAD", script}).text;
        EXPECT_EQ(sha_.size(), 40u) << sha_;
    }

    void clear() { redis_.ask({"FLUSHALL"}); }
    void set_time(Instant now) {
        redis_.ask({"DEL", "time"});
        redis_.ask({"RPUSH", "time", std::to_string(now.ns() / 1'000'000'000),
                    std::to_string(now.ns() % 1'000'000'000 / 1'000)});
    }
    BooksHeader header(const std::string& who) const {
        return {.script = sha_,
                .prefix = "b:",
                .who = who,
                .not_later_than_us = int64_t{1} << 50,
                .replicas = replicas_};
    }
    BooksReply ask(const std::vector<std::string>& words) {
        RedisValue value = redis_.ask(words);
        if (value.kind == RedisValue::Kind::error) ADD_FAILURE() << value.text;
        auto reply = read_reply(std::move(value));
        return reply.ok() ? std::move(*reply) : BooksReply{};
    }
    std::string join(const std::string& who, Duration uptime = Duration::seconds(100),
                     Duration age = {}, bool knows_all = true, const std::string& run = "run") {
        return ask(join_words(header(who), run, uptime, age, knows_all)).word;
    }
    SharedAnswer admit(const std::string& who, const SharedCall& call) {
        const BooksReply reply = ask(admit_words(header(who), call));
        auto answer = read_answer(reply, call);
        EXPECT_TRUE(answer.ok()) << reply.word;
        return answer.ok() ? std::move(*answer) : SharedAnswer{};
    }
    std::vector<ScopeTotal> finish(const std::string& who, const SharedEnd& end) {
        auto totals = read_totals(ask(finish_words(header(who), end)), end);
        EXPECT_TRUE(totals.ok());
        return totals.ok() ? std::move(*totals) : std::vector<ScopeTotal>{};
    }
    int64_t keys() { return redis_.ask({"DBSIZE"}).integer; }

  private:
    int64_t replicas_;
    RedisProcess redis_;
    std::string sha_;
};

SharedCall one_call(const Limits& limits, int64_t tokens) {
    return {.tokens = tokens, .scopes = {{.name = "key", .limits = limits}}};
}

Limits random_limits(Rng& rng) {
    Limits out;
    const auto some = [&](uint64_t most) { return static_cast<int64_t>(1 + rng.below(most)); };
    if (rng.below(4) > 0) out.requests_per_minute = some(40);
    if (rng.below(2) > 0) out.tokens_per_minute = some(2'000);
    if (rng.below(2) > 0) out.concurrent = some(6);
    return out;
}

// One replica and its books decide as the limiter does, refusal for refusal.
TEST(BooksScript, decides_as_the_limiter) {
    Books books(1);
    for (uint64_t seed = 0; seed < 30; ++seed) {
        SCOPED_TRACE(seed);
        books.clear();
        Rng rng(seed);
        Limiter limiter;
        Instant now = at(1'000'000);
        books.set_time(now);
        ASSERT_EQ(books.join("r"), "yes");
        const std::vector<ScopeId> ids{ScopeId{0}, ScopeId{1}, ScopeId{2}};
        std::vector<Limits> limits;
        for (const ScopeId id : ids) {
            limits.push_back(random_limits(rng));
            limiter.set_limits(id, limits.back());
        }
        struct Open {
            RateReservation id;
            int64_t tokens;
            SharedEnd end;
        };
        std::vector<Open> open;
        for (int i = 0; i < 200; ++i) {
            now = now + Duration::microseconds(static_cast<int64_t>(rng.below(3'000'000)));
            books.set_time(now);
            if (!open.empty() && rng.below(3) == 0) {
                Open call = std::move(open[rng.below(open.size())]);
                std::erase_if(open, [&](const Open& each) { return each.id == call.id; });
                if (rng.below(3) == 0) {
                    limiter.cancel(call.id);
                    call.end.requests = -1;
                    call.end.tokens = -call.tokens;
                } else {
                    const auto tokens = static_cast<int64_t>(rng.below(600));
                    limiter.settle(call.id, tokens);
                    call.end.tokens = tokens - call.tokens;
                }
                books.finish("r", call.end);
                continue;
            }
            SharedCall call{.tokens = static_cast<int64_t>(rng.below(400)), .scopes = {}};
            std::vector<ScopeId> scopes;
            for (size_t s = 0; s < ids.size(); ++s)
                if (rng.below(3) > 0) {
                    scopes.push_back(ids[s]);
                    call.scopes.push_back({std::to_string(s), limits[s], {}});
                }
            const auto expected = limiter.reserve(scopes, call.tokens, now);
            SharedAnswer answer = books.admit("r", call);
            ASSERT_EQ(answer.admitted(), expected.has_value()) << i;
            if (answer.rate) {
                answer.rate->scope = scopes[answer.rate_scope];
                ASSERT_EQ(*answer.rate, expected.error()) << i;
                continue;
            }
            SharedEnd end;
            for (size_t s = 0; s < call.scopes.size(); ++s)
                end.scopes.push_back({call.scopes[s].name, answer.totals[s].entry, {}});
            open.push_back({*expected, call.tokens, std::move(end)});
        }
        limiter.check();
    }
}

// Several replicas that come, go and fall silent: as the simplest books there are.
TEST(BooksScript, decides_as_books_that_remember_everything) {
    Books books(3);
    int yes = 0;
    for (uint64_t seed = 0; seed < 40; ++seed) {
        SCOPED_TRACE(seed);
        books.clear();
        Rng rng(seed);
        FakeSharedBooks model(3);
        Instant now = at(1'000'000);
        model.start(now);
        const Limits limits = random_limits(rng);
        const std::string names[] = {"a", "b", "c"};
        Instant started[] = {now, now, now};
        for (int i = 0; i < 300; ++i) {
            now = now + Duration::microseconds(static_cast<int64_t>(
                            rng.below(rng.below(20) == 0 ? 20'000'000 : 600'000)));
            books.set_time(now);
            const size_t r = rng.below(3);
            switch (rng.below(8)) {
                case 0: {
                    const bool knows_all = rng.below(2);
                    const Duration age = now - started[r];
                    const bool in = model.join(names[r], age, knows_all, now);
                    ASSERT_EQ(books.join(names[r], now - at(1'000'000), age, knows_all),
                              in ? "yes" : "wait")
                        << i;
                    break;
                }
                case 1: {
                    const bool in = model.beat(names[r], now);
                    ASSERT_EQ(books.ask(plain_words(books.header(names[r]), "beat")).word,
                              in ? "yes" : "join");
                    break;
                }
                case 2: {
                    Limiter::Use use{.entries = {}, .running = static_cast<int64_t>(rng.below(2))};
                    for (int64_t age = 50'000; age > 0;
                         age -= 1 + static_cast<int64_t>(rng.below(40'000)))
                        use.entries.push_back({Duration::milliseconds(age), 1, 7});
                    model.replace(names[r], "key", use, now);
                    books.ask(replace_words(books.header(names[r]), {{"key", use, {}, {}}}));
                    break;
                }
                default: {
                    const auto tokens = static_cast<int64_t>(rng.below(100));
                    const auto expected = model.admit(names[r], {{"key", limits}}, tokens, now);
                    const SharedCall call = one_call(limits, tokens);
                    const BooksReply reply = books.ask(admit_words(books.header(names[r]), call));
                    const std::string_view word = expected == FakeSharedBooks::Answer::yes ? "yes"
                                                  : expected == FakeSharedBooks::Answer::no
                                                      ? "rate"
                                                      : "join";
                    ASSERT_EQ(reply.word, word) << i;
                    yes += word == "yes";
                }
            }
        }
    }
    EXPECT_GT(yes, 100);  // else nothing was tested
}

TEST(BooksScript, counts_money_of_all_and_says_who_crossed) {
    Books books(2);
    books.set_time(at(1'000'000));
    ASSERT_EQ(books.join("a"), "yes");
    ASSERT_EQ(books.join("b"), "yes");
    const SharedBudget budget{
        .window = "day", .limit = Money{1'000}, .earlier = Money{400}, .end = WallTime{INT64_MAX}};
    const SharedCall call{.cost = Money{200}, .scopes = {{.name = "team", .budgets = {budget}}}};
    const SharedAnswer first = books.admit("a", call);
    EXPECT_EQ(first.totals.at(0).budgets.at(0).earlier, Money{400});
    const SharedAnswer second = books.admit("b", call);
    EXPECT_EQ(second.totals.at(0).others_reserved, Money{200});
    EXPECT_TRUE(books.admit("a", call).admitted());
    const SharedAnswer refused = books.admit("b", call);
    ASSERT_EQ(refused.budgets.size(), 1u);
    EXPECT_EQ(refused.budgets[0].spent, Money{400});
    EXPECT_EQ(refused.budgets[0].reserved, Money{600});
    const auto totals = books.finish("a", {.reserved = Money{200},
                                           .cost = Money{50},
                                           .scopes = {{"team", first.totals[0].entry, {budget}}}});
    EXPECT_EQ(totals.at(0).budgets.at(0).since, Money{50});
    EXPECT_EQ(totals.at(0).others_reserved, Money{200});
    EXPECT_FALSE(books.admit("b", call).admitted()) << "450 spent, 400 reserved";
}

TEST(BooksScript, adds_up_what_replicas_kept_when_it_lost_its_memory) {
    Books books(2);
    books.set_time(at(1'000'000));
    const auto push = [&](const std::string& who, Money earlier, Money own) {
        const SharedBudget budget{.window = "day",
                                  .limit = Money{1'000},
                                  .earlier = earlier,
                                  .is_earlier_agreed = true,
                                  .own = own,
                                  .end = WallTime{INT64_MAX}};
        const std::vector<SharedUse> uses{{.name = "team", .budgets = {budget}}};
        for (int twice = 0; twice < 2; ++twice)
            books.ask(replace_words(books.header(who), uses));
    };
    push("a", Money{10}, Money{2});
    push("b", Money{11}, Money{3});
    ASSERT_EQ(books.join("a"), "yes");
    const SharedCall call{
        .scopes = {
            {.name = "team",
             .budgets = {{.window = "day", .limit = Money{1'000}, .end = WallTime{INT64_MAX}}}}}};
    const SharedAnswer answer = books.admit("a", call);
    EXPECT_EQ(answer.totals.at(0).budgets.at(0).earlier, Money{11});
    EXPECT_EQ(answer.totals.at(0).budgets.at(0).since, Money{5});
}

TEST(BooksScript, takes_nothing_late) {
    Books books(1);
    books.set_time(at(1'000'000));
    ASSERT_EQ(books.join("a"), "yes");
    const int64_t keys = books.keys();
    BooksHeader header = books.header("a");
    header.not_later_than_us = 999'999'999;
    EXPECT_EQ(books.ask(admit_words(header, one_call({.concurrent = 1}, 1))).word, "late");
    EXPECT_EQ(books.keys(), keys);
}

TEST(BooksScript, waits_after_a_start_unless_all_are_there_and_know_all) {
    Books books(2);
    const Duration young = Duration::seconds(5);
    books.set_time(at(1'000'000));
    EXPECT_EQ(books.join("a", young), "wait");
    EXPECT_EQ(books.join("b", young, {}, false), "wait");
    books.set_time(at(1'000'500));
    EXPECT_EQ(books.join("b", young), "yes");
    EXPECT_EQ(books.join("a", young), "yes");
    // Another process with what the first one saved: how much of it is missing, nobody knows.
    EXPECT_EQ(books.join("a", Duration::seconds(500), {}, true, "other"), "wait");
    EXPECT_EQ(books.join("b", Duration::seconds(500), {}, true, "other"), "yes");
}

TEST(BooksScript, gives_back_what_a_dead_replica_ran) {
    Books books(2);
    books.set_time(at(1'000'000));
    ASSERT_EQ(books.join("a"), "yes");
    ASSERT_EQ(books.join("b"), "yes");
    const Limits limits{.concurrent = 4};
    for (int i = 0; i < 4; ++i)
        EXPECT_TRUE(books.admit("a", one_call(limits, 1)).admitted());
    books.set_time(at(1'002'900));
    EXPECT_FALSE(books.admit("b", one_call(limits, 1)).admitted());
    books.set_time(at(1'003'000));
    for (int i = 0; i < 4; ++i)  // a's share of 2 is kept free
        EXPECT_EQ(books.admit("b", one_call(limits, 1)).admitted(), i < 2);
}

}  // namespace
}  // namespace brigada
