#include "ledger/postgres.h"

#include <fcntl.h>

#include <thread>

#include "ledger/postgres_text.h"
#include "ledger/test_postgres.h"

namespace brigada {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(PostgresAddress, takes_urls_as_litellm_has_them) {
    const auto plain = parse_postgres_address("postgresql://u:p%40ss@db.example:5433/litellm");
    ASSERT_TRUE(plain.ok());
    EXPECT_EQ(plain->name, "PostgreSQL at db.example:5433/litellm");
    const auto prisma = parse_postgres_address(
        "postgres://u:p@h/d?schema=public&sslmode=require&connection_limit=9&pgbouncer=true");
    ASSERT_TRUE(prisma.ok()) << prisma.error().message;
    EXPECT_EQ(prisma->url, "postgres://u:p@h/d?sslmode=require");
}

TEST(PostgresAddress, never_repeats_what_may_be_a_password) {
    for (const char* url : {"mysql://u:secret@h/d", "secret", "postgresql://u:se/cret@h/d",
                            "postgresql://u:secret@secret@h/d", "postgresql://u:p@h:port/secret",
                            "postgresql://u:p@h/d?secret=1"}) {
        SCOPED_TRACE(url);
        const auto address = parse_postgres_address(url);
        ASSERT_FALSE(address.ok());
        EXPECT_EQ(address.error().code, Code::invalid_argument);
        EXPECT_THAT(address.error().message, Not(HasSubstr("cret")));
    }
}

TEST(PostgresText, gives_any_bytes_back_and_leaves_usual_texts_alone) {
    EXPECT_EQ(pg_text("coder/größe-✓-🙂"), "coder/größe-✓-🙂");
    EXPECT_EQ(pg_text(std::string_view("a\0b\\c\xff", 6)), "a\\x00b\\\\c\\xff");
    EXPECT_EQ(pg_text("\xc0\x80 \xed\xa0\x80 \xf4\x90\x80\x80").find('\xc0'), std::string::npos);
    Rng rng(8);
    for (int i = 0; i < 2'000; ++i) {
        std::string bytes(rng.below(40), '\0');
        for (char& c : bytes)
            c = rng.chance(0.5) ? static_cast<char>(rng.next()) : "\\x0a\xc3\xa4#"[rng.below(7)];
        EXPECT_EQ(from_pg_text(pg_text(bytes)), bytes);
        EXPECT_EQ(from_pg_hex(pg_hex(bytes)), bytes);
    }
}

TEST(PostgresText, stays_short_enough_for_an_index) {
    const std::string one(2'000, '\xff'), other = one + "x";
    EXPECT_LE(pg_text(one).size(), kPgTextBytes);
    EXPECT_NE(pg_text(one), pg_text(other));
    EXPECT_EQ(from_pg_text(pg_text(one)), pg_text(one));
}

class PostgresTest : public testing::Test {
  protected:
    void SetUp() override { NEEDS_POSTGRES(); }
};

TEST_F(PostgresTest, keeps_any_text_and_bytes) {
    auto database = Postgres::connect(TestPostgres::shared().fresh_database()).value();
    ASSERT_TRUE(database.run_script("CREATE TABLE t (a text[], b bytea, n bigint)").ok());
    const std::vector<std::string> texts{"", "a,b", "{\"x\\y\"}", "NULL", "größe"};
    const std::string bytes("\0\xff'\\", 4);
    ASSERT_TRUE(database
                    .run("INSERT INTO t VALUES ($1, $2, $3)",
                         {pg_array(texts), PgValue::bytea(bytes), INT64_MIN})
                    .ok());
    const PgRows rows = database.run("SELECT unnest(a), b, n FROM t").value();
    ASSERT_EQ(rows.count(), 5);
    for (int i = 0; i < rows.count(); ++i)
        EXPECT_EQ(rows.text(i, 0), texts[static_cast<size_t>(i)]);
    EXPECT_EQ(rows.bytea(0, 1), bytes);
    EXPECT_EQ(rows.integer(0, 2), INT64_MIN);
}

TEST_F(PostgresTest, an_error_leaves_the_connection_of_use_and_undoes_the_transaction) {
    auto database = Postgres::connect(TestPostgres::shared().fresh_database()).value();
    ASSERT_TRUE(database.run_script("CREATE TABLE t (n bigint PRIMARY KEY)").ok());
    {
        auto transaction = PgTransaction::begin(database);
        ASSERT_TRUE(database.run("INSERT INTO t VALUES ($1)", {int64_t{1}}).ok());
        const auto twice = database.run("INSERT INTO t VALUES ($1)", {int64_t{1}});
        ASSERT_FALSE(twice.ok());
        EXPECT_THAT(twice.error().message, HasSubstr("duplicate key"));
    }
    EXPECT_FALSE(database.broken());
    EXPECT_EQ(database.run("SELECT count(*) FROM t")->integer(0, 0), 0);
}

TEST_F(PostgresTest, nothing_waits_for_ever) {
    PostgresConfig config = TestPostgres::shared().fresh_database();
    config.patience = config.connect_patience = Duration::milliseconds(200);
    auto database = Postgres::connect(config).value();
    const auto slow = database.run("SELECT pg_sleep(60)");
    ASSERT_FALSE(slow.ok());  // the server gave up, or we did
    EXPECT_TRUE(slow.error().code == Code::unavailable || slow.error().code == Code::deadline);

    database = Postgres::connect(config).value();
    TestPostgres::shared().freeze();
    const auto frozen = database.run("SELECT 1");
    const auto refused = Postgres::connect(config);
    TestPostgres::shared().thaw();
    ASSERT_FALSE(frozen.ok());
    EXPECT_EQ(frozen.error().code, Code::deadline);
    EXPECT_THAT(frozen.error().message, HasSubstr("no answer within 200 ms"));
    EXPECT_TRUE(database.broken());
    EXPECT_EQ(database.run("SELECT 1").error().code, Code::unavailable);
    EXPECT_FALSE(refused.ok());
}

TEST_F(PostgresTest, says_where_nothing_answers) {
    const auto address = parse_postgres_address("postgresql://u:secret@127.0.0.1:1/d").value();
    const auto refused = Postgres::connect({.address = address});
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, Code::unavailable);
    EXPECT_THAT(refused.error().message, HasSubstr("127.0.0.1:1/d: connecting: "));
    EXPECT_THAT(refused.error().message, HasSubstr("Connection refused"));
    EXPECT_THAT(refused.error().message, Not(HasSubstr("secret")));
}

TEST_F(PostgresTest, many_may_make_the_tables_at_once) {
    const PostgresConfig config = TestPostgres::shared().fresh_database();
    constexpr std::array kTwo{"CREATE TABLE brigada.a (n int)", "CREATE TABLE brigada.b (n int)"};
    std::atomic<int> good = 0;
    {
        std::vector<std::jthread> gateways;
        for (int i = 0; i < 6; ++i)
            gateways.emplace_back([&] {
                auto database = Postgres::connect(config).value();
                good += database.migrate("part", std::span(kTwo).first(1)).ok();
                const auto done = database.migrate("part", kTwo);
                good += done.ok() || done.error().code == Code::unsupported;
            });
    }
    EXPECT_GE(good, 7);  // once all are at version 2, those with one step are refused
    auto database = Postgres::connect(config).value();
    EXPECT_TRUE(database.expect_version("part", 2).ok());
    const auto older = database.migrate("part", std::span(kTwo).first(1));
    ASSERT_FALSE(older.ok());
    EXPECT_EQ(older.error().code, Code::unsupported);
    EXPECT_THAT(older.error().message, HasSubstr("the schema of its part has version 2; this "
                                                 "build knows up to 1"));
    EXPECT_EQ(database.expect_version("part", 1).error().code, Code::unsupported);
    EXPECT_EQ(database.expect_version("other", 1).error().code, Code::not_found);
}

TEST_F(PostgresTest, hears_what_another_says) {
    const PostgresConfig config = TestPostgres::shared().fresh_database();
    auto listener = Postgres::connect(config).value();
    ASSERT_TRUE(listener.run_script("LISTEN c").ok());
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    TestPostgres::run_sql(config, "NOTIFY c");
    EXPECT_TRUE(listener.wait_for_notice(Duration::seconds(60), ends[0]).ok());
    ASSERT_EQ(::write(ends[1], "x", 1), 1);  // and what its own process says
    EXPECT_TRUE(listener.wait_for_notice(Duration::seconds(60), ends[0]).ok());
    ::close(ends[0]);
    ::close(ends[1]);
}

}  // namespace
}  // namespace brigada
