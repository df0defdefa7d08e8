#include "ledger/postgres.h"

#include <libpq-fe.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/concat.h"
#include "ledger/postgres_text.h"

namespace brigada {

namespace {

/// Whoever changes the schema holds this advisory lock: "brigada", as bytes.
constexpr int64_t kMigrationLock = 0x62726967616461;

/// A gateway that is stopped in the middle of a transaction must not lock the others out for ever.
constexpr int kIdlePatiences = 3;

Instant from_now(Duration patience) {
    return Clock().now() + patience;
}

/// libpq's messages have line ends and indents.
std::string one_line(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const bool is_space = c == '\n' || c == '\t' || c == ' ';
        if (is_space && (out.empty() || out.back() == ' ')) continue;
        out += is_space ? ' ' : c;
    }
    while (out.ends_with(' '))
        out.pop_back();
    return out;
}

/// By the class of its SQLSTATE, see "PostgreSQL Error Codes" in its manual.
Code code_of(std::string_view state) {
    const std::string_view kind = state.substr(0, 2);
    if (state == "55P03" || state == "25006") return Code::unavailable;  // locked; a standby
    for (const std::string_view passing : {"08", "40", "53", "57", "58"})
        if (kind == passing) return Code::unavailable;
    if (kind == "28") return Code::unauthenticated;
    if (state == "42501") return Code::forbidden;
    return kind == "XX" ? Code::corrupt : Code::internal;
}

int64_t number(std::string_view text) {
    int64_t out = 0;
    std::from_chars(text.data(), text.data() + text.size(), out);
    return out;
}

}  // namespace

// --- values and rows -------------------------------------------------------------------------

PgValue PgValue::bytea(std::string_view bytes) {
    return PgValue(pg_hex(bytes));
}

void PgRows::Clear::operator()(pg_result* result) const {
    PQclear(result);
}

int PgRows::count() const {
    return PQntuples(result_.get());
}

std::string_view PgRows::text(int row, int column) const {
    return {PQgetvalue(result_.get(), row, column),
            static_cast<size_t>(PQgetlength(result_.get(), row, column))};
}

int64_t PgRows::integer(int row, int column) const {
    return number(text(row, column));
}

std::string PgRows::bytea(int row, int column) const {
    return from_pg_hex(text(row, column));
}

bool PgRows::null(int row, int column) const {
    return PQgetisnull(result_.get(), row, column) != 0;
}

int64_t PgRows::affected() const {
    return number(PQcmdTuples(result_.get()));
}

// --- connecting ------------------------------------------------------------------------------

void Postgres::Finish::operator()(pg_conn* connection) const {
    PQfinish(connection);
}

Postgres::Postgres(pg_conn* connection, const PostgresConfig& config)
    : connection_(connection),
      name_(config.address.name),
      connect_patience_(config.connect_patience),
      patience_(config.patience) {}

Result<Postgres> Postgres::connect(const PostgresConfig& config) {
    const std::array keywords{"fallback_application_name", "client_encoding", "dbname",
                              static_cast<const char*>(nullptr)};
    const std::array values{"brigada", "UTF8", config.address.url.c_str(),
                            static_cast<const char*>(nullptr)};
    pg_conn* started = PQconnectStartParams(keywords.data(), values.data(), 1);
    CHECK(started != nullptr, "out of memory");
    Postgres out(started, config);
    if (PQstatus(started) == CONNECTION_BAD) return out.failure("connecting");
    PQsetNoticeProcessor(started, [](void*, const char*) {}, nullptr);
    TRY(out.finish_connecting(from_now(config.connect_patience)));
    TRY(out.set_up());
    return out;
}

Result<void> Postgres::finish_connecting(Instant deadline) {
    for (PostgresPollingStatusType next = PGRES_POLLING_WRITING;;) {
        TRY(wait_for_socket(next == PGRES_POLLING_READING, next == PGRES_POLLING_WRITING,
                            deadline));
        next = PQconnectPoll(connection_.get());
        if (next == PGRES_POLLING_FAILED) return failure("connecting");
        if (next == PGRES_POLLING_OK) break;
    }
    PQsetnonblocking(connection_.get(), 1);
    return {};
}

