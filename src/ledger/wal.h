// Wal: the write-ahead log. Any thread appends; one writer thread takes everything that waits, or
// has come within a short time, puts it down with one write and one sync, and tells each appender.
// A disk that is full or broken loses nothing: what was accepted waits and is tried again, and
// accepting() is false meanwhile.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "ledger/log_file.h"
#include "ledger/wal_folder.h"

namespace brigada {

struct WalConfig {
    Path folder = {};
    uint64_t moved = 0;                           // the last sequence that is in the store
    uint64_t segment_bytes = 64 << 20;            // a segment is closed once it is as long
    uint64_t waiting_bytes = 64 << 20;            // accepting() is false beyond
    Duration retry = Duration::milliseconds(20);  // after a failure; doubles up to one second
    Duration gather = {};  // how long a record waits for others, to share their sync
    Disk* disk = &Disk::real();
};

struct WalStatus {
    uint64_t backlog_records = 0;  // accepted and not in the store
    uint64_t backlog_bytes = 0;    // of those records
    uint64_t unwritten = 0;        // of those, not yet on the disk
    uint64_t end = 1;              // sequence after the last that is on the disk
    uint64_t moved = 0;            // the last sequence that is in the store
    std::string trouble = {};      // why the disk takes nothing; empty while it does
};

class Wal {
  public:
    /// Told once per record, on the writer's thread, in order: it must not wait. An error only
    /// after stop(), when the disk did not recover in time.
    using Done = std::move_only_function<void(Result<void>)>;

    /// Scans what is there and cuts a torn tail. Whoever calls holds the folder's lock.
    /// Error::corrupt for damage, ::io.
    static Result<std::unique_ptr<Wal>> open(const WalConfig& config);

    Wal(const Wal&) = delete;
    Wal& operator=(const Wal&) = delete;
    ~Wal();

    const Path& folder() const { return config_.folder; }

    /// What opening cut off.
    const std::optional<TornTail>& torn() const { return torn_; }

    /// Takes every record, also while accepting() is false: its call has been made. At most 1 MiB.
    void append(std::string record, Done done);

    /// What waits is written now.
    void hurry();

    /// Whether new calls may begin.
    bool accepting() const;

    WalStatus status() const;

    /// Waits for a record after `sequence` on the disk. False when `stop` was requested.
    bool wait_past(uint64_t sequence, const std::stop_token& stop) const;

    /// Everything up to `sequence`, `bytes` of records since the last time, is in the store:
    /// segments that hold nothing else are removed.
    void moved(uint64_t sequence, uint64_t bytes);

    /// Takes nothing more; waits until all is written, or for `patience` if the disk refuses.
    void stop(Duration patience);

  private:
    struct Waiting {
        std::string record;
        Done done;
    };
    using Group = std::vector<Waiting>;

    Wal(const WalConfig& config, WalContents contents, uint64_t unmoved_bytes);

    Result<void> continue_last_segment();
    void write_until_stopped();
    void gather(std::unique_lock<std::mutex>& lock);
    Group take_group();
    Result<void> persist(const Group& group);
    Result<void> try_once(const Group& group, std::string& frame);
    Result<void> ensure_segment();
    void note_outcome(const Result<void>& outcome);
    bool wait_to_retry(Duration pause);
    void note_written(const Group& group);

    const WalConfig config_;
    const std::optional<TornTail> torn_;

    // The writer's own.
    std::optional<LogFile> file_;
    WalSegmentHeader header_;

    mutable std::mutex mutex_;
    std::condition_variable work_;                 // for the writer
    mutable std::condition_variable_any written_;  // by the writer
    std::deque<Waiting> waiting_;
    std::deque<WalSegment> segments_;  // of those, `first` and `path`; the last is being written
    uint64_t end_;
    uint64_t moved_;
    uint64_t unwritten_ = 0;        // records in waiting_ and in the writer's hands
    uint64_t unwritten_bytes_ = 0;  // of those
    uint64_t unmoved_bytes_;        // of records on the disk
    std::string trouble_;
    bool hurried_ = false;
    bool stopping_ = false;
    std::chrono::steady_clock::time_point give_up_at_ = {};

    std::thread writer_;
};

}  // namespace brigada
