// Ledger: what every call cost, for good. A call's record is safe from a kill before its client
// sees the end, on the disk soon after, and in the store, once. This is the face of the folder;
// Wal, Mover and CallStore do the work.
//
//   <folder>/lock      held by the process that writes
//   <folder>/log/      the write-ahead log
//   <folder>/open      the calls that are at an upstream now
//   <folder>/calls.db  the store, or, where several gateways share a PostgreSQL database,
//   <folder>/writer    the name of this log there
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "base/result.h"
#include "ledger/call_record.h"
#include "ledger/call_store.h"
#include "ledger/log_file.h"
#include "ledger/mover.h"
#include "ledger/open_calls.h"
#include "ledger/postgres.h"
#include "ledger/wal.h"

namespace brigada {

struct LedgerConfig {
    Path folder = {};
    std::optional<PostgresConfig> postgres = {};  // where calls live; nothing: in calls.db
    uint64_t segment_bytes = WalConfig{}.segment_bytes;
    uint64_t waiting_bytes = WalConfig{}.waiting_bytes;
    /// How long after a call's end its record may reach the disk. Until then it is in memory that
    /// outlives the process, not a power cut. Zero: the client sees the end after the disk has it.
    Duration sync_within = Duration::milliseconds(50);
    MoverConfig mover = {};
    Disk* disk = &Disk::real();
};

struct LedgerBacklog {
    uint64_t records = 0;  // accepted, not yet in the store
    uint64_t bytes = 0;
    std::optional<WallTime> oldest = {};  // when the oldest of them was written
    std::string log_trouble = {};         // why the disk takes nothing; empty while it does
    std::string store_trouble = {};       // the same of the store
};

struct LedgerReport {
    int64_t stored = 0;     // calls in the store
    uint64_t waiting = 0;   // calls in the log that are not in the store yet
    uint64_t segments = 0;  // files of the log
    std::optional<TornTail> torn = {};
};

class Ledger {
  public:
    /// Error::unavailable when another process has the folder or the store, ::corrupt,
    /// ::unsupported for a store of a newer build, ::io. A PostgreSQL database that is away is
    /// waited for by the mover, not here.
    static Result<std::unique_ptr<Ledger>> open(const LedgerConfig& config);

    Ledger(const Ledger&) = delete;
    Ledger& operator=(const Ledger&) = delete;
    ~Ledger();

    /// Before a call reaches an upstream: if this process dies, the next one ends the call in the
    /// ledger, as it stood at its last progress. Error::io when the disk is full.
    Result<OpenCalls::Place> begin(const CallRecord& record) { return open_->begin(record); }
    void progress(OpenCalls::Place place, const OpenCalls::Progress& progress) {
        open_->progress(place, progress);
    }
    /// The call has gone on to another place, or never reached an upstream.
    void forget(OpenCalls::Place place) { open_->end(place); }

    /// `done` is called on the log's thread once the record is on the disk: the client may see the
    /// end. The record needs an id. Taken also while accepting() is false: the call was made.
    void append(const CallRecord& record, Wal::Done done);
    /// The same, of a call that was begun. `done` is called at once when the record may reach the
    /// disk later.
    void append(const CallRecord& record, OpenCalls::Place place, Wal::Done done);

    /// Whether a new call may begin; when not, answer 503.
    bool accepting() const { return wal_->accepting(); }

    /// Whether other gateways bring their calls to the same store.
    bool is_shared() const { return config_.postgres.has_value(); }

    LedgerBacklog backlog() const;

    /// What opening cut off, to be told in the log.
    const std::optional<TornTail>& torn() const { return wal_->torn(); }
    /// Calls that ran when the process before died; they are in the log as `lost`.
    size_t lost() const { return lost_; }

    /// Brings everything appended so far into the store. Error::deadline after `patience`.
    Result<void> flush(Duration patience) { return mover_->flush(patience); }

    /// By holder. Calls in the backlog are not in it: flush first where it must be whole.
    Result<std::vector<SpendRow>> spend(const SpendQuery& query) const;

    /// The same, and the stored calls in the order they ended, for reports that may take long: each
    /// reads through a connection of its own, so that nobody waits for it. Not on a loop.
    Result<std::vector<SpendRow>> report(const SpendQuery& query) const;
    Result<void> each_call(CallSpan span, const CallStore::Visitor& visit) const;

    /// What one holder has spent since then, as a budget is rebuilt from at the start.
    Result<Money> spent_since(SpendBy by, std::string_view holder, WallTime since) const;

    /// Takes nothing more, writes what waits and moves what it can, for `patience` each.
    void stop(Duration patience);

  private:
    Ledger(const LedgerConfig& config, ProcessLock lock, std::unique_ptr<OpenCalls> open,
           std::unique_ptr<Wal> wal, std::unique_ptr<CallStore> writing,
           std::unique_ptr<CallStore> reading);
    void end_lost_calls();

    const LedgerConfig config_;
    ProcessLock lock_;
    std::unique_ptr<OpenCalls> open_;
    std::unique_ptr<Wal> wal_;
    const bool may_be_late_;
    size_t lost_ = 0;
    std::unique_ptr<Mover> mover_;
    mutable std::mutex reading_mutex_;
    std::unique_ptr<CallStore> reading_;
};

/// Proves that the store agrees with itself, that the log is whole, and that every record the log
/// still has of those moved is in the store. Reads only: a gateway may be running.
Result<LedgerReport> verify_ledger(const Path& folder,
                                   const std::optional<PostgresConfig>& postgres = {});

/// The calls of all gateways of a PostgreSQL database agree with their sums. Returns how many.
Result<int64_t> verify_calls(const PostgresConfig& postgres);

/// The stored calls that ended in the span, as CSV. Returns how many. Reads only.
Result<uint64_t> export_csv(const Path& folder, CallSpan span, std::ostream& out);
Result<uint64_t> export_csv(const PostgresConfig& postgres, CallSpan span, std::ostream& out);

}  // namespace brigada
