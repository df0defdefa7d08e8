#include "ledger/sqlite.h"

#include <sqlite3.h>

#include <utility>

namespace brigada {

namespace {

Code code_of(int result) {
    switch (result & 0xff) {  // the upper bits say more
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            return Code::unavailable;
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB:
            return Code::corrupt;
        case SQLITE_FULL:
        case SQLITE_IOERR:
        case SQLITE_CANTOPEN:
        case SQLITE_READONLY:
        case SQLITE_PERM:
            return Code::io;
        default:
            return Code::internal;
    }
}

Error error_of(sqlite3* connection, std::string_view name) {
    return {code_of(sqlite3_extended_errcode(connection)),
            concat(name, ": ", sqlite3_errmsg(connection))};
}

/// SQLite takes a null pointer for NULL, and an empty view may have one.
const char* not_null(std::string_view bytes) {
    return bytes.data() ? bytes.data() : "";
}

}  // namespace

void SqliteStatement::Finalize::operator()(sqlite3_stmt* statement) const {
    sqlite3_finalize(statement);
}

SqliteStatement& SqliteStatement::bind(int parameter, int64_t value) {
    CHECK(sqlite3_bind_int64(statement_.get(), parameter, value) == SQLITE_OK, parameter);
    return *this;
}

SqliteStatement& SqliteStatement::bind(int parameter, std::string_view text) {
    CHECK(sqlite3_bind_text64(statement_.get(), parameter, not_null(text), text.size(),
                              SQLITE_STATIC, SQLITE_UTF8) == SQLITE_OK,
          parameter);
    return *this;
}

SqliteStatement& SqliteStatement::bind_blob(int parameter, std::string_view bytes) {
    CHECK(sqlite3_bind_blob64(statement_.get(), parameter, not_null(bytes), bytes.size(),
                              SQLITE_STATIC) == SQLITE_OK,
          parameter);
    return *this;
}

Result<bool> SqliteStatement::step() {
    const int result = sqlite3_step(statement_.get());
    if (result == SQLITE_ROW) return true;
    if (result == SQLITE_DONE) return false;
    Error error = error_of(sqlite3_db_handle(statement_.get()), *name_);
    reset();
    return error;
}

Result<void> SqliteStatement::run() {
    TRY(const bool row, step());
    CHECK(!row, "a statement without rows gave one");
    reset();
    return {};
}

void SqliteStatement::reset() {
    sqlite3_reset(statement_.get());
}

int64_t SqliteStatement::integer(int column) const {
    return sqlite3_column_int64(statement_.get(), column);
}

std::string_view SqliteStatement::text(int column) const {
    const auto* bytes = sqlite3_column_text(statement_.get(), column);
    const auto size = static_cast<size_t>(sqlite3_column_bytes(statement_.get(), column));
    return bytes ? std::string_view(reinterpret_cast<const char*>(bytes), size)
                 : std::string_view();
}

std::string_view SqliteStatement::blob(int column) const {
    const void* bytes = sqlite3_column_blob(statement_.get(), column);
    const auto size = static_cast<size_t>(sqlite3_column_bytes(statement_.get(), column));
    return bytes ? std::string_view(static_cast<const char*>(bytes), size) : std::string_view();
}

void Sqlite::Close::operator()(sqlite3* connection) const {
    sqlite3_close_v2(connection);
}

Result<Sqlite> Sqlite::open(const Path& file, int flags, Duration patience) {
    sqlite3* connection = nullptr;
    const int result =
        sqlite3_open_v2(file.c_str(), &connection, flags | SQLITE_OPEN_NOMUTEX, nullptr);
    CHECK(connection != nullptr, "out of memory");
    Sqlite database(connection, file.string());
    if (result != SQLITE_OK) return error_of(connection, database.name());
    sqlite3_busy_timeout(connection, static_cast<int>(patience.ms()));
    return database;
}

Result<Sqlite> Sqlite::open(const Path& file, Duration patience) {
    TRY(Sqlite database, open(file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, patience));
    // The page of a new file: a call's row is half a kilobyte, and every page written is two
    // writes.
    TRY(database.run("PRAGMA page_size = 16384"));
    TRY(database.run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL"));
    return database;
}

Result<Sqlite> Sqlite::open_read_only(const Path& file, Duration patience) {
    return open(file, SQLITE_OPEN_READONLY, patience);
}

Result<SqliteStatement> Sqlite::prepare(std::string_view sql) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(connection_.get(), sql.data(), static_cast<int>(sql.size()), &statement,
                           nullptr) != SQLITE_OK)
        return error_of(connection_.get(), name());
    return SqliteStatement(statement, name_.get());
}

Result<void> Sqlite::run(const char* sql) {
    if (sqlite3_exec(connection_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK)
        return error_of(connection_.get(), name());
    return {};
}

Result<int64_t> Sqlite::version() {
    TRY(SqliteStatement statement, prepare("PRAGMA user_version"));
    TRY(const bool row, statement.step());
    CHECK(row);
    return statement.integer(0);
}

Result<void> Sqlite::migrate(std::span<const SqliteMigration> migrations) {
    const auto newest = static_cast<int64_t>(migrations.size());
    TRY(const int64_t found, version());
    if (found > newest)
        return Error{Code::unsupported,
                     concat(name(), ": its schema has version ", found, "; this build knows up to ",
                            newest, ". Start the newer build, or use another file")};
    if (found == newest) return {};
    TRY(SqliteTransaction transaction, SqliteTransaction::begin(*this));
    TRY(int64_t at, version());  // another may have been quicker
    for (; at < newest; ++at)
        TRY(run(migrations[static_cast<size_t>(at)].sql));
    TRY(run(concat("PRAGMA user_version = ", newest).c_str()));
    return transaction.commit();
}

uint64_t Sqlite::changes() const {
    return static_cast<uint64_t>(sqlite3_changes64(connection_.get()));
}

Result<void> Sqlite::check_structure() {
    TRY(SqliteStatement statement, prepare("PRAGMA quick_check(1)"));
    TRY(const bool row, statement.step());
    if (row && statement.text(0) == "ok") return {};
    return Error{Code::corrupt, concat(name(), ": ", row ? statement.text(0) : "no answer",
                                       ". Put the file back from a copy")};
}

Result<SqliteTransaction> SqliteTransaction::begin(Sqlite& database) {
    TRY(database.run("BEGIN IMMEDIATE"));
    return SqliteTransaction(database);
}

Result<SqliteTransaction> SqliteTransaction::begin_reading(Sqlite& database) {
    TRY(database.run("BEGIN DEFERRED"));
    return SqliteTransaction(database);
}

SqliteTransaction::SqliteTransaction(SqliteTransaction&& other) noexcept
    : database_(std::exchange(other.database_, nullptr)) {}

SqliteTransaction::~SqliteTransaction() {
    // A failure may have undone it already; then this one fails, and that is well.
    if (database_) (void)database_->run("ROLLBACK");
}

Result<void> SqliteTransaction::commit() {
    TRY(database_->run("COMMIT"));
    database_ = nullptr;
    return {};
}

}  // namespace brigada
