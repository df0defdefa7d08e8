#include "ledger/sqlite_store.h"

#include <algorithm>
#include <array>

namespace brigada {

namespace {

constexpr Duration kPatience = Duration::milliseconds(250);

/// Columns are for asking; `record` is the call itself, exactly as the log had it. What holder_of()
/// makes of several fields, `held_calls` makes of several columns.
constexpr std::array kMigrations{SqliteMigration{R"sql(
CREATE TABLE calls (
    id BLOB PRIMARY KEY, ended INTEGER NOT NULL,
    organisation TEXT NOT NULL, team TEXT NOT NULL, user TEXT NOT NULL, key TEXT NOT NULL,
    end_user TEXT NOT NULL, session TEXT NOT NULL, model TEXT NOT NULL, upstream TEXT NOT NULL,
    status TEXT NOT NULL, input INTEGER NOT NULL, cached_input INTEGER NOT NULL,
    cache_write INTEGER NOT NULL, output INTEGER NOT NULL, cost INTEGER NOT NULL,
    record BLOB NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX calls_by_end ON calls (ended);
CREATE TABLE spend (
    kind INTEGER NOT NULL, holder TEXT NOT NULL, hour INTEGER NOT NULL, model TEXT NOT NULL,
    calls INTEGER NOT NULL, input INTEGER NOT NULL, cached_input INTEGER NOT NULL,
    cache_write INTEGER NOT NULL, output INTEGER NOT NULL, cost INTEGER NOT NULL,
    PRIMARY KEY (kind, holder, hour, model)) STRICT, WITHOUT ROWID;
CREATE TABLE log (one INTEGER PRIMARY KEY CHECK (one = 1), moved INTEGER NOT NULL) STRICT;
INSERT INTO log VALUES (1, 0);
)sql"},
                                 SqliteMigration{R"sql(
CREATE VIEW held_calls AS SELECT *,
    CASE WHEN team = '' OR user = '' THEN '' ELSE team || char(31) || user END AS member,
    CASE WHEN end_user = '' THEN ''
         WHEN team <> '' THEN 'team:' || team || char(31) || end_user
         WHEN organisation <> '' THEN 'organisation:' || organisation || char(31) || end_user
         WHEN user <> '' THEN 'user:' || user || char(31) || end_user
         ELSE 'key:' || key || char(31) || end_user END AS end_of_tenant
    FROM calls;
INSERT INTO spend SELECT 6, member, ended / 3600000000000 - (ended % 3600000000000 < 0), model,
    count(*), sum(input), sum(cached_input), sum(cache_write), sum(output), sum(cost)
    FROM held_calls GROUP BY 2, 3, 4;
INSERT INTO spend SELECT 7, end_of_tenant, ended / 3600000000000 - (ended % 3600000000000 < 0),
    model, count(*), sum(input), sum(cached_input), sum(cache_write), sum(output), sum(cost)
    FROM held_calls GROUP BY 2, 3, 4;
)sql"},
                                 // kept_from: the first hour of which calls are kept; sums all are.
                                 SqliteMigration{R"sql(
ALTER TABLE log ADD COLUMN kept_from INTEGER NOT NULL DEFAULT -9223372036854775808;
)sql"}};

Result<void> refuse_version(Sqlite& database) {
    TRY(const int64_t version, database.version());
    if (version == static_cast<int64_t>(kMigrations.size())) return {};
    return Error{Code::unsupported, concat(database.name(), ": its schema has version ", version,
                                           "; this build reads version ", kMigrations.size())};
}

SpendSum sum_at(const SqliteStatement& row, int column) {
    return {.calls = row.integer(column),
            .usage = {.input = row.integer(column + 1),
                      .cached_input = row.integer(column + 2),
                      .cache_write = row.integer(column + 3),
                      .output = row.integer(column + 4)},
            .cost = {row.integer(column + 5)}};
}

void bind_sum(SqliteStatement& statement, int parameter, const SpendSum& sum) {
    for (const int64_t value : {sum.calls, sum.usage.input, sum.usage.cached_input,
                                sum.usage.cache_write, sum.usage.output, sum.cost.nano})
        statement.bind(parameter++, value);
}

/// ?1 kind, ?2 to ?3 hours, ?4 to ?5 and ?6 to ?7 ends of calls, ?8 holder, ?9 model.
std::string spend_sql(const SpendQuery& query) {
    const std::string_view column = to_string(query.by);
    const std::string holder = query.holder ? " AND holder = ?8" : "";
    const std::string call_holder = query.holder ? concat(" AND ", column, " = ?8") : "";
    const std::string model = query.model ? " AND model = ?9" : "";
    const std::string sums = "input, cached_input, cache_write, output, cost";
    const auto calls = [&](std::string_view range) {
        return concat(" UNION ALL SELECT ", column, ", 1, ", sums, " FROM held_calls WHERE ", range,
                      call_holder, model);
    };
    return concat("SELECT holder, sum(calls), sum(input), sum(cached_input), sum(cache_write), ",
                  "sum(output), sum(cost) FROM (SELECT holder, calls, ", sums,
                  " FROM spend WHERE kind = ?1 AND hour >= ?2 AND hour < ?3", holder, model,
                  calls("ended >= ?4 AND ended < ?5"), calls("ended >= ?6 AND ended < ?7"),
                  ") GROUP BY holder ORDER BY holder");
}

Error contradiction(const Sqlite& database, std::string_view what) {
    return {Code::corrupt, concat(database.name(), ": ", what)};
}

CallColumns columns_at(const SqliteStatement& row) {
    CallColumns out{.id = std::string(row.blob(0)), .ended_ns = row.integer(1)};
    int column = 2;
    for (std::string& holder : out.holders)
        holder = row.text(column++);
    out.sum = sum_at(row, column);
    return out;
}

}  // namespace

Result<std::unique_ptr<CallStore>> SqliteStore::open(const Path& file) {
    TRY(Sqlite database, Sqlite::open(file, kPatience));
    TRY(database.migrate(kMigrations));
    std::unique_ptr<SqliteStore> store(new SqliteStore(std::move(database)));
    TRY(store->prepare_insertion());
    return std::unique_ptr<CallStore>(std::move(store));
}

Result<std::unique_ptr<CallStore>> SqliteStore::open_read_only(const Path& file) {
    if (!std::filesystem::exists(file))
        return Error{Code::not_found, concat(file.string(), ": no such file")};
    TRY(Sqlite database, Sqlite::open_read_only(file, kPatience));
    TRY(refuse_version(database));
    return std::unique_ptr<CallStore>(new SqliteStore(std::move(database)));
}

Result<void> SqliteStore::prepare_insertion() {
    TRY(insert_call_, database_.prepare("INSERT INTO calls VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
                                        "?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"));
    TRY(add_spend_,
        database_.prepare("INSERT INTO spend VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
                          "ON CONFLICT DO UPDATE SET calls = calls + excluded.calls, "
                          "input = input + excluded.input, "
                          "cached_input = cached_input + excluded.cached_input, "
                          "cache_write = cache_write + excluded.cache_write, "
                          "output = output + excluded.output, cost = cost + excluded.cost"));
    TRY(set_moved_, database_.prepare("UPDATE log SET moved = max(moved, ?)"));
    return {};
}

Result<std::optional<uint64_t>> SqliteStore::moved() {
    TRY(SqliteStatement statement, database_.prepare("SELECT moved FROM log"));
    TRY(const bool row, statement.step());
    if (!row) return contradiction(database_, "it does not know how far the log was moved");
    return std::optional(static_cast<uint64_t>(statement.integer(0)));
}

/// True when it was not here yet.
Result<bool> SqliteStore::insert_call(const StoredCall& call) {
    const CallRecord& record = call.record;
    const auto id = record.id.bytes();
    insert_call_->bind_blob(1, {id.data(), id.size()}).bind(2, record.ended.ns);
    int parameter = 3;
    for (const std::string_view text :
         {std::string_view(record.organisation), std::string_view(record.team),
          std::string_view(record.user), std::string_view(record.key),
          std::string_view(record.end_user), std::string_view(record.session),
          std::string_view(record.model_asked), std::string_view(record.upstream),
          to_string(record.status)})
        insert_call_->bind(parameter++, text);
    for (const int64_t value : {record.usage.input, record.usage.cached_input,
                                record.usage.cache_write, record.usage.output, record.cost.nano})
        insert_call_->bind(parameter++, value);
    insert_call_->bind_blob(parameter, call.bytes);
    TRY(insert_call_->run());
    return database_.changes() > 0;
}

Result<void> SqliteStore::add_spend(const SpendCell& cell, const SpendSum& sum) {
    add_spend_->bind(1, static_cast<int64_t>(cell.by)).bind(2, cell.holder);
    add_spend_->bind(3, cell.hour).bind(4, cell.model);
    bind_sum(*add_spend_, 5, sum);
    return add_spend_->run();
}

Result<uint64_t> SqliteStore::insert(std::span<const StoredCall> calls, uint64_t moved) {
    TRY(SqliteTransaction transaction, SqliteTransaction::begin(database_));
    SpendCells cells;
    uint64_t added = 0;
    for (const StoredCall& call : calls) {
        TRY(const bool is_new, insert_call(call));
        if (!is_new) continue;
        add_to_cells(call.record, cells);
        ++added;
    }
    for (const auto& [cell, sum] : cells)
        TRY(add_spend(cell, sum));
    set_moved_->bind(1, static_cast<int64_t>(moved));
    TRY(set_moved_->run());
    TRY(transaction.commit());
    return added;
}

Result<std::vector<SpendRow>> SqliteStore::spend(const SpendQuery& query) {
    TRY(SqliteStatement statement, database_.prepare(spend_sql(query)));
    TRY(const int64_t kept_from, first_kept_hour());
    const SpanPieces pieces = cut_to_hours(query.span, kept_from);
    statement.bind(1, static_cast<int64_t>(query.by));
    statement.bind(2, pieces.first_hour).bind(3, pieces.end_hour);
    statement.bind(4, pieces.before.from.ns).bind(5, pieces.before.to.ns);
    statement.bind(6, pieces.after.from.ns).bind(7, pieces.after.to.ns);
    if (query.holder) statement.bind(8, *query.holder);
    if (query.model) statement.bind(9, *query.model);
    std::vector<SpendRow> rows;
    for (;;) {
        TRY(const bool row, statement.step());
        if (!row) return rows;
        rows.push_back({std::string(statement.text(0)), sum_at(statement, 1)});
    }
}

Result<void> SqliteStore::each_call(CallSpan span, const Visitor& visit) {
    TRY(SqliteStatement statement,
        database_.prepare("SELECT record FROM calls WHERE ended >= ? AND ended < ? "
                          "ORDER BY ended, id"));
    statement.bind(1, span.from.ns).bind(2, span.to.ns);
    for (;;) {
        TRY(const bool row, statement.step());
        if (!row) return {};
        TRY(const CallRecord record, decode_call_record(statement.blob(0)));
        TRY(visit(record));
    }
}

Result<uint64_t> SqliteStore::forget(int64_t before_hour, uint64_t most) {
    TRY(SqliteTransaction transaction, SqliteTransaction::begin(database_));
    TRY(SqliteStatement mark, database_.prepare("UPDATE log SET kept_from = max(kept_from, ?)"));
    TRY(mark.bind(1, before_hour).run());
    TRY(SqliteStatement drop,
        database_.prepare("DELETE FROM calls WHERE id IN (SELECT id FROM calls WHERE ended < ? "
                          "ORDER BY ended LIMIT ?)"));
    TRY(drop.bind(1, before_hour * kHourNs).bind(2, static_cast<int64_t>(most)).run());
    const uint64_t dropped = database_.changes();
    TRY(transaction.commit());
    return dropped;
}

Result<int64_t> SqliteStore::first_kept_hour() {
    TRY(SqliteStatement statement, database_.prepare("SELECT kept_from FROM log"));
    TRY(const bool row, statement.step());
    if (!row) return contradiction(database_, "it does not know which calls it has");
    return statement.integer(0);
}

Result<bool> SqliteStore::contains(RecordId id) {
    TRY(SqliteStatement statement, database_.prepare("SELECT 1 FROM calls WHERE id = ?"));
    const auto bytes = id.bytes();
    return statement.bind_blob(1, {bytes.data(), bytes.size()}).step();
}

Result<int64_t> SqliteStore::count() {
    TRY(SqliteStatement statement, database_.prepare("SELECT count(*) FROM calls"));
    TRY(statement.step());
    return statement.integer(0);
}

Result<void> SqliteStore::show_calls(StoreProof& proof) {
    TRY(SqliteStatement row,
        database_.prepare("SELECT id, ended, organisation, team, user, key, end_user, model, 1, "
                          "input, cached_input, cache_write, output, cost, record FROM calls"));
    for (;;) {
        TRY(const bool there, row.step());
        if (!there) return {};
        TRY(proof.show_call(columns_at(row), row.blob(14)));
    }
}

Result<void> SqliteStore::show_sums(StoreProof& proof) {
    TRY(SqliteStatement row,
        database_.prepare("SELECT kind, holder, hour, model, calls, input, cached_input, "
                          "cache_write, output, cost FROM spend"));
    for (;;) {
        TRY(const bool there, row.step());
        if (!there) return {};
        TRY(proof.show_sum({static_cast<SpendBy>(row.integer(0)), std::string(row.text(1)),
                            row.integer(2), std::string(row.text(3))},
                           sum_at(row, 4)));
    }
}

Result<void> SqliteStore::verify() {
    TRY(SqliteTransaction moment, SqliteTransaction::begin_reading(database_));
    TRY(database_.check_structure());
    TRY(const int64_t kept_from, first_kept_hour());
    StoreProof proof(database_.name(), kept_from);
    TRY(show_calls(proof));
    TRY(show_sums(proof));
    return proof.finish();
}

}  // namespace brigada
