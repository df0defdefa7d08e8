// Sqlite: SQLite with Results. One connection is used by one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/result.h"
#include "base/time.h"

struct sqlite3;
struct sqlite3_stmt;

namespace brigada {

/// A prepared statement: bind, step while there are rows, reset. Must not outlive its connection.
class SqliteStatement {
  public:
    /// Parameters count from 1; bound texts must live until reset().
    SqliteStatement& bind(int parameter, int64_t value);
    SqliteStatement& bind(int parameter, std::string_view text);
    SqliteStatement& bind_blob(int parameter, std::string_view bytes);

    /// True when there is a row.
    Result<bool> step();

    /// Runs a statement without rows, and resets it.
    Result<void> run();

    /// Ready to be bound and run again.
    void reset();

    /// Columns count from 0; texts and blobs live until the next step.
    int64_t integer(int column) const;
    std::string_view text(int column) const;
    std::string_view blob(int column) const;

  private:
    friend class Sqlite;
    struct Finalize {
        void operator()(sqlite3_stmt* statement) const;
    };
    SqliteStatement(sqlite3_stmt* statement, const std::string* name)
        : statement_(statement), name_(name) {}

    std::unique_ptr<sqlite3_stmt, Finalize> statement_;
    const std::string* name_;  // the database's, for messages
};

/// One step of a schema: the statements that lead from the version before.
struct SqliteMigration {
    const char* sql;
};

class Sqlite {
  public:
    /// Write-ahead logging with a full sync at each commit: what a commit returned for survives a
    /// power cut. `patience`: how long a lock of another connection is waited for.
    static Result<Sqlite> open(const Path& file, Duration patience);
    static Result<Sqlite> open_read_only(const Path& file, Duration patience);

    Result<SqliteStatement> prepare(std::string_view sql);

    /// Statements without parameters and rows.
    Result<void> run(const char* sql);

    /// Brings the schema up to migrations.size(), each step in a transaction. Error::unsupported
    /// when the file was written by a newer build.
    Result<void> migrate(std::span<const SqliteMigration> migrations);

    /// The schema's version, counted in migrations; 0 for an empty file.
    Result<int64_t> version();

    /// Rows that the last INSERT, UPDATE or DELETE changed.
    uint64_t changes() const;

    /// Error::corrupt with SQLite's words when the file's structure is damaged.
    Result<void> check_structure();

    const std::string& name() const { return *name_; }

  private:
    friend class SqliteTransaction;
    struct Close {
        void operator()(sqlite3* connection) const;
    };
    static Result<Sqlite> open(const Path& file, int flags, Duration patience);
    Sqlite(sqlite3* connection, std::string name)
        : connection_(connection), name_(std::make_unique<std::string>(std::move(name))) {}

    std::unique_ptr<sqlite3, Close> connection_;
    std::unique_ptr<std::string> name_;
};

/// A transaction that is undone unless committed.
class SqliteTransaction {
  public:
    /// For writing: takes the write lock at once. Error::unavailable when another holds it.
    static Result<SqliteTransaction> begin(Sqlite& database);

    /// For reading: everything read in it is of one moment.
    static Result<SqliteTransaction> begin_reading(Sqlite& database);

    SqliteTransaction(SqliteTransaction&& other) noexcept;
    SqliteTransaction& operator=(SqliteTransaction&&) = delete;
    ~SqliteTransaction();

    Result<void> commit();

  private:
    explicit SqliteTransaction(Sqlite& database) : database_(&database) {}
    Sqlite* database_;  // null once it is over
};

}  // namespace brigada
