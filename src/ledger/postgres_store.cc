#include "ledger/postgres_store.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/concat.h"
#include "ledger/postgres_text.h"

namespace brigada {

namespace {

constexpr std::string_view kPart = "ledger";
constexpr int kRowsAtOnce = 500;

/// Step n leads to version n + 1; a released one is never changed. Columns are for asking; `record`
/// is the call itself, exactly as the log had it. "user" is a word of SQL, so it is user_id here.
/// What holder_of() makes of several fields, `held_calls` makes of several columns; the two differ
/// for names that pg_text() ends in a hash, which are longer than any the directory takes.
constexpr std::array kSteps{R"sql(
CREATE TABLE brigada.calls (
    id bytea PRIMARY KEY, ended bigint NOT NULL,
    organisation text COLLATE "C" NOT NULL, team text COLLATE "C" NOT NULL,
    user_id text COLLATE "C" NOT NULL, key_id text COLLATE "C" NOT NULL,
    end_user text COLLATE "C" NOT NULL, session_id text COLLATE "C" NOT NULL,
    model text COLLATE "C" NOT NULL, upstream text COLLATE "C" NOT NULL, status text NOT NULL,
    input bigint NOT NULL, cached_input bigint NOT NULL, cache_write bigint NOT NULL,
    output bigint NOT NULL, cost bigint NOT NULL, record bytea NOT NULL);
CREATE INDEX calls_by_end ON brigada.calls (ended, id);
CREATE TABLE brigada.spend (
    kind smallint, holder text COLLATE "C", hour bigint, model text COLLATE "C",
    calls bigint NOT NULL, input bigint NOT NULL, cached_input bigint NOT NULL,
    cache_write bigint NOT NULL, output bigint NOT NULL, cost bigint NOT NULL,
    PRIMARY KEY (kind, holder, hour, model));
CREATE TABLE brigada.writers (writer text PRIMARY KEY, moved bigint NOT NULL);
)sql",
                            R"sql(
CREATE VIEW brigada.held_calls AS SELECT *,
    CASE WHEN team = '' OR user_id = '' THEN '' ELSE team || chr(31) || user_id END AS member,
    CASE WHEN end_user = '' THEN ''
         WHEN team <> '' THEN 'team:' || team || chr(31) || end_user
         WHEN organisation <> '' THEN 'organisation:' || organisation || chr(31) || end_user
         WHEN user_id <> '' THEN 'user:' || user_id || chr(31) || end_user
         ELSE 'key:' || key_id || chr(31) || end_user END AS end_of_tenant
    FROM brigada.calls;
INSERT INTO brigada.spend SELECT 6, member,
    ended / 3600000000000 - (ended % 3600000000000 < 0)::int, model, count(*), sum(input),
    sum(cached_input), sum(cache_write), sum(output), sum(cost)
    FROM brigada.held_calls GROUP BY 2, 3, 4;
INSERT INTO brigada.spend SELECT 7, end_of_tenant,
    ended / 3600000000000 - (ended % 3600000000000 < 0)::int, model, count(*), sum(input),
    sum(cached_input), sum(cache_write), sum(output), sum(cost)
    FROM brigada.held_calls GROUP BY 2, 3, 4;
)sql",
                            R"sql(
CREATE TABLE brigada.kept_calls (one int PRIMARY KEY CHECK (one = 1), from_hour bigint NOT NULL);
INSERT INTO brigada.kept_calls VALUES (1, -9223372036854775808);
)sql"};

constexpr const char* kInsertCalls = R"sql(
INSERT INTO brigada.calls SELECT * FROM unnest(
    $1::bytea[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
    $8::text[], $9::text[], $10::text[], $11::text[], $12::bigint[], $13::bigint[], $14::bigint[],
    $15::bigint[], $16::bigint[], $17::bytea[])
ON CONFLICT (id) DO NOTHING RETURNING id)sql";

/// All gateways add in the order of SpendCell, so that no two wait for each other's rows.
constexpr const char* kAddSpend = R"sql(
INSERT INTO brigada.spend AS kept SELECT * FROM unnest(
    $1::smallint[], $2::text[], $3::bigint[], $4::text[], $5::bigint[], $6::bigint[],
    $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[])
ON CONFLICT (kind, holder, hour, model) DO UPDATE SET
    calls = kept.calls + excluded.calls, input = kept.input + excluded.input,
    cached_input = kept.cached_input + excluded.cached_input,
    cache_write = kept.cache_write + excluded.cache_write,
    output = kept.output + excluded.output, cost = kept.cost + excluded.cost)sql";

std::string_view column_of(SpendBy by) {
    if (by == SpendBy::user) return "user_id";
    return by == SpendBy::key ? "key_id" : to_string(by);
}

