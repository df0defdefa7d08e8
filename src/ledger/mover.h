// Mover: the thread that brings records from the write-ahead log into the store, in batches, each
// with the log's position in one transaction. While the store is locked, slow or gone it tries
// again with growing pauses, and the log keeps everything.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "base/wall_time.h"
#include "ledger/call_store.h"
#include "ledger/wal.h"

namespace brigada {

struct MoverConfig {
    /// Between two batches, so that one commit carries many records.
    Duration pace = Duration::milliseconds(100);
    Duration retry = Duration::milliseconds(50);  // after a failure; doubles up to `longest_retry`
    Duration longest_retry = Duration::seconds(5);
    Duration keep = Duration::max();  // how long calls stay in the store; their sums stay for ever
};

class Mover {
  public:
    /// `wal` must outlive it.
    Mover(Wal& wal, std::unique_ptr<CallStore> store, const MoverConfig& config);
    Mover(const Mover&) = delete;
    Mover& operator=(const Mover&) = delete;
    ~Mover();

    /// When the oldest record in the mover's hands was written; nothing while it waits for one.
    std::optional<WallTime> oldest() const;

    /// Why the store takes nothing; empty while it does.
    std::string trouble() const;

    /// Waits until every record that the log had accepted when it was called is in the store.
    /// Error::deadline, with what stands in the way, after `patience`.
    Result<void> flush(Duration patience);

    /// Ends after the transaction under way; what is left stays in the log.
    void stop();

  private:
    void move_until_stopped(const std::stop_token& stop);
    Result<void> move_batch();
    Result<void> read_batch();
    Result<void> insert_batch();
    Result<void> forget_old_calls();
    void note_moved(uint64_t moved);
    void note_trouble(const Error& error);
    void pause(Duration length, bool may_hurry, const std::stop_token& stop);

    Wal& wal_;
    const MoverConfig config_;

    // The thread's own.
    std::unique_ptr<CallStore> store_;
    WalReader reader_;
    std::vector<OwnedWalFrame> batch_;
    std::vector<StoredCall> calls_;     // those of batch_; its memory serves batch after batch
    std::optional<int64_t> forgotten_;  // calls before this hour are gone

    mutable std::mutex mutex_;
    std::condition_variable_any changed_;
    uint64_t moved_;
    std::optional<WallTime> oldest_;
    std::string trouble_;
    int hurried_ = 0;  // flushes that wait

    std::jthread thread_;  // last: it uses all of the above
};

}  // namespace brigada
