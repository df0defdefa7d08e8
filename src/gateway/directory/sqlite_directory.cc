#include "gateway/directory/sqlite_directory.h"

#include <sqlite3.h>

#include <charconv>
#include <optional>

#include "gateway/directory/record_json.h"

namespace brigada {

namespace {

/// Schema version n is reached by the steps before n. A released step is never changed.
constexpr const char* kMigrations[] = {
    // 1: one table, because every record is read and written whole.
    "CREATE TABLE records (kind TEXT NOT NULL, id TEXT NOT NULL, record TEXT NOT NULL,"
    "                      PRIMARY KEY (kind, id)) WITHOUT ROWID;"
    "CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;",
};
constexpr int kSchema = static_cast<int>(std::size(kMigrations));

/// How long a write waits for another process that holds the file.
constexpr int kBusyMs = 200;

/// A prepared statement, finalised when it goes.
class Statement {
  public:
    Statement(sqlite3* database, std::string_view sql) {
        sqlite3_prepare_v2(database, sql.data(), static_cast<int>(sql.size()), &statement_,
                           nullptr);
    }
    ~Statement() { sqlite3_finalize(statement_); }
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;

    /// The text must outlive the statement's steps.
    Statement& bind(int index, std::string_view text) {
        sqlite3_bind_text(statement_, index, text.data(), static_cast<int>(text.size()),
                          SQLITE_STATIC);
        return *this;
    }

    /// SQLITE_ROW, SQLITE_DONE or an error; a statement that could not be prepared is misuse.
    int step() { return sqlite3_step(statement_); }

    std::string text(int column) const {
        const auto* bytes = sqlite3_column_text(statement_, column);
        const int size = sqlite3_column_bytes(statement_, column);
        return bytes ? std::string(reinterpret_cast<const char*>(bytes), size_t(size)) : "";
    }
    int number(int column) const { return sqlite3_column_int(statement_, column); }

