#include "ledger/ledger.h"

#include <sstream>

#include "ledger/sqlite.h"
#include "ledger/test_ledger.h"

namespace brigada {
namespace {

using ::testing::HasSubstr;

constexpr Duration kLong = Duration::seconds(60);

/// The store's write lock, held as a database that is stuck would.
class StuckStore {
  public:
    explicit StuckStore(const Path& folder)
        : database_(Sqlite::open(folder / "calls.db", kLong).value()),
          held_(SqliteTransaction::begin(database_).value()) {}

  private:
    Sqlite database_;
    SqliteTransaction held_;
};

TEST(Ledger, moves_every_call_into_the_store_once) {
    const TestFolder folder;
    {
        const auto ledger = open_ledger(folder.path());
        append_calls(*ledger, 0, 300);
        ASSERT_TRUE(ledger->flush(kLong).ok());
        EXPECT_EQ(ledger->backlog().records, 0u);
        EXPECT_EQ(ledger->backlog().bytes, 0u);
        EXPECT_FALSE(ledger->backlog().oldest);
        EXPECT_EQ(ledger->spend({.by = SpendBy::organisation}).value().at(0).sum.calls, 300);
        EXPECT_TRUE(verify_ledger(folder.path()).ok());  // beside the one that writes
    }
    const LedgerReport report = verify_ledger(folder.path()).value();
    EXPECT_EQ(report.stored, 300);
    EXPECT_EQ(report.waiting, 0u);
    EXPECT_LE(report.segments, 2u);  // what was moved is gone
}

TEST(Ledger, is_verified_while_it_moves_and_removes) {
    const TestFolder folder;
    const auto ledger = open_ledger(folder.path());
    std::atomic<bool> verified = false;
    std::thread writer([&] {
        for (uint64_t i = 0; !verified; i += 20)
            append_calls(*ledger, i, i + 20);
    });
    for (int i = 0; i < 15; ++i) {
        const auto report = verify_ledger(folder.path());
        EXPECT_TRUE(report.ok()) << report.error().message;
    }
    verified = true;
    writer.join();
}

TEST(Ledger, rebuilds_a_budget_from_what_was_spent) {
    const TestFolder folder;
    const auto ledger = open_ledger(folder.path());
    append_calls(*ledger, 0, 100);
    ASSERT_TRUE(ledger->flush(kLong).ok());
    Money expected;
    for (uint64_t i = 40; i < 100; ++i)
        if (agent_call(i).key == "key-2") expected += agent_call(i).cost;
    EXPECT_EQ(ledger->spent_since(SpendBy::key, "key-2", agent_call(40).ended).value(), expected);
    EXPECT_EQ(ledger->spent_since(SpendBy::key, "nobody", {}).value(), Money{});
}

TEST(Ledger, keeps_single_calls_no_longer_than_it_is_told) {
    const TestFolder folder;
    const auto ledger = Ledger::open({.folder = folder.path(),
                                      .mover = {.pace = Duration::milliseconds(1),
                                                .keep = Duration::seconds(3'600)}})
                            .value();
    append_calls(*ledger, 0, 100);  // all of them long ago
    CallRecord fresh = agent_call(100);
    fresh.ended = WallClock().now();
    std::promise<bool> written;
    ledger->append(fresh, [&](const Result<void>& r) { written.set_value(r.ok()); });
    ASSERT_TRUE(written.get_future().get());
    ASSERT_TRUE(ledger->flush(kLong).ok());
    ledger->stop(kLong);  // the mover forgets after the batch that a flush waits for
    const auto report = verify_ledger(folder.path());
    ASSERT_TRUE(report.ok()) << report.error().message;
    EXPECT_EQ(report->stored, 1);
    EXPECT_EQ(ledger->spent_since(SpendBy::key, "key-2", {}).value() > Money{}, true);
}

TEST(Ledger, waits_out_a_store_that_is_stuck_and_serves_on) {
    const TestFolder folder;
    const auto ledger = open_ledger(folder.path());
    append_calls(*ledger, 0, 10);
    ASSERT_TRUE(ledger->flush(kLong).ok());
    {
        const StuckStore stuck(folder.path());
        append_calls(*ledger, 10, 30);  // returns: the client need not wait for the store
        const auto flushed = ledger->flush(Duration::milliseconds(600));
        ASSERT_FALSE(flushed.ok());
        EXPECT_EQ(flushed.error().code, Code::deadline);
        EXPECT_THAT(flushed.error().message, HasSubstr("20 calls are still in the log"));
        EXPECT_THAT(flushed.error().message, HasSubstr("database is locked"));
        EXPECT_EQ(ledger->backlog().records, 20u);
        EXPECT_GT(ledger->backlog().bytes, 20u * 100);
        EXPECT_TRUE(ledger->backlog().oldest);
        EXPECT_THAT(ledger->backlog().store_trouble, HasSubstr("locked"));
        EXPECT_TRUE(ledger->accepting());
        EXPECT_EQ(verify_ledger(folder.path())->waiting, 20u);
    }
    ASSERT_TRUE(ledger->flush(kLong).ok());
    EXPECT_EQ(ledger->backlog().store_trouble, "");
    EXPECT_EQ(verify_ledger(folder.path())->stored, 30);
}

TEST(Ledger, brings_at_the_next_start_what_a_stuck_store_left_in_the_log) {
    const TestFolder folder;
    {
        const auto ledger = open_ledger(folder.path());
        const StuckStore stuck(folder.path());
        append_calls(*ledger, 0, 50);
        ledger->stop(Duration::milliseconds(1));
    }
    EXPECT_EQ(verify_ledger(folder.path())->waiting, 50u);
    const auto ledger = open_ledger(folder.path());
    ASSERT_TRUE(ledger->flush(kLong).ok());
    EXPECT_EQ(verify_ledger(folder.path())->stored, 50);
}

TEST(Ledger, is_for_one_process) {
    const TestFolder folder;
    const auto ledger = open_ledger(folder.path());
    const auto second = Ledger::open({.folder = folder.path()});
    ASSERT_FALSE(second.ok());
    EXPECT_EQ(second.error().code, Code::unavailable);
    EXPECT_THAT(second.error().message, HasSubstr(concat("held by process ", ::getpid())));
}

TEST(Ledger, refuses_a_store_that_lost_what_the_log_had_moved) {
    const TestFolder folder;
    {
        const auto ledger = open_ledger(folder.path());
        append_calls(*ledger, 0, 100);
        ASSERT_TRUE(ledger->flush(kLong).ok());
        append_calls(*ledger, 100, 101);
        ASSERT_TRUE(ledger->flush(kLong).ok());
    }
    for (const char* name : {"calls.db", "calls.db-wal", "calls.db-shm"})
        std::filesystem::remove(folder.path() / name);
    const auto ledger = Ledger::open({.folder = folder.path()});
    ASSERT_FALSE(ledger.ok());
    EXPECT_EQ(ledger.error().code, Code::corrupt);
    EXPECT_THAT(ledger.error().message, HasSubstr("are neither in the log nor in the store"));
}

TEST(Ledger, verify_finds_a_moved_call_that_the_store_lacks) {
    const TestFolder folder;
    {
        const auto ledger = open_ledger(folder.path());
        append_calls(*ledger, 0, 5);
        ASSERT_TRUE(ledger->flush(kLong).ok());
    }
    ASSERT_TRUE(Sqlite::open(folder.path() / "calls.db", kLong)
                    ->run("DELETE FROM calls; DELETE FROM spend")
                    .ok());
    const auto report = verify_ledger(folder.path());
    ASSERT_FALSE(report.ok());
    EXPECT_THAT(report.error().message,
                HasSubstr(concat("call ", agent_call(0).id.hex(), ", record 1 of the log")));
}

TEST(Ledger, exports_the_calls_of_a_span) {
    const TestFolder folder;
    const auto ledger = open_ledger(folder.path());
    append_calls(*ledger, 0, 10);
    ASSERT_TRUE(ledger->flush(kLong).ok());
    std::ostringstream out;
    const CallSpan span{agent_call(3).ended, agent_call(5).ended};
    EXPECT_EQ(export_csv(folder.path(), span, out).value(), 2u);
    const std::string text = out.str();
    EXPECT_EQ(std::ranges::count(text, '\n'), 3);
    EXPECT_THAT(text, HasSubstr(agent_call(3).id.hex()));
    EXPECT_THAT(text, HasSubstr(agent_call(4).id.hex()));
    EXPECT_THAT(text, HasSubstr("0.031337004"));
    std::ostringstream broken;
    broken.setstate(std::ios::badbit);
    EXPECT_EQ(export_csv(folder.path(), span, broken).error().code, Code::io);
}

}  // namespace
}  // namespace brigada