/// The columns of many rows, each an array.
class Columns {
  public:
    Columns(size_t texts, size_t numbers) : texts_(texts), numbers_(numbers) {}
    void text(size_t column, std::string value) { texts_[column].push_back(std::move(value)); }
    void number(size_t column, int64_t value) { numbers_[column].push_back(value); }
    PgValue texts(size_t column) const { return pg_array(texts_[column]); }
    PgValue numbers(size_t column) const { return pg_array(numbers_[column]); }

  private:
    std::vector<std::vector<std::string>> texts_;
    std::vector<std::vector<int64_t>> numbers_;
};

constexpr size_t kSums = 6;

std::array<int64_t, kSums> numbers_of(const SpendSum& sum) {
    return {sum.calls,        sum.usage.input, sum.usage.cached_input, sum.usage.cache_write,
            sum.usage.output, sum.cost.nano};
}

SpendSum sum_at(const PgRows& rows, int row, int column) {
    return {.calls = rows.integer(row, column),
            .usage = {.input = rows.integer(row, column + 1),
                      .cached_input = rows.integer(row, column + 2),
                      .cache_write = rows.integer(row, column + 3),
                      .output = rows.integer(row, column + 4)},
            .cost = {rows.integer(row, column + 5)}};
}

std::string id_bytes(RecordId id) {
    const auto bytes = id.bytes();
    return {bytes.data(), bytes.size()};
}

/// $1 to $17 of kInsertCalls.
std::vector<PgValue> call_parameters(std::span<const StoredCall> calls) {
    Columns columns(11, 6);
    for (const auto& [record, bytes] : calls) {
        size_t column = 0;
        columns.text(column++, pg_hex(id_bytes(record.id)));
        for (const std::string_view text :
             {std::string_view(record.organisation), std::string_view(record.team),
              std::string_view(record.user), std::string_view(record.key),
              std::string_view(record.end_user), std::string_view(record.session),
              std::string_view(record.model_asked), std::string_view(record.upstream),
              to_string(record.status)})
            columns.text(column++, pg_text(text));
        columns.text(column, pg_hex(bytes));
        columns.number(0, record.ended.ns);
        const auto sums = numbers_of(spend_of(record));
        for (size_t i = 1; i < kSums; ++i)
            columns.number(i, sums[i]);
    }
    std::vector<PgValue> out{columns.texts(0), columns.numbers(0)};
    for (size_t i = 1; i < 10; ++i)
        out.push_back(columns.texts(i));
    for (size_t i = 1; i < kSums; ++i)
        out.push_back(columns.numbers(i));
    out.push_back(columns.texts(10));
    return out;
}

/// $1 to $10 of kAddSpend.
std::vector<PgValue> spend_parameters(const SpendCells& cells) {
    Columns columns(2, 2 + kSums);
    for (const auto& [cell, sum] : cells) {
        columns.number(0, static_cast<int64_t>(cell.by));
        columns.text(0, pg_text(cell.holder));
        columns.number(1, cell.hour);
        columns.text(1, pg_text(cell.model));
        const auto sums = numbers_of(sum);
        for (size_t i = 0; i < kSums; ++i)
            columns.number(2 + i, sums[i]);
    }
    std::vector<PgValue> out{columns.numbers(0), columns.texts(0), columns.numbers(1),
                             columns.texts(1)};
    for (size_t i = 0; i < kSums; ++i)
        out.push_back(columns.numbers(2 + i));
    return out;
}

/// $1 kind, $2 to $3 hours, $4 to $5 and $6 to $7 ends of calls, $8 holder, $9 model.
std::string spend_sql(SpendBy by) {
    const std::string_view column = column_of(by);
    const std::string sums = "input, cached_input, cache_write, output, cost";
    const std::string model = " AND ($9::text IS NULL OR model = $9)";
    const auto calls = [&](std::string_view range) {
        return concat(" UNION ALL SELECT ", column, ", 1, ", sums,
                      " FROM brigada.held_calls WHERE ", range, " AND ($8::text IS NULL OR ",
                      column, " = $8)", model);
    };
    return concat("SELECT holder, sum(calls)::bigint, sum(input)::bigint, ",
                  "sum(cached_input)::bigint, sum(cache_write)::bigint, sum(output)::bigint, ",
                  "sum(cost)::bigint FROM (SELECT holder, calls, ", sums,
                  " FROM brigada.spend WHERE kind = $1::smallint AND hour >= $2::bigint ",
                  "AND hour < $3::bigint AND ($8::text IS NULL OR holder = $8)", model,
                  calls("ended >= $4::bigint AND ended < $5::bigint"),
                  calls("ended >= $6::bigint AND ended < $7::bigint"),
                  ") AS pieces GROUP BY holder ORDER BY holder");
}

PgValue text_or_null(const std::optional<std::string>& text) {
    return text ? PgValue(pg_text(*text)) : PgValue(std::nullopt);
}