  private:
    sqlite3_stmt* statement_ = nullptr;
};

uint64_t number_in(std::string_view text) {
    uint64_t out = 0;
    std::from_chars(text.data(), text.data() + text.size(), out);
    return out;
}

}  // namespace

int SqliteDirectory::newest_schema() {
    return kSchema;
}

void SqliteDirectory::Close::operator()(sqlite3* database) const {
    sqlite3_close_v2(database);
}

Result<std::unique_ptr<SqliteDirectory>> SqliteDirectory::open(const Path& path,
                                                               std::string_view pepper_mark) {
    sqlite3* database = nullptr;
    const int opened = sqlite3_open(path.c_str(), &database);
    std::unique_ptr<SqliteDirectory> store(new SqliteDirectory(path, database));
    if (opened != SQLITE_OK) return store->failed("opening");
    sqlite3_busy_timeout(database, kBusyMs);
    TRY(store->execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"));
    TRY(store->migrate());
    TRY(store->check_pepper(pepper_mark));
    return store;
}

Result<void> SqliteDirectory::migrate() {
    int version = 0;
    {
        Statement asked(database_.get(), "PRAGMA user_version");
        if (asked.step() != SQLITE_ROW) return failed("reading the schema's version");
        version = asked.number(0);
    }
    if (version > kSchema)
        return Error{Code::unsupported,
                     concat(path_.string(), ": schema version ", version,
                            " was written by a newer brigada; this one reads up to ", kSchema,
                            ". Run the newer one, or restore a copy from before the update.")};
    for (; version < kSchema; ++version) {
        const std::string step = concat("BEGIN IMMEDIATE;", kMigrations[version],
                                        "PRAGMA user_version = ", version + 1, "; COMMIT;");
        TRY(execute(step.c_str()));
    }
    return {};
}

Result<void> SqliteDirectory::check_pepper(std::string_view pepper_mark) {
    TRY(const std::string known, fact("pepper_mark"));
    if (known == pepper_mark) return {};
    if (known.empty()) return set_fact("pepper_mark", pepper_mark);
    return Error{Code::invalid_argument,
                 concat(path_.string(),
                        ": its keys were hashed under another pepper, so none would be "
                        "recognised. Start with the pepper the store was made with.")};
}

/// Empty when it is not known.
Result<std::string> SqliteDirectory::fact(std::string_view name) const {
    Statement asked(database_.get(), "SELECT value FROM facts WHERE name = ?");
    const int row = asked.bind(1, name).step();
    if (row == SQLITE_ROW) return asked.text(0);
    if (row != SQLITE_DONE) return failed("reading");
    return std::string();
}

Result<void> SqliteDirectory::set_fact(std::string_view name, std::string_view value) {
    Statement kept(database_.get(), "INSERT OR REPLACE INTO facts VALUES (?, ?)");
    if (kept.bind(1, name).bind(2, value).step() != SQLITE_DONE) return failed("writing");
    return {};
}

Result<DirectoryNews> SqliteDirectory::load() {
    DirectoryNews news{.is_whole = true};
    TRY(const std::string revision, fact("revision"));
    news.revision = number_in(revision);
    TRY(news.origin, fact("origin"));
    Statement asked(database_.get(), "SELECT kind, id, record FROM records");
    int row = asked.step();
    for (; row == SQLITE_ROW; row = asked.step()) {
        auto record = read_record(asked.text(0), asked.text(1), asked.text(2));
        if (!record.ok()) return std::move(record).error().in(path_.string());
        news.now.push_back(*std::move(record));
    }
    if (row != SQLITE_DONE) return failed("reading");
    return news;
}

Result<DirectoryNews> SqliteDirectory::since(uint64_t revision) {
    return DirectoryNews{.revision = revision};
}

Result<std::optional<uint64_t>> SqliteDirectory::write(const Changes& changes, uint64_t base) {
    TRY(keep(news_of(changes, base + 1)));
    return std::optional(base + 1);
}

Result<void> SqliteDirectory::keep(const DirectoryNews& news) {
    TRY(execute("BEGIN IMMEDIATE"));
    Result<void> written = put_all(news);
    if (written.ok()) written = execute("COMMIT");
    if (!written.ok()) static_cast<void>(execute("ROLLBACK").ok());
    return written;
}

Result<void> SqliteDirectory::put_all(const DirectoryNews& news) {
    if (news.is_whole) TRY(execute("DELETE FROM records"));
    for (const DirectoryNews::Gone& gone : news.gone)
        TRY(remove(to_string(gone.kind), gone.id));
    for (const Record& record : news.now)
        TRY(put(to_string(kind_of(record)), holder_of(record).id, dump_json(to_json(record))));
    TRY(set_fact("origin", news.origin));
    return set_fact("revision", std::to_string(news.revision));
}

Result<void> SqliteDirectory::put(std::string_view kind, std::string_view id,
                                  const std::string& record) {
    Statement statement(database_.get(), "INSERT OR REPLACE INTO records VALUES (?, ?, ?)");
    if (statement.bind(1, kind).bind(2, id).bind(3, record).step() != SQLITE_DONE)
        return failed("writing");
    return {};
}

Result<void> SqliteDirectory::remove(std::string_view kind, std::string_view id) {
    Statement statement(database_.get(), "DELETE FROM records WHERE kind = ? AND id = ?");
    if (statement.bind(1, kind).bind(2, id).step() != SQLITE_DONE) return failed("writing");
    return {};
}

Result<void> SqliteDirectory::execute(const char* sql) const {
    if (sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr) == SQLITE_OK) return {};
    return failed("writing");
}

Error SqliteDirectory::failed(std::string_view doing) const {
    const int code = database_ ? sqlite3_errcode(database_.get()) : SQLITE_NOMEM;
    const char* said = database_ ? sqlite3_errmsg(database_.get()) : "out of memory";
    const bool passing = code == SQLITE_BUSY || code == SQLITE_LOCKED || code == SQLITE_FULL ||
                         code == SQLITE_IOERR || code == SQLITE_READONLY;
    const bool broken = code == SQLITE_CORRUPT || code == SQLITE_NOTADB;
    return {passing  ? Code::unavailable
            : broken ? Code::corrupt
                     : Code::io,
            concat(path_.string(), ": ", doing, ": ", said)};
}

}  // namespace brigada
