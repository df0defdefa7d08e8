#include "gateway/directory/directory_store.h"

#include <sqlite3.h>

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

/// How long a write waits for another process that holds the file. The loop waits with it, so
/// short.
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

std::optional<RecordKind> kind_from(std::string_view name) {
    for (RecordKind kind : kRecordKinds)
        if (to_string(kind) == name) return kind;
    return std::nullopt;
}

Result<Record> read_record(std::string_view kind_name, std::string_view text) {
    const auto kind = kind_from(kind_name);
    if (!kind) return Error{Code::corrupt, concat("a record of unknown kind '", kind_name, "'")};
    TRY(const Json json, parse_json(text, "the record"));
    return record_from(*kind, json);
}

}  // namespace

int DirectoryStore::newest_schema() {
    return kSchema;
}

void DirectoryStore::Close::operator()(sqlite3* database) const {
    sqlite3_close_v2(database);
}

Result<std::unique_ptr<DirectoryStore>> DirectoryStore::open(const Path& path,
                                                             std::string_view pepper_mark) {
    sqlite3* database = nullptr;
    const int opened = sqlite3_open(path.c_str(), &database);
    std::unique_ptr<DirectoryStore> store(new DirectoryStore(path, database));
    if (opened != SQLITE_OK) return store->failed("opening");
    sqlite3_busy_timeout(database, kBusyMs);
    TRY(store->execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"));
    TRY(store->migrate());
    TRY(store->check_pepper(pepper_mark));
    return store;
}

Result<void> DirectoryStore::migrate() {
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

Result<void> DirectoryStore::check_pepper(std::string_view pepper_mark) {
    std::string known;
    {
        Statement asked(database_.get(), "SELECT value FROM facts WHERE name = 'pepper_mark'");
        const int row = asked.step();
        if (row != SQLITE_ROW && row != SQLITE_DONE) return failed("reading the pepper's mark");
        if (row == SQLITE_ROW) known = asked.text(0);
    }
    if (known == pepper_mark) return {};
    if (!known.empty())
        return Error{Code::invalid_argument,
                     concat(path_.string(),
                            ": its keys were hashed under another pepper, so none would be "
                            "recognised. Start with the pepper the store was made with.")};
    Statement kept(database_.get(), "INSERT INTO facts VALUES ('pepper_mark', ?)");
    if (kept.bind(1, pepper_mark).step() != SQLITE_DONE) return failed("keeping the pepper's mark");
    return {};
}

Result<std::vector<Record>> DirectoryStore::load() const {
    std::vector<Record> records;
    Statement asked(database_.get(), "SELECT kind, id, record FROM records");
    int row = asked.step();
    for (; row == SQLITE_ROW; row = asked.step()) {
        auto record = read_record(asked.text(0), asked.text(2));
        if (!record.ok())
            return Error{Code::corrupt, concat(path_.string(), ": ", asked.text(0), " '",
                                               asked.text(1), "': ", record.error().message)};
        if (holder_of(*record).id != asked.text(1))
            return Error{Code::corrupt, concat(path_.string(), ": ", asked.text(0), " '",
                                               asked.text(1), "' holds another's record")};
        records.push_back(*std::move(record));
    }
    if (row != SQLITE_DONE) return failed("reading");
    return records;
}

Result<void> DirectoryStore::write(const Changes& changes) {
    TRY(execute("BEGIN IMMEDIATE"));
    Result<void> written;
    for (const Change& change : changes)
        if (written.ok()) written = write_one(change);
    if (written.ok()) written = execute("COMMIT");
    if (!written.ok()) static_cast<void>(execute("ROLLBACK").ok());
    return written;
}

Result<void> DirectoryStore::write_one(const Change& change) {
    const bool removed = change.after.is_null();
    const std::string record = removed ? "" : dump_json(change.after);
    Statement statement(database_.get(), removed
                                             ? "DELETE FROM records WHERE kind = ? AND id = ?"
                                             : "INSERT OR REPLACE INTO records VALUES (?, ?, ?)");
    statement.bind(1, to_string(change.kind)).bind(2, change.id);
    if (!removed) statement.bind(3, record);
    if (statement.step() != SQLITE_DONE) return failed("writing");
    return {};
}

Result<void> DirectoryStore::execute(const char* sql) const {
    if (sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr) == SQLITE_OK) return {};
    return failed("writing");
}

Error DirectoryStore::failed(std::string_view doing) const {
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
