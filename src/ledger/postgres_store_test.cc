// What only a shared database brings: several writers, and a server that goes away and comes back.
#include "ledger/postgres_store.h"

#include <sstream>
#include <thread>

#include "ledger/test_ledger.h"
#include "ledger/test_postgres.h"

namespace brigada {
namespace {

using ::testing::HasSubstr;

constexpr Duration kLong = Duration::seconds(60);

class PostgresStores : public testing::Test {
  protected:
    void SetUp() override {
        NEEDS_POSTGRES();
        config_ = TestPostgres::shared().fresh_database();
    }

    std::unique_ptr<Ledger> open_ledger(const Path& folder) {
        return brigada::open_ledger(folder, config_);
    }

    int64_t stored() { return verify_calls(config_).value(); }

    /// A ledger that appends while the database is in trouble, from before to after it.
    void survives(const std::function<void()>& trouble, const std::function<void()>& recovery) {
        config_.patience = config_.connect_patience = Duration::milliseconds(150);
        const TestFolder folder;
        const auto ledger = open_ledger(folder.path());
        append_calls(*ledger, 0, 200);
        trouble();
        append_calls(*ledger, 200, 500);  // returns: clients do not wait for the database
        const auto flushed = ledger->flush(Duration::milliseconds(400));
        EXPECT_FALSE(flushed.ok());
        EXPECT_NE(ledger->backlog().store_trouble, "");
        EXPECT_GE(ledger->backlog().records, 300u);
        EXPECT_TRUE(ledger->accepting());
        recovery();
        append_calls(*ledger, 500, 600);
        config_.patience = kLong;
        const auto whole = ledger->flush(kLong);
        EXPECT_TRUE(whole.ok()) << whole.error().message;
        EXPECT_EQ(ledger->backlog().store_trouble, "");
        EXPECT_EQ(stored(), 600);
        EXPECT_TRUE(verify_ledger(folder.path(), config_).ok());
    }

