#include "ledger/ledger.h"

#include <openssl/rand.h>

#include <array>

#include "base/hex.h"
#include "ledger/csv.h"
#include "ledger/postgres_store.h"
#include "ledger/sqlite_store.h"

namespace brigada {

namespace {

constexpr size_t kWriterDigits = 32;

Path log_folder(const Path& folder) {
    return folder / "log";
}

Path store_file(const Path& folder) {
    return folder / "calls.db";
}

Path writer_file(const Path& folder) {
    return folder / "writer";
}

/// A read-only store; its gateway may be running.
Result<std::unique_ptr<CallStore>> store_to_read(const Path& folder,
                                                 const std::optional<PostgresConfig>& postgres) {
    if (!postgres) return SqliteStore::open_read_only(store_file(folder));
    TRY(const std::string writer, read_file(writer_file(folder), kWriterDigits));
    return PostgresStore::for_reading(*postgres, writer);
}

/// 128 random bits: no two gateways ever have the same.
Result<std::string> read_or_make_writer(const Path& folder) {
    const Path file = writer_file(folder);
    std::error_code ignored;
    if (std::filesystem::exists(file, ignored)) return read_file(file, kWriterDigits);
    std::array<uint8_t, kWriterDigits / 2> bytes{};
    CHECK(RAND_bytes(bytes.data(), bytes.size()) == 1);
    const std::string writer = hex_of(bytes);
    const Path draft = file.string() + ".new";  // so that half a name is never read
    TRY(LogFile made, LogFile::create(draft, Disk::real()));
    TRY(made.append(writer));
    std::filesystem::rename(draft, file, ignored);
    if (ignored) return log_error(file, "cannot make", ignored.value());
    TRY(sync_log_folder(folder));
    return writer;
}

/// The last sequence that the store has for certain. A database that is away, or that this log is
/// new to, is asked nothing: what the log still has is brought again, and found by its id.
Result<uint64_t> moved_for_certain(const LedgerConfig& config, CallStore& store) {
    Result<std::optional<uint64_t>> moved = store.moved();
    const bool is_away = !moved.ok() && (moved.error().code == Code::unavailable ||
                                         moved.error().code == Code::deadline);
    if (!moved.ok() && !(config.postgres && is_away)) return std::move(moved).error();
    if (moved.ok() && *moved) return **moved;
    return first_in_wal(log_folder(config.folder)).value_or(1) - 1;
}

/// A record of the log, as far as verifying needs it.
struct Logged {
    uint64_t sequence = 0;
    RecordId id = {};
    WallTime ended = {};
};

/// All of the log. Error::corrupt also for a record that does not decode.
Result<WalContents> read_log(const Path& folder, uint64_t moved, std::vector<Logged>& logged) {
    std::optional<Error> bad;
    const auto visit = [&](const WalFrame& frame, uint64_t) {
        uint64_t sequence = frame.first;
        for (const std::string_view bytes : frame.records) {
            auto record = decode_call_record(bytes);
            if (!record.ok() && !bad)
                bad = std::move(record).error().in(concat("record ", sequence, " of the log"));
            else if (record.ok())
                logged.push_back({sequence, record->id, record->ended});
            ++sequence;
        }
    };
    TRY(WalContents contents, scan_wal_folder(log_folder(folder), moved, visit));
    if (bad) return *bad;
    return contents;
}

Result<uint64_t> moved_in(CallStore& store) {
    TRY(const std::optional<uint64_t> moved, store.moved());
    return moved.value_or(0);
}

/// A gateway may be moving records and removing segments meanwhile: what is missing then is looked
/// for again.
Result<WalContents> read_log_as_it_moves(const Path& folder, CallStore& store,
                                         std::vector<Logged>& logged) {
    constexpr int kTries = 100;
    for (int tries = 1;; ++tries) {
        TRY(const uint64_t before, moved_in(store));
        logged.clear();
        Result<WalContents> contents = read_log(folder, before, logged);
        TRY(const uint64_t after, moved_in(store));
        if (contents.ok() || after == before || tries == kTries) return contents;
    }
}

Result<void> open_stores(const LedgerConfig& config, std::unique_ptr<CallStore>& writing,
                         std::unique_ptr<CallStore>& reading) {
    if (config.postgres) {
        TRY(const std::string writer, read_or_make_writer(config.folder));
        writing = PostgresStore::for_writing(*config.postgres, writer);
        reading = PostgresStore::for_reading(*config.postgres, writer);
        return {};
    }
    TRY(writing, SqliteStore::open(store_file(config.folder)));
    TRY(reading, SqliteStore::open_read_only(store_file(config.folder)));
    return {};
}

Result<void> expect_stored(CallStore& store, uint64_t moved, const std::vector<Logged>& logged) {
    TRY(const int64_t kept_from, store.first_kept_hour());
    for (const Logged& each : logged) {
        if (each.sequence > moved || spend_hour(each.ended) < kept_from) continue;
        TRY(const bool stored, store.contains(each.id));
        if (!stored)
            return Error{Code::corrupt, concat("call ", each.id.hex(), ", record ", each.sequence,
                                               " of the log, was moved to the store and is not "
                                               "there. Put the store back from a copy")};
    }
    return {};
}

Result<uint64_t> write_csv(CallStore& store, CallSpan span, std::ostream& out) {
    uint64_t calls = 0;
    out << csv_header();
    const auto write = [&](const CallRecord& record) -> Result<void> {
        out << csv_line(record);
        ++calls;
        if (!out)
            return Error{Code::io, concat("the export cannot be written after ", calls,
                                          " calls: is the disk full?")};
        return {};
    };
    TRY(store.each_call(span, write));
    if (!out.flush()) return Error{Code::io, "the export cannot be written: is the disk full?"};
    return calls;
}

}  // namespace

Result<std::unique_ptr<Ledger>> Ledger::open(const LedgerConfig& config) {
    TRY(ProcessLock lock, ProcessLock::take(config.folder / "lock"));
    std::unique_ptr<CallStore> writing, reading;
    TRY(open_stores(config, writing, reading));
    TRY(const uint64_t moved, moved_for_certain(config, *writing));
    TRY(std::unique_ptr<Wal> wal, Wal::open({.folder = log_folder(config.folder),
                                             .moved = moved,
                                             .segment_bytes = config.segment_bytes,
                                             .waiting_bytes = config.waiting_bytes,
                                             .gather = config.sync_within,
                                             .disk = config.disk}));
    TRY(std::unique_ptr<OpenCalls> open, OpenCalls::open(config.folder / "open"));
    std::unique_ptr<Ledger> out(new Ledger(config, std::move(lock), std::move(open), std::move(wal),
                                           std::move(writing), std::move(reading)));
    out->end_lost_calls();
    return out;
}

Ledger::Ledger(const LedgerConfig& config, ProcessLock lock, std::unique_ptr<OpenCalls> open,
               std::unique_ptr<Wal> wal, std::unique_ptr<CallStore> writing,
               std::unique_ptr<CallStore> reading)
    : config_(config),
      lock_(std::move(lock)),
      open_(std::move(open)),
      wal_(std::move(wal)),
      may_be_late_(config.sync_within > Duration()),
      mover_(std::make_unique<Mover>(*wal_, std::move(writing), config.mover)),
      reading_(std::move(reading)) {}

Ledger::~Ledger() {
    stop(Duration());
}

void Ledger::append(const CallRecord& record, Wal::Done done) {
    CHECK(record.id != RecordId{}, "a call without an id");
    wal_->append(encode(record), std::move(done));
}

// The place is kept until the record is on the disk, so that a call is always in one of the two; in
// both it is counted once, by its id.
void Ledger::append(const CallRecord& record, OpenCalls::Place place, Wal::Done done) {
    CHECK(record.id != RecordId{}, "a call without an id");
    std::string encoded = encode(record);
    const bool is_safe = may_be_late_ && open_->finish(place, record, encoded);
    wal_->append(std::move(encoded),
                 [open = open_.get(), place,
                  later = is_safe ? Wal::Done() : std::move(done)](Result<void> written) mutable {
                     if (written.ok()) open->end(place);
                     if (later) later(std::move(written));
                 });
    if (is_safe) done({});
}

void Ledger::end_lost_calls() {
    for (const OpenCalls::Left& left : open_->left()) {
        append(left.record, [open = open_.get(), place = left.place](const Result<void>& r) {
            if (r.ok()) open->end(place);
        });
        if (left.ran) ++lost_;
    }
}

LedgerBacklog Ledger::backlog() const {
    const WalStatus log = wal_->status();
    return {.records = log.backlog_records,
            .bytes = log.backlog_bytes,
            .oldest = mover_->oldest(),
            .log_trouble = log.trouble,
            .store_trouble = mover_->trouble()};
}

Result<std::vector<SpendRow>> Ledger::spend(const SpendQuery& query) const {
    std::lock_guard lock(reading_mutex_);
    return reading_->spend(query);
}

Result<std::vector<SpendRow>> Ledger::report(const SpendQuery& query) const {
    TRY(const std::unique_ptr<CallStore> store, store_to_read(config_.folder, config_.postgres));
    return store->spend(query);
}

Result<void> Ledger::each_call(CallSpan span, const CallStore::Visitor& visit) const {
    TRY(const std::unique_ptr<CallStore> store, store_to_read(config_.folder, config_.postgres));
    return store->each_call(span, visit);
}

Result<Money> Ledger::spent_since(SpendBy by, std::string_view holder, WallTime since) const {
    TRY(const std::vector<SpendRow> rows,
        spend({.by = by, .span = {.from = since}, .holder = std::string(holder)}));
    return rows.empty() ? Money{} : rows.front().sum.cost;
}

void Ledger::stop(Duration patience) {
    wal_->stop(patience);
    if (patience > Duration()) (void)mover_->flush(patience);  // the rest waits for the next start
    mover_->stop();
}

Result<LedgerReport> verify_ledger(const Path& folder,
                                   const std::optional<PostgresConfig>& postgres) {
    TRY(const std::unique_ptr<CallStore> store, store_to_read(folder, postgres));
    std::vector<Logged> logged;
    TRY(const WalContents contents, read_log_as_it_moves(folder, *store, logged));
    TRY(const uint64_t moved, moved_in(*store));
    TRY(expect_stored(*store, moved, logged));
    TRY(store->verify());
    LedgerReport report{.segments = contents.segments.size(), .torn = contents.torn};
    report.waiting = contents.end > moved + 1 ? contents.end - 1 - moved : 0;
    TRY(report.stored, store->count());
    return report;
}

Result<int64_t> verify_calls(const PostgresConfig& postgres) {
    const auto store = PostgresStore::for_reading(postgres, "");
    TRY(store->verify());
    return store->count();
}

Result<uint64_t> export_csv(const Path& folder, CallSpan span, std::ostream& out) {
    TRY(const auto store, SqliteStore::open_read_only(store_file(folder)));
    return write_csv(*store, span, out);
}

Result<uint64_t> export_csv(const PostgresConfig& postgres, CallSpan span, std::ostream& out) {
    return write_csv(*PostgresStore::for_reading(postgres, ""), span, out);
}

}  // namespace brigada
