// The ledger against real deaths: a child process makes calls and is killed at any moment, or meets
// a limit on file sizes. It tells its parent through a pipe which calls it began, and which it was
// told are safe.
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <condition_variable>
#include <set>

#include "ledger/ledger.h"
#include "ledger/sqlite_store.h"
#include "ledger/test_folder.h"

namespace brigada {
namespace {

constexpr Duration kLong = Duration::seconds(60);

LedgerConfig config_of(const Path& folder, Duration sync_within = {}) {
    // Small segments and a quick mover: deaths meet every step, rolling and removing included.
    return {.folder = folder,
            .segment_bytes = 8'192,
            .sync_within = sync_within,
            .mover = {.pace = Duration::microseconds(200), .retry = Duration::milliseconds(1)}};
}

/// One write of eight bytes to a pipe is whole or not at all.
void tell(int pipe, uint64_t what) {
    CHECK(::write(pipe, &what, sizeof what) == sizeof what);
}

constexpr uint64_t kAcknowledged = uint64_t{1} << 63;

/// Makes calls from `first` on for ever, a few at a time in flight. Tells the number of each once
/// it is begun, as if an upstream had it now, and again once its client may see the end.
[[noreturn]] void call_for_ever(const LedgerConfig& config, uint64_t first, int told) {
    const auto ledger = Ledger::open(config).value();
    std::mutex mutex;
    std::condition_variable fewer;
    int in_flight = 0;
    for (uint64_t i = first;; ++i) {
        std::unique_lock lock(mutex);
        fewer.wait(lock, [&] { return in_flight < 16; });
        ++in_flight;
        lock.unlock();
        const auto place = ledger->begin(agent_call(i)).value();
        tell(told, i);
        ledger->append(agent_call(i), place, [&, i](const Result<void>& outcome) {
            if (outcome.ok()) tell(told, i | kAcknowledged);
            std::lock_guard done(mutex);
            --in_flight;
            fewer.notify_one();
        });
    }
}

struct Told {
    std::vector<uint64_t> begun, acknowledged;
};

/// Everything the child told before it died, killed once it told `enough`.
Told run_and_kill(const LedgerConfig& config, uint64_t first, uint64_t enough) {
    int pipe_ends[2];
    CHECK(::pipe2(pipe_ends, O_CLOEXEC) == 0);
    const pid_t child = ::fork();
    CHECK(child >= 0);
    if (child == 0) call_for_ever(config, first, pipe_ends[1]);
    ::close(pipe_ends[1]);
    Told told;
    uint64_t number = 0;
    while (::read(pipe_ends[0], &number, sizeof number) == sizeof number) {
        if (number & kAcknowledged)
            told.acknowledged.push_back(number & ~kAcknowledged);
        else
            told.begun.push_back(number);
        if (told.begun.size() + told.acknowledged.size() == enough)
            CHECK(::kill(child, SIGKILL) == 0);
    }
    ::close(pipe_ends[0]);
    int status = 0;
    CHECK(::waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "the child ended by itself");
    return told;
}

/// How each call in the store ended, by id; the store has none twice (CHECK).
std::map<RecordId, CallStatus> stored_calls(const Path& folder) {
    std::map<RecordId, CallStatus> out;
    const auto store = SqliteStore::open_read_only(folder / "calls.db").value();
    const auto take = [&](const CallRecord& call) -> Result<void> {
        CHECK(out.emplace(call.id, call.status).second, "twice: ", call.id.hex());
        return {};
    };
    CHECK(store->each_call({}, take).ok());
    return out;
}

TEST(Crash, killed_fifty_times_the_ledger_has_every_call_that_began_and_none_twice) {
    const TestFolder folder;
    Rng rng(6);
    std::set<uint64_t> begun, acknowledged;
    uint64_t next = 0;
    for (int round = 0; round < 50; ++round) {
        SCOPED_TRACE(round);
        // Uniform in the logarithm: some die at once, some after many segments.
        const uint64_t enough = uint64_t{1} << rng.below(11);
        const Duration sync_within =
            Duration::milliseconds(round % 2 == 0 ? 0 : rng.between(1, 50));
        const Told told =
            run_and_kill(config_of(folder.path(), sync_within), next, enough + rng.below(enough));
        begun.insert(told.begun.begin(), told.begun.end());
        acknowledged.insert(told.acknowledged.begin(), told.acknowledged.end());
        next += told.begun.size() + 1'000;  // ids no child has used, begun or not

        const auto ledger = Ledger::open(config_of(folder.path()));
        ASSERT_TRUE(ledger.ok()) << ledger.error().message;
        EXPECT_LE((*ledger)->lost(), 17u) << "at most what was in flight";
        ASSERT_TRUE((*ledger)->flush(kLong).ok());
    }
    const auto stored = stored_calls(folder.path());
    for (const uint64_t number : begun)
        ASSERT_TRUE(stored.contains(agent_call(number).id)) << number;
    for (const uint64_t number : acknowledged)
        ASSERT_EQ(stored.at(agent_call(number).id), agent_call(number).status) << number;
    EXPECT_GT(acknowledged.size(), 2'000u);
    EXPECT_LE(stored.size(), begun.size() + 50) << "death may come before a call is told";
    const auto report = verify_ledger(folder.path());
    ASSERT_TRUE(report.ok()) << report.error().message;
    EXPECT_EQ(static_cast<size_t>(report->stored), stored.size());
}

/// In the child: runs into a limit of file size, as into a full disk, and has it lifted.
void meet_a_full_disk(const Path& folder) {
    ::signal(SIGXFSZ, SIG_IGN);
    const auto wal = Wal::open({.folder = folder, .retry = Duration::milliseconds(1)}).value();
    rlimit limit{};
    CHECK(::getrlimit(RLIMIT_FSIZE, &limit) == 0);
    limit.rlim_cur = 10'000;
    CHECK(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
    std::atomic<int> written = 0;
    for (int i = 0; i < 30; ++i)
        wal->append(std::string(1'000, 'x'), [&](const Result<void>& r) { written += r.ok(); });
    while (wal->accepting())
        std::this_thread::yield();
    CHECK(wal->status().trouble.contains("File too large"), wal->status().trouble);
    limit.rlim_cur = limit.rlim_max;
    CHECK(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
    wal->stop(kLong);
    CHECK(written == 30, written.load());
    CHECK(wal->status().trouble.empty());
}

TEST(Crash, a_file_size_limit_loses_nothing_and_recovers) {
    const TestFolder folder;
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        meet_a_full_disk(folder.path());
        ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    size_t records = 0;
    const auto count = [&](const WalFrame& frame, uint64_t) { records += frame.records.size(); };
    const auto contents = scan_wal_folder(folder.path(), 0, count);
    ASSERT_TRUE(contents.ok()) << contents.error().message;
    EXPECT_EQ(records, 30u);
    EXPECT_FALSE(contents->torn);
}

}  // namespace
}  // namespace brigada
