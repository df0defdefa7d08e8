// CallStore: where calls live for good. A call is kept once however often it is brought, and
// together with how far its write-ahead log was moved, in one transaction. SqliteStore is a file of
// one gateway, PostgresStore a database of many.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ledger/call_record.h"
#include "ledger/call_span.h"
#include "ledger/spend.h"

namespace brigada {

/// A call and the bytes it was decoded from, which the store keeps beside its columns.
struct StoredCall {
    CallRecord record = {};
    std::string_view bytes = {};
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

class CallStore {
  public:
    virtual ~CallStore() = default;

    /// The last sequence of this gateway's log that is here; nothing when it never brought any.
    virtual Result<std::optional<uint64_t>> moved() = 0;

    /// Adds the calls that are not here yet, and remembers `moved`: all of it, or nothing. Returns
    /// how many were new.
    virtual Result<uint64_t> insert(std::span<const StoredCall> calls, uint64_t moved) = 0;

    /// By holder. Calls still in a log are not in it.
    virtual Result<std::vector<SpendRow>> spend(const SpendQuery& query) = 0;

    /// In the order they ended; ends early with the visitor's error.
    using Visitor = std::function<Result<void>(const CallRecord&)>;
    virtual Result<void> each_call(CallSpan span, const Visitor& visit) = 0;

    /// Drops up to `most` of the calls that ended before this hour, oldest first; their sums stay.
    /// Returns how many.
    virtual Result<uint64_t> forget(int64_t before_hour, uint64_t most) = 0;

    /// What `forget` was told last: of calls before this hour there may be sums only.
    virtual Result<int64_t> first_kept_hour() = 0;

    virtual Result<bool> contains(RecordId id) = 0;
    virtual Result<int64_t> count() = 0;

    /// The first contradiction within the store: structure, a record against its columns, the sums
    /// against the calls. Error::corrupt.
    virtual Result<void> verify() = 0;
};

}  // namespace brigada