/// What a commit returned for must survive a power cut, whatever the database's default is.
Result<void> Postgres::set_up() {
    const int64_t ms = patience_.ms();
    TRY(run_script(concat("SET statement_timeout = ", ms, "; SET lock_timeout = ", ms,
                          "; SET idle_in_transaction_session_timeout = ", ms * kIdlePatiences,
                          "; SELECT set_config('synchronous_commit', 'on', false) "
                          "WHERE current_setting('synchronous_commit') = 'off'")
                       .c_str()));
    return {};
}

bool Postgres::broken() const {
    return !connection_ || PQstatus(connection_.get()) == CONNECTION_BAD;
}

// --- running ---------------------------------------------------------------------------------

Result<PgRows> Postgres::run(std::string_view sql, std::span<const PgValue> values) {
    TRY(const std::string statement, prepared(sql));
    std::vector<const char*> texts;
    for (const PgValue& value : values)
        texts.push_back(value.data());
    if (!PQsendQueryPrepared(connection_.get(), statement.c_str(), static_cast<int>(texts.size()),
                             texts.data(), nullptr, nullptr, 0))
        return failure("sending");
    return answer();
}

Result<PgRows> Postgres::run_script(const char* sql) {
    if (broken()) return lost();
    if (!PQsendQuery(connection_.get(), sql)) return failure("sending");
    return answer();
}

/// The name that the server knows the statement by.
Result<std::string> Postgres::prepared(std::string_view sql) {
    if (broken()) return lost();
    if (const auto known = prepared_.find(sql); known != prepared_.end()) return known->second;
    const std::string statement = concat("brigada_", prepared_.size() + 1);
    if (!PQsendPrepare(connection_.get(), statement.c_str(), std::string(sql).c_str(), 0, nullptr))
        return failure("sending");
    TRY(answer());
    prepared_.emplace(sql, statement);
    return statement;
}