CallColumns columns_at(const PgRows& rows, int row) {
    CallColumns out{.id = rows.bytea(row, 0), .ended_ns = rows.integer(row, 1)};
    int column = 2;
    for (std::string& holder : out.holders)
        holder = rows.text(row, column++);
    out.sum = sum_at(rows, row, column);
    return out;
}

}  // namespace

std::unique_ptr<CallStore> PostgresStore::for_writing(const PostgresConfig& config,
                                                      const std::string& writer) {
    return std::unique_ptr<CallStore>(new PostgresStore(config, writer, true));
}

std::unique_ptr<CallStore> PostgresStore::for_reading(const PostgresConfig& config,
                                                      const std::string& writer) {
    return std::unique_ptr<CallStore>(new PostgresStore(config, writer, false));
}

Result<void> PostgresStore::connect() {
    if (database_ && !database_->broken()) return {};
    database_.reset();
    moved_.reset();
    TRY(Postgres fresh, Postgres::connect(config_));
    TRY(writes_ ? fresh.migrate(kPart, kSteps) : fresh.expect_version(kPart, kSteps.size()));
    database_.emplace(std::move(fresh));
    if (writes_) {
        TRY(moved_, read_moved());
    }
    return {};
}

// --- writing ---------------------------------------------------------------------------------

Result<std::optional<uint64_t>> PostgresStore::read_moved() {
    TRY(const PgRows rows,
        database_->run("SELECT moved FROM brigada.writers WHERE writer = $1", {writer_}));
    if (rows.count() == 0) return std::optional<uint64_t>();
    return std::optional(static_cast<uint64_t>(rows.integer(0, 0)));
}

Result<std::optional<uint64_t>> PostgresStore::moved() {
    TRY(connect());
    return read_moved();
}

Result<uint64_t> PostgresStore::insert(std::span<const StoredCall> calls, uint64_t moved) {
    TRY(connect());
    if (moved_ && moved > *moved_ + calls.size())
        return Error{Code::corrupt,
                     concat(database_->name(), ": it has this gateway's calls up to ", *moved_,
                            " and the log begins later: was it put back to an older state?")};
    TRY(PgTransaction transaction, PgTransaction::begin(*database_));
    TRY(set_moved(moved));
    TRY(const SpendCells cells, insert_calls(calls));
    TRY(add_spend(cells));
    TRY(transaction.commit());
    moved_ = std::max(moved_.value_or(0), moved);
    uint64_t added = 0;  // each call is in one cell of the first kind
    for (const auto& [cell, sum] : cells)
        if (cell.by == kSpendKinds.front()) added += static_cast<uint64_t>(sum.calls);
    return added;
}

/// Only from where this connection left it: two gateways with one name would skip each other's
/// calls when they start again.
Result<void> PostgresStore::set_moved(uint64_t moved) {
    const auto now = static_cast<int64_t>(std::max(moved_.value_or(0), moved));
    TRY(const PgRows done, moved_ ? database_->run("UPDATE brigada.writers SET moved = $2 "
                                                   "WHERE writer = $1 AND moved = $3",
                                                   {writer_, now, static_cast<int64_t>(*moved_)})
                                  : database_->run("INSERT INTO brigada.writers VALUES ($1, $2) "
                                                   "ON CONFLICT DO NOTHING",
                                                   {writer_, now}));
    if (done.affected() == 1) return {};
    return Error{Code::corrupt,
                 concat(database_->name(), ": another gateway brings calls as writer ", writer_,
                        ". Was data_dir copied? Remove ledger/writer from the copy")};
}

/// The sums of those that were not here yet.
Result<SpendCells> PostgresStore::insert_calls(std::span<const StoredCall> calls) {
    const std::vector<PgValue> parameters = call_parameters(calls);
    TRY(const PgRows rows, database_->run(kInsertCalls, parameters));
    std::set<std::string> fresh;
    for (int row = 0; row < rows.count(); ++row)
        fresh.insert(rows.bytea(row, 0));
    SpendCells cells;
    for (const StoredCall& call : calls)
        if (fresh.erase(id_bytes(call.record.id)) > 0) add_to_cells(call.record, cells);
    return cells;
}

Result<void> PostgresStore::add_spend(const SpendCells& cells) {
    if (cells.empty()) return {};
    const std::vector<PgValue> parameters = spend_parameters(cells);
    TRY(database_->run(kAddSpend, parameters));
    return {};
}