    PostgresConfig config_;
};

TEST_F(PostgresStores, two_gateways_add_to_the_same_sums) {
    const TestFolder red, blue;
    const auto first = open_ledger(red.path()), second = open_ledger(blue.path());
    {
        std::jthread one([&] {
            for (uint64_t i = 0; i < 1'000; i += 20)
                append_calls(*first, i, i + 20);
        });
        for (uint64_t i = 1'000; i < 2'000; i += 20)
            append_calls(*second, i, i + 20);
    }
    ASSERT_TRUE(first->flush(kLong).ok());
    ASSERT_TRUE(second->flush(kLong).ok());
    EXPECT_EQ(stored(), 2'000);
    for (Ledger* ledger : {first.get(), second.get()})
        EXPECT_EQ(ledger->spend({.by = SpendBy::organisation})->at(0).sum.calls, 2'000);
    for (const TestFolder* folder : {&red, &blue})
        EXPECT_EQ(verify_ledger(folder->path(), config_)->waiting, 0u);
    std::ostringstream csv;
    EXPECT_EQ(export_csv(config_, {}, csv).value(), 2'000u);
}

TEST_F(PostgresStores, a_batch_that_comes_to_both_is_counted_once) {
    const auto first = PostgresStore::for_writing(config_, "a"),
               second = PostgresStore::for_writing(config_, "b");
    std::vector<std::string> bytes;
    std::vector<StoredCall> calls;
    for (uint64_t i = 0; i < 50; ++i)
        bytes.push_back(encode(agent_call(i % 40)));  // and ten twice in it
    for (const std::string& each : bytes)
        calls.push_back({decode_call_record(each).value(), each});
    std::atomic<uint64_t> added = 0;
    {
        std::jthread one([&] { added += first->insert(calls, 50).value(); });
        std::jthread other([&] { added += second->insert(calls, 50).value(); });
    }
    EXPECT_EQ(added, 40u);
    EXPECT_EQ(stored(), 40);
}

TEST_F(PostgresStores, a_server_that_is_frozen_is_waited_for) {
    survives([] { TestPostgres::shared().freeze(); }, [] { TestPostgres::shared().thaw(); });
}

TEST_F(PostgresStores, a_server_that_is_killed_is_waited_for) {
    survives([] { TestPostgres::shared().stop(); }, [] { TestPostgres::shared().start(); });
}

TEST_F(PostgresStores, a_gateway_starts_while_the_database_is_away) {
    const TestFolder folder;
    {
        const auto ledger = open_ledger(folder.path());
        append_calls(*ledger, 0, 300);
        ASSERT_TRUE(ledger->flush(kLong).ok());
        append_calls(*ledger, 300, 310);
    }
    TestPostgres::shared().stop();
    const auto ledger = open_ledger(folder.path());
    append_calls(*ledger, 310, 400);
    EXPECT_EQ(ledger->spend({}).error().code, Code::unavailable);
    TestPostgres::shared().start();
    ASSERT_TRUE(ledger->flush(kLong).ok());
    EXPECT_EQ(stored(), 400);
    EXPECT_TRUE(verify_ledger(folder.path(), config_).ok());
}

TEST_F(PostgresStores, a_copied_folder_is_found_out) {
    const TestFolder folder;
    const auto ledger = open_ledger(folder.path());
    append_calls(*ledger, 0, 10);
    ASSERT_TRUE(ledger->flush(kLong).ok());
    const auto copy = PostgresStore::for_writing(config_, bytes_of(folder.path() / "writer"));
    const std::string bytes = encode(agent_call(10));
    const std::vector<StoredCall> calls{{agent_call(10), bytes}};
    ASSERT_TRUE(copy->insert(calls, 11).ok());
    append_calls(*ledger, 20, 30);
    EXPECT_FALSE(ledger->flush(Duration::milliseconds(200)).ok());
    EXPECT_THAT(ledger->backlog().store_trouble, HasSubstr("Was data_dir copied?"));
    EXPECT_EQ(stored(), 11);
}

TEST_F(PostgresStores, a_database_put_back_to_an_older_state_is_found_out) {
    const TestFolder folder;
    {
        const auto ledger = open_ledger(folder.path());
        append_calls(*ledger, 0, 1);
        for (uint64_t i = 1; i < 300; i += 23)
            append_calls(*ledger, i, i + 23);  // segments go
        ASSERT_TRUE(ledger->flush(kLong).ok());
    }
    TestPostgres::run_sql(config_, "UPDATE brigada.writers SET moved = 1");
    const auto opened = Ledger::open({.folder = folder.path(), .postgres = config_});
    ASSERT_FALSE(opened.ok());
    EXPECT_EQ(opened.error().code, Code::corrupt);
    EXPECT_THAT(opened.error().message, HasSubstr("neither in the log nor in the store"));
}

TEST_F(PostgresStores, a_newer_schema_is_refused) {
    const TestFolder folder;
    open_ledger(folder.path());
    TestPostgres::run_sql(config_, "UPDATE brigada.schema_versions SET version = 9");
    const auto opened = Ledger::open({.folder = folder.path(), .postgres = config_});
    ASSERT_FALSE(opened.ok());
    EXPECT_EQ(opened.error().code, Code::unsupported);
    EXPECT_THAT(opened.error().message, HasSubstr("the schema of its ledger has version 9"));
    EXPECT_EQ(verify_calls(config_).error().code, Code::unsupported);
}

TEST_F(PostgresStores, reading_makes_nothing) {
    EXPECT_EQ(verify_calls(config_).error().code, Code::not_found);
    auto database = Postgres::connect(config_).value();
    EXPECT_EQ(database.run("SELECT 1 FROM pg_namespace WHERE nspname = 'brigada'")->count(), 0);
}

}  // namespace
}  // namespace brigada