/// The last result of what was sent, or the first that failed.
Result<PgRows> Postgres::answer() {
    const Instant deadline = from_now(patience_);
    std::optional<PgRows> rows;
    std::optional<Error> failed;
    for (;;) {
        TRY(wait_for_answer(deadline));
        pg_result* result = PQgetResult(connection_.get());
        if (result == nullptr) break;
        rows = PgRows(result);
        const ExecStatusType status = PQresultStatus(result);
        if (!failed && status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
            failed = failure(result);
    }
    if (failed) return *failed;
    if (!rows) return failure("waiting for an answer");
    return *std::move(rows);
}

/// Returns when a result can be taken without waiting.
Result<void> Postgres::wait_for_answer(Instant deadline) {
    for (;;) {
        const int left = PQflush(connection_.get());
        if (left < 0) return failure("sending");
        if (left == 0 && !PQisBusy(connection_.get())) return {};
        TRY(wait_for_socket(true, left > 0, deadline));
        if (!PQconsumeInput(connection_.get())) return failure("receiving");
    }
}

Result<void> Postgres::wait_for_socket(bool reading, bool writing, Instant deadline) {
    const short events = static_cast<short>((reading ? POLLIN : 0) | (writing ? POLLOUT : 0));
    for (;;) {
        const Duration left = deadline - Clock().now();
        if (left <= Duration()) return late();
        pollfd socket{PQsocket(connection_.get()), events, 0};
        const int ready = ::poll(&socket, 1, static_cast<int>(left.ms() + 1));
        if (ready > 0) return {};
        if (ready < 0 && errno != EINTR) return failure("waiting");
    }
}

Result<void> Postgres::wait_for_notice(Duration timeout, int wake_fd) {
    if (broken()) return lost();
    const auto take = [&] {
        bool any = false;
        while (PGnotify* notice = PQnotifies(connection_.get())) {
            PQfreemem(notice);
            any = true;
        }
        return any;
    };
    if (take()) return {};
    std::array<pollfd, 2> sources{pollfd{PQsocket(connection_.get()), POLLIN, 0},
                                  pollfd{wake_fd, POLLIN, 0}};
    if (::poll(sources.data(), sources.size(), static_cast<int>(timeout.ms())) <= 0) return {};
    if (sources[0].revents == 0) return {};
    if (!PQconsumeInput(connection_.get())) return failure("listening");
    take();
    return {};
}

// --- schema ----------------------------------------------------------------------------------

/// 0 when there is nothing of that part.
Result<int> Postgres::version(std::string_view part) {
    TRY(const PgRows table,
        run_script("SELECT 1 WHERE to_regclass('brigada.schema_versions') IS NOT NULL"));
    if (table.count() == 0) return 0;
    TRY(const PgRows found,
        run("SELECT version FROM brigada.schema_versions WHERE part = $1", {part}));
    return found.count() == 0 ? 0 : static_cast<int>(found.integer(0, 0));
}

Result<void> Postgres::expect_version(std::string_view part, size_t wanted) {
    TRY(const int found, version(part));
    if (found == static_cast<int>(wanted)) return {};
    if (found == 0)
        return Error{Code::not_found, concat(name_, ": no gateway has kept its ", part, " here")};
    return Error{Code::unsupported, concat(name_, ": the schema of its ", part, " has version ",
                                           found, "; this build reads version ", wanted)};
}

Result<void> Postgres::migrate(std::string_view part, std::span<const char* const> steps) {
    const auto newest = static_cast<int>(steps.size());
    TRY(int at, version(part));
    if (at > newest)
        return Error{Code::unsupported, concat(name_, ": the schema of its ", part, " has version ",
                                               at, "; this build knows up to ", newest,
                                               ". Start the newer build, or use another database")};
    if (at == newest) return {};
    TRY(PgTransaction transaction, PgTransaction::begin(*this));
    TRY(run("SELECT pg_advisory_xact_lock($1)", {kMigrationLock}));
    TRY(const PgRows schema, run_script("SELECT 1 WHERE to_regnamespace('brigada') IS NOT NULL"));
    if (schema.count() == 0) TRY(run_script("CREATE SCHEMA brigada"));
    TRY(
        run_script("CREATE TABLE IF NOT EXISTS brigada.schema_versions "
                   "(part text PRIMARY KEY, version integer NOT NULL)"));
    TRY(at, version(part));  // another may have been quicker
    for (; at < newest; ++at)
        TRY(run_script(steps[static_cast<size_t>(at)]));
    TRY(
        run("INSERT INTO brigada.schema_versions VALUES ($1, $2) "
            "ON CONFLICT (part) DO UPDATE SET version = greatest(excluded.version, "
            "brigada.schema_versions.version)",
            {part, int64_t{newest}}));
    return transaction.commit();
}

// --- errors ----------------------------------------------------------------------------------

Error Postgres::failure(std::string_view doing) const {
    return {Code::unavailable,
            concat(name_, ": ", doing, ": ", one_line(PQerrorMessage(connection_.get())))};
}

Error Postgres::failure(const pg_result* result) const {
    const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const char* primary = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    const std::string words = primary ? std::string(primary) : PQresultErrorMessage(result);
    return {state ? code_of(state) : Code::unavailable, concat(name_, ": ", one_line(words))};
}

Error Postgres::lost() const {
    return {Code::unavailable, concat(name_, ": the connection is lost")};
}

/// What was asked may still be answered some day: nobody will listen.
Error Postgres::late() {
    const bool was_connecting = PQstatus(connection_.get()) != CONNECTION_OK;
    connection_.reset();
    const Duration waited = was_connecting ? connect_patience_ : patience_;
    return {Code::deadline, concat(name_, ": no answer within ", waited.ms(), " ms")};
}

// --- transactions ----------------------------------------------------------------------------

Result<PgTransaction> PgTransaction::begin(Postgres& database) {
    TRY(database.run_script("BEGIN"));
    return PgTransaction(database);
}

Result<PgTransaction> PgTransaction::begin_reading(Postgres& database) {
    TRY(database.run_script("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"));
    return PgTransaction(database);
}

PgTransaction::PgTransaction(PgTransaction&& other) noexcept
    : database_(std::exchange(other.database_, nullptr)) {}

PgTransaction::~PgTransaction() {
    if (database_ && !database_->broken()) (void)database_->run_script("ROLLBACK");
}

Result<void> PgTransaction::commit() {
    Postgres& database = *std::exchange(database_, nullptr);
    TRY(database.run_script("COMMIT"));
    return {};
}

}  // namespace brigada
