#include "gateway/directory/postgres_directory.h"

#include <array>
#include <vector>

#include "base/concat.h"
#include "gateway/audited_store.h"
#include "gateway/directory/record_json.h"
#include "ledger/postgres_audit.h"
#include "ledger/postgres_text.h"

namespace brigada {

namespace {

constexpr std::string_view kPart = "directory";

/// Step n leads to version n + 1; a released one is never changed. A record that was deleted stays
/// as a row without text, so that a gateway that was away for a year learns of it, too.
constexpr std::array kSteps{R"sql(
CREATE TABLE brigada.directory (
    one integer PRIMARY KEY CHECK (one = 1), id text NOT NULL, revision bigint NOT NULL,
    pepper_mark text NOT NULL);
CREATE TABLE brigada.records (
    kind text, id text COLLATE "C", record text, revision bigint NOT NULL,
    PRIMARY KEY (kind, id));
CREATE INDEX records_by_revision ON brigada.records (revision);
)sql"};

constexpr const char* kPut = R"sql(
INSERT INTO brigada.records
SELECT kind, id, nullif(record, ''), $4::bigint
FROM unnest($1::text[], $2::text[], $3::text[]) AS change (kind, id, record)
ON CONFLICT (kind, id) DO UPDATE SET record = excluded.record, revision = excluded.revision)sql";

/// One row without a record when nothing has changed: revision and id are of the same moment.
constexpr const char* kSince = R"sql(
SELECT d.revision, d.id, r.kind, r.id, r.record
FROM brigada.directory AS d LEFT JOIN brigada.records AS r ON r.revision > $1)sql";

Result<void> take_record(const PgRows& rows, int row, DirectoryNews& news) {
    if (rows.null(row, 2)) return {};
    const std::string id = from_pg_text(rows.text(row, 3));
    if (!rows.null(row, 4)) {
        TRY(Record record, read_record(rows.text(row, 2), id, rows.text(row, 4)));
        news.now.push_back(std::move(record));
    } else if (const auto kind = record_kind_from(rows.text(row, 2))) {
        news.gone.push_back({*kind, id});
    }
    return {};
}

Result<DirectoryNews> read_news(Postgres& database, uint64_t revision) {
    TRY(const PgRows rows, database.run(kSince, {static_cast<int64_t>(revision)}));
    if (rows.count() == 0)
        return Error{Code::corrupt, concat(database.name(), ": its directory has no revision")};
    DirectoryNews news{.revision = static_cast<uint64_t>(rows.integer(0, 0)),
                       .origin = std::string(rows.text(0, 1))};
    for (int row = 0; row < rows.count(); ++row)
        if (Result<void> taken = take_record(rows, row, news); !taken.ok())
            return std::move(taken).error().in(database.name());
    return news;
}

bool nobody_knows(const Error& error) {
    return error.code == Code::deadline || error.code == Code::unavailable;
}

}  // namespace

Result<void> PostgresDirectory::connect() {
    if (database_ && !database_->broken()) return {};
    database_.reset();
    listens_ = false;
    TRY(Postgres fresh, Postgres::connect(config_));
    TRY(fresh.migrate(kPart, kSteps));
    TRY(migrate_audit(fresh));
    database_.emplace(std::move(fresh));
    Result<void> known = check_pepper();
    if (!known.ok()) database_.reset();
    return known;
}

Result<void> PostgresDirectory::check_pepper() {
    TRY(
        database_->run("INSERT INTO brigada.directory VALUES (1, gen_random_uuid()::text, 0, $1) "
                       "ON CONFLICT DO NOTHING",
                       {pepper_mark_}));
    TRY(const PgRows rows, database_->run("SELECT pepper_mark FROM brigada.directory"));
    if (rows.count() == 1 && rows.text(0, 0) == pepper_mark_) return {};
    return Error{Code::invalid_argument,
                 concat(database_->name(),
                        ": its keys were hashed under another pepper, so none would be "
                        "recognised. Give this gateway the pepper of those that use the database: "
                        "the same brigada.pepper, or a copy of the file 'pepper' of their "
                        "data_dir")};
}

Result<DirectoryNews> PostgresDirectory::load() {
    TRY(connect());
    TRY(DirectoryNews news, read_news(*database_, 0));
    origin_ = news.origin;
    news.is_whole = true;
    news.gone.clear();
    return news;
}

Result<DirectoryNews> PostgresDirectory::since(uint64_t revision) {
    TRY(connect());
    TRY(DirectoryNews news, read_news(*database_, revision));
    if (news.origin != origin_ || news.revision < revision) return load();
    return news;
}

Result<std::optional<uint64_t>> PostgresDirectory::write(const Changes& changes, uint64_t base) {
    TRY(connect());
    const uint64_t next = base + 1;
    TRY(PgTransaction transaction, PgTransaction::begin(*database_));
    TRY(const PgRows moved,
        database_->run("UPDATE brigada.directory SET revision = $1 WHERE revision = $2",
                       {static_cast<int64_t>(next), static_cast<int64_t>(base)}));
    if (moved.affected() == 0) return std::optional<uint64_t>();
    TRY(put(news_of(changes, next)));
    TRY(append_audit(*database_, events_of(changes, "")));
    TRY(database_->run("SELECT pg_notify($1, '')", {kDirectoryChannel}));
    const Result<void> committed = transaction.commit();
    if (committed.ok()) return std::optional(next);
    if (!nobody_knows(committed.error())) return committed.error();
    return Error{committed.error().code,
                 concat(committed.error().message,
                        ", so nobody knows whether the change was made: look before you make it "
                        "again")};
}

Result<void> PostgresDirectory::note(std::span<const AuditEvent> events) {
    TRY(connect());
    TRY(PgTransaction transaction, PgTransaction::begin(*database_));
    TRY(append_audit(*database_, events));
    return transaction.commit();
}

Result<void> PostgresDirectory::put(const DirectoryNews& news) {
    std::vector<std::string> kinds, ids, records;
    const auto add = [&](RecordKind kind, std::string_view id, std::string record) {
        kinds.emplace_back(to_string(kind));
        ids.push_back(pg_text(id));
        records.push_back(std::move(record));
    };
    for (const Record& record : news.now)
        add(kind_of(record), holder_of(record).id, dump_json(to_json(record)));
    for (const DirectoryNews::Gone& gone : news.gone)
        add(gone.kind, gone.id, "");
    TRY(database_->run(kPut, {pg_array(kinds), pg_array(ids), pg_array(records),
                              static_cast<int64_t>(news.revision)}));
    return {};
}

Result<void> PostgresDirectory::wait_for_change(Duration timeout, int wake_fd) {
    TRY(connect());
    if (!listens_) TRY(database_->run_script(concat("LISTEN ", kDirectoryChannel).c_str()));
    const bool listened = std::exchange(listens_, true);
    if (!listened) return {};  // what changed before is to be looked at first
    return database_->wait_for_notice(timeout, wake_fd);
}

}  // namespace brigada
