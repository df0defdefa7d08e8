#include "gateway/shared/shared_books.h"

#include <atomic>
#include <future>

#include "gateway/shared/redis_process.h"
#include "net/tls_client_fixture.h"

namespace brigada {
namespace {

constexpr Duration kPatience = Duration::seconds(2);  // a busy machine is not an outage

/// A process that counts one scope by a limiter.
class OneScope : public SharedBooks::Source {
  public:
    static constexpr ScopeId kKey{1};

    OneScope() { limiter_.set_limits(kKey, limits_); }

    std::vector<ScopeId> in_use() override { return limiter_.in_use(); }
    std::optional<SharedUse> use_of(ScopeId scope) override {
        return SharedUse{"key", limiter_.use(scope, Clock().now()), {}, {}};
    }
    void decide(const std::optional<Alone>& alone) override {
        limiter_.set_alone(alone);
        is_alone_ = alone.has_value();
    }

    SharedCall call() const { return {.tokens = 1, .scopes = {{"key", limits_, {}}}}; }
    Limiter& limiter() { return limiter_; }
    bool is_alone() const { return is_alone_; }

  private:
    Limits limits_{.requests_per_minute = 10};
    Limiter limiter_;
    std::atomic<bool> is_alone_ = true;
};

/// A gateway's loop with its books.
class Member {
  public:
    Member(const RedisProcess& redis, int64_t replicas, std::shared_ptr<TlsContext> tls = nullptr)
        : books_({.address = {.host = "127.0.0.1",
                              .port = tls ? redis.tls_port() : redis.port(),
                              .is_tls = tls != nullptr},
                  .tls = tls,
                  .replicas = replicas,
                  .patience = kPatience,
                  .knows_all = true},
                 loop_, source_, metrics_) {
        loop_.run([&] { books_.start(); });
    }
    ~Member() {
        std::promise<bool> told;
        if (loop_.spawn(leave(told))) told.get_future().wait();
        loop_.stop();
    }

    /// It may believe so before Redis has answered, and be turned away: see wait_until_joined().
    void wait_until(bool is_alone) {
        while (source_.is_alone() != is_alone)
            ::poll(nullptr, 0, 10);
    }

    /// 1: admitted, 0: refused, -1: to be decided alone.
    int ask() {
        std::promise<int> answer;
        loop_.run([&] {
            books_.admit(source_.call(), [&](const SharedAnswer* said) {
                const ScopeId scopes[] = {OneScope::kKey};
                if (said && said->admitted())
                    source_.limiter().settle(source_.limiter().take(scopes, 1, loop_.now()), 1);
                answer.set_value(said ? said->admitted() : -1);
            });
        });
        return answer.get_future().get();
    }

    std::string state() {
        std::string out;
        loop_.run([&] { out = books_.state(); });
        return out;
    }

  private:
    Task<void> leave(std::promise<bool>& told) { told.set_value(co_await books_.stop()); }

    Loop loop_{"member"};
    GatewayMetrics metrics_;
    OneScope source_;
    SharedBooks books_;
};

/// Until so many members are in the books of this Redis, by its own word. Who came first was turned
/// away until the others were there.
void wait_until_joined(RedisProcess& redis, int members) {
    const auto joined = [&] {
        int out = 0;
        for (const RedisValue& value : redis.ask({"HVALS", "brigada:{limits}:replicas"}).list)
            out += value.text.ends_with(" 1");
        return out;
    };
    while (joined() < members)
        ::poll(nullptr, 0, 10);
}

TEST(SharedBooks, members_count_together) {
    RedisProcess redis;
    Member one(redis, 2), two(redis, 2);
    wait_until_joined(redis, 2);
    int admitted = 0;
    for (int i = 0; i < 10; ++i)
        admitted += (one.ask() == 1) + (two.ask() == 1);
    EXPECT_EQ(admitted, 10);
    EXPECT_EQ(one.state(), "shared");
}

TEST(SharedBooks, what_was_admitted_is_told_to_a_redis_that_forgot_it) {
    RedisProcess redis;
    Member one(redis, 2), two(redis, 2);
    wait_until_joined(redis, 2);
    for (int i = 0; i < 3; ++i)
        EXPECT_EQ(one.ask() + two.ask(), 2);
    redis.kill();
    one.wait_until(true);
    two.wait_until(true);
    EXPECT_EQ(one.ask(), -1);
    EXPECT_NE(one.state(), "shared");
    redis.start();
    wait_until_joined(redis, 2);
    int admitted = 0;
    for (int i = 0; i < 10; ++i)
        admitted += (one.ask() == 1) + (two.ask() == 1);
    EXPECT_EQ(admitted, 4) << "6 of 10 were admitted before";
}

TEST(SharedBooks, a_redis_that_forgot_us_while_it_ran_is_told_again) {
    RedisProcess redis;
    Member one(redis, 1);
    one.wait_until(false);
    for (int i = 0; i < 4; ++i)
        EXPECT_EQ(one.ask(), 1);
    redis.ask({"FLUSHALL"});
    int admitted = 4;
    for (int answer = one.ask(); answer != 0; answer = one.ask()) {
        admitted += answer == 1;
        if (answer == -1) one.wait_until(false);  // that message found it out
    }
    EXPECT_EQ(admitted, 10);
}

std::shared_ptr<TlsContext> trusting(const std::string& ca_file) {
    return TlsContext::open({.ca_file = ca_file}).value();
}

TEST(SharedBooks, speaks_to_redis_by_tls_and_to_whom_it_trusts_alone) {
    const FakeAuthority authority, other("Another CA");
    const Identity server = authority.issue();
    RedisProcess redis({.certificate = write_test_file("cert", server.certificate_pem()),
                        .key = write_test_file("key", server.key_pem())});
    Member one(redis, 1, trusting(write_test_file("ca", authority.pem())));
    one.wait_until(false);
    for (int i = 0; i < 10; ++i)
        EXPECT_EQ(one.ask(), 1);
    EXPECT_EQ(one.ask(), 0);

    Member wary(redis, 2, trusting(write_test_file("other", other.pem())));
    while (wary.state().find("certificate") == std::string::npos)
        ::poll(nullptr, 0, 10);
    EXPECT_EQ(wary.ask(), -1);
}

TEST(SharedBooks, says_what_is_wrong_with_redis) {
    RedisProcess redis;
    redis.ask({"CONFIG", "SET", "requirepass", "secret"});
    Member one(redis, 1);
    while (one.state().find("NOAUTH") == std::string::npos)
        ::poll(nullptr, 0, 10);
    EXPECT_EQ(one.ask(), -1);
}

}  // namespace
}  // namespace brigada