/// Gateways that forget at once take different calls, and wait for none.
Result<uint64_t> PostgresStore::forget(int64_t before_hour, uint64_t most) {
    TRY(connect());
    TRY(PgTransaction transaction, PgTransaction::begin(*database_));
    TRY(database_->run("UPDATE brigada.kept_calls SET from_hour = $1 WHERE from_hour < $1",
                       {before_hour}));
    TRY(const PgRows dropped,
        database_->run("DELETE FROM brigada.calls WHERE id IN (SELECT id FROM brigada.calls "
                       "WHERE ended < $1 ORDER BY ended LIMIT $2 FOR UPDATE SKIP LOCKED)",
                       {before_hour * kHourNs, static_cast<int64_t>(most)}));
    TRY(transaction.commit());
    return static_cast<uint64_t>(dropped.affected());
}

// --- reading ---------------------------------------------------------------------------------

Result<std::vector<SpendRow>> PostgresStore::spend(const SpendQuery& query) {
    TRY(connect());
    TRY(const int64_t kept_from, first_kept_hour());
    const SpanPieces pieces = cut_to_hours(query.span, kept_from);
    TRY(const PgRows found,
        database_->run(
            spend_sql(query.by),
            {static_cast<int64_t>(query.by), pieces.first_hour, pieces.end_hour,
             pieces.before.from.ns, pieces.before.to.ns, pieces.after.from.ns, pieces.after.to.ns,
             text_or_null(query.holder), text_or_null(query.model)}));
    std::vector<SpendRow> rows;
    for (int row = 0; row < found.count(); ++row)
        rows.push_back({from_pg_text(found.text(row, 0)), sum_at(found, row, 1)});
    return rows;
}

/// A cursor, so that a million calls are never in memory. Within a transaction.
Result<void> PostgresStore::each_row(const char* query, std::span<const PgValue> values,
                                     const std::function<Result<void>(const PgRows&, int)>& visit) {
    TRY(database_->run(concat("DECLARE rows NO SCROLL CURSOR FOR ", query), values));
    const std::string more = concat("FETCH ", kRowsAtOnce, " FROM rows");
    for (;;) {
        TRY(const PgRows rows, database_->run_script(more.c_str()));
        for (int row = 0; row < rows.count(); ++row)
            TRY(visit(rows, row));
        if (rows.count() < kRowsAtOnce) break;
    }
    TRY(database_->run_script("CLOSE rows"));
    return {};
}

Result<void> PostgresStore::each_call(CallSpan span, const Visitor& visit) {
    TRY(connect());
    TRY(PgTransaction moment, PgTransaction::begin_reading(*database_));
    const std::array values{PgValue(span.from.ns), PgValue(span.to.ns)};
    return each_row(
        "SELECT record FROM brigada.calls WHERE ended >= $1 AND ended < $2 "
        "ORDER BY ended, id",
        values, [&](const PgRows& rows, int row) -> Result<void> {
            TRY(const CallRecord record, decode_call_record(rows.bytea(row, 0)));
            return visit(record);
        });
}

Result<int64_t> PostgresStore::first_kept_hour() {
    TRY(connect());
    TRY(const PgRows rows, database_->run_script("SELECT from_hour FROM brigada.kept_calls"));
    return rows.integer(0, 0);
}

Result<bool> PostgresStore::contains(RecordId id) {
    TRY(connect());
    TRY(const PgRows rows, database_->run("SELECT 1 FROM brigada.calls WHERE id = $1",
                                          {PgValue::bytea(id_bytes(id))}));
    return rows.count() > 0;
}

Result<int64_t> PostgresStore::count() {
    TRY(connect());
    TRY(const PgRows rows, database_->run_script("SELECT count(*) FROM brigada.calls"));
    return rows.integer(0, 0);
}

/// Columns hold pg_text, so that is what a record is compared as.
Result<void> PostgresStore::show_calls(StoreProof& proof) {
    return each_row(
        "SELECT id, ended, organisation, team, user_id, key_id, end_user, model, 1, "
        "input, cached_input, cache_write, output, cost, record FROM brigada.calls",
        {}, [&](const PgRows& rows, int row) {
            return proof.show_call(columns_at(rows, row), rows.bytea(row, 14));
        });
}

Result<void> PostgresStore::show_sums(StoreProof& proof) {
    return each_row(
        "SELECT kind, holder, hour, model, calls, input, cached_input, cache_write, "
        "output, cost FROM brigada.spend",
        {}, [&](const PgRows& rows, int row) {
            return proof.show_sum(
                {static_cast<SpendBy>(rows.integer(row, 0)), std::string(rows.text(row, 1)),
                 rows.integer(row, 2), std::string(rows.text(row, 3))},
                sum_at(rows, row, 4));
        });
}

Result<void> PostgresStore::verify() {
    TRY(connect());
    TRY(PgTransaction moment, PgTransaction::begin_reading(*database_));
    TRY(const int64_t kept_from, first_kept_hour());
    StoreProof proof(database_->name(), kept_from, pg_text);
    TRY(show_calls(proof));
    TRY(show_sums(proof));
    return proof.finish();
}

}  // namespace brigada
