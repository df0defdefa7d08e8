// Postgres: one connection to a PostgreSQL database, with Results and with a deadline on
// everything: a server that is stopped, stuck or cut off makes a call late, never endless. One
// thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "ledger/postgres_address.h"

struct pg_conn;
struct pg_result;

namespace brigada {

struct PostgresConfig {
    PostgresAddress address = {};
    Duration connect_patience = Duration::seconds(3);
    Duration patience = Duration::seconds(5);  // for one statement, here and at the server
};

/// A parameter: a number, a text, or bytes for a bytea. Texts are pg_text, bytes are any.
class PgValue {
  public:
    PgValue(int64_t number) : bytes_(std::to_string(number)) {}
    PgValue(std::string_view text) : bytes_(text) {}
    PgValue(std::string text) : bytes_(std::move(text)) {}
    PgValue(const char* text) : bytes_(text) {}
    /// SQL's NULL.
    PgValue(std::nullopt_t) : is_null_(true) {}
    static PgValue bytea(std::string_view bytes);

    const char* data() const { return is_null_ ? nullptr : bytes_.c_str(); }

  private:
    std::string bytes_;
    bool is_null_ = false;
};

class PgRows {
  public:
    int count() const;
    /// Columns count from 0. Texts live as long as the rows.
    std::string_view text(int row, int column) const;
    int64_t integer(int row, int column) const;
    std::string bytea(int row, int column) const;
    bool null(int row, int column) const;
    /// How many rows a statement put in, changed or removed.
    int64_t affected() const;

  private:
    friend class Postgres;
    struct Clear {
        void operator()(pg_result* result) const;
    };
    explicit PgRows(pg_result* result) : result_(result) {}
    std::unique_ptr<pg_result, Clear> result_;
};

class Postgres {
  public:
    /// Error::unavailable when nothing answers there, or it takes no more connections.
    static Result<Postgres> connect(const PostgresConfig& config);

    /// One statement with parameters $1 and so on; prepared at its first run. Error::unavailable
    /// when the server is away, busy or had to give up, Error::deadline when it did not answer in
    /// time: then the connection is broken.
    Result<PgRows> run(std::string_view sql, std::span<const PgValue> values = {});
    Result<PgRows> run(std::string_view sql, std::initializer_list<PgValue> values) {
        return run(sql, std::span(values.begin(), values.size()));
    }

    /// Statements without parameters; the rows of the last.
    Result<PgRows> run_script(const char* sql);

    /// Brings the tables of one part ("ledger") up to steps.size(), all gateways one after the
    /// other. Error::unsupported when a newer build made them.
    Result<void> migrate(std::string_view part, std::span<const char* const> steps);

    /// The same, without changing anything: Error::not_found when there are no such tables,
    /// ::unsupported when they are of another version.
    Result<void> expect_version(std::string_view part, size_t version);

    /// Waits for a NOTIFY of a channel that LISTEN was said for, or for `wake_fd` to have something
    /// to read. Error::unavailable when the connection ends.
    Result<void> wait_for_notice(Duration timeout, int wake_fd);

    /// Whether it is of no more use; connect again.
    bool broken() const;

    const std::string& name() const { return name_; }

  private:
    struct Finish {
        void operator()(pg_conn* connection) const;
    };
    Postgres(pg_conn* connection, const PostgresConfig& config);

    Result<void> finish_connecting(Instant deadline);
    Result<void> set_up();
    Result<std::string> prepared(std::string_view sql);
    Result<PgRows> answer();
    Result<void> wait_for_answer(Instant deadline);
    Result<void> wait_for_socket(bool reading, bool writing, Instant deadline);
    Result<int> version(std::string_view part);
    Error failure(std::string_view doing) const;
    Error failure(const pg_result* result) const;
    Error lost() const;
    Error late();

    std::unique_ptr<pg_conn, Finish> connection_;  // null once it is broken
    std::string name_;
    Duration connect_patience_;
    Duration patience_;
    std::map<std::string, std::string, std::less<>> prepared_;  // names by SQL
};

/// A transaction that is undone unless committed.
class PgTransaction {
  public:
    static Result<PgTransaction> begin(Postgres& database);

    /// For reading: everything read in it is of one moment.
    static Result<PgTransaction> begin_reading(Postgres& database);

    PgTransaction(PgTransaction&& other) noexcept;
    PgTransaction& operator=(PgTransaction&&) = delete;
    ~PgTransaction();

    /// After Error::deadline or a connection that broke, nobody knows whether it happened.
    Result<void> commit();

  private:
    explicit PgTransaction(Postgres& database) : database_(&database) {}
    Postgres* database_;  // null once it is over
};

}  // namespace brigada
