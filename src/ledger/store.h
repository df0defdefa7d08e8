// Store: where calls live for good, an SQLite file. A call is kept once however often it is
// brought, and together with how far the write-ahead log was moved, in one transaction.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "ledger/call_record.h"
#include "ledger/spend.h"
#include "ledger/sqlite.h"

namespace brigada {

/// A call and the bytes it was decoded from, which the store keeps beside its columns.
struct StoredCall {
    CallRecord record = {};
    std::string_view bytes = {};
};

/// Calls that ended in [from, to).
struct CallSpan {
    WallTime from = {std::numeric_limits<int64_t>::min()};
    WallTime to = {std::numeric_limits<int64_t>::max()};
};

struct SpendQuery {
    SpendBy by = SpendBy::team;
    CallSpan span = {};
    std::optional<std::string> holder = {};  // only this one
    std::optional<std::string> model = {};   // only this one, as clients asked for it
};

struct SpendRow {
    std::string holder = {};  // empty: calls that had none
    SpendSum sum = {};
};

class Store {
  public:
    /// Makes or migrates the file. Error::unsupported for a newer schema, ::unavailable while
    /// another holds its lock, ::corrupt, ::io.
    static Result<Store> open(const Path& file);

    /// Error::not_found when there is no such file.
    static Result<Store> open_read_only(const Path& file);

    /// The last sequence of the log that is here.
    Result<uint64_t> moved();

    /// Adds the calls that are not here yet, and remembers `moved`: all of it, or nothing. Returns
    /// how many were new.
    Result<uint64_t> insert(std::span<const StoredCall> calls, uint64_t moved);

    /// By holder. Calls still in the log are not in it.
    Result<std::vector<SpendRow>> spend(const SpendQuery& query);

    /// In the order they ended; ends early with the visitor's error.
    using Visitor = std::function<Result<void>(const CallRecord&)>;
    Result<void> each_call(CallSpan span, const Visitor& visit);

    Result<bool> contains(RecordId id);
    Result<int64_t> count();

    /// The first contradiction within the file: structure, a record against its columns, the sums
    /// against the calls. Error::corrupt.
    Result<void> verify();

  private:
    explicit Store(Sqlite database) : database_(std::move(database)) {}

    Result<void> prepare_insertion();
    Result<bool> insert_call(const StoredCall& call);
    Result<void> add_spend(const SpendCell& cell, const SpendSum& sum);
    Result<SpendCells> recount();
    Result<void> compare(SpendCells expected);

    Sqlite database_;
    std::optional<SqliteStatement> insert_call_ = {};
    std::optional<SqliteStatement> add_spend_ = {};
    std::optional<SqliteStatement> set_moved_ = {};
};

}  // namespace brigada
