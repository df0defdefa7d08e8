// What the ledger costs: records on the disk per second, beside what the same disk does in plain
// syncs; records moved into the store per second; and bytes per record in the log and in the store.
#include <benchmark/benchmark.h>

#include <condition_variable>
#include <mutex>

#include "ledger/ledger.h"
#include "ledger/sqlite_store.h"
#include "ledger/test_folder.h"

namespace brigada {
namespace {

/// The limit of the disk: one record's bytes and one sync at a time.
void plain_sync(benchmark::State& state) {
    const TestFolder folder;
    LogFile file = LogFile::create(folder.path() / "plain", Disk::real()).value();
    const std::string record = encode(agent_call(1));
    for (auto _ : state)
        CHECK(file.append(record).ok());
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(plain_sync)->UseRealTime();

/// `appenders` calls in flight, each followed by another once it is on the disk.
void append(benchmark::State& state) {
    const auto appenders = state.range(0);
    const TestFolder folder;
    const auto wal = Wal::open({.folder = folder.path()}).value();
    const std::string record = encode(agent_call(1));
    std::mutex mutex;
    std::condition_variable fewer;
    int64_t in_flight = 0;
    const auto wait_below = [&](int64_t most) {
        std::unique_lock lock(mutex);
        fewer.wait(lock, [&] { return in_flight < most; });
    };
    for (auto _ : state) {
        wait_below(appenders);
        {
            std::lock_guard lock(mutex);
            ++in_flight;
        }
        wal->append(record, [&](const Result<void>&) {
            std::lock_guard lock(mutex);
            --in_flight;
            fewer.notify_one();
        });
    }
    wait_below(1);
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(append)->Arg(1)->Arg(64)->Arg(1'024)->UseRealTime();

/// CPU of one record up to the log's queue.
void encode_record(benchmark::State& state) {
    const CallRecord call = agent_call(1);
    for (auto _ : state)
        benchmark::DoNotOptimize(encode(call));
    state.counters["log_bytes"] = static_cast<double>(encode(call).size());
}
BENCHMARK(encode_record);

void move_to_store(benchmark::State& state) {
    const auto records = static_cast<uint64_t>(state.range(0));
    uint64_t number = 0;
    const TestFolder folder;
    const Path file = folder.path() / "calls.db";
    const auto store = SqliteStore::open(file).value();
    for (auto _ : state) {
        std::vector<std::string> bytes;
        std::vector<StoredCall> calls;
        for (uint64_t i = 0; i < records; ++i)
            bytes.push_back(encode(agent_call(number + i)));
        for (const std::string& each : bytes)
            calls.push_back({decode_call_record(each).value(), each});
        number += records;
        CHECK(store->insert(calls, number).value() == records);
    }
    state.SetItemsProcessed(static_cast<int64_t>(number));
    const auto size = std::filesystem::file_size(file);
    state.counters["store_bytes"] = static_cast<double>(size) / static_cast<double>(number);
}
BENCHMARK(move_to_store)->Arg(10)->Arg(4'000)->UseRealTime();

}  // namespace
}  // namespace brigada
