// SqliteStore: the calls of one gateway, in an SQLite file.
#pragma once

#include <memory>
#include <optional>

#include "base/file.h"
#include "ledger/call_store.h"
#include "ledger/sqlite.h"
#include "ledger/store_proof.h"

namespace brigada {

class SqliteStore : public CallStore {
  public:
    /// Makes or migrates the file. Error::unsupported for a newer schema, ::unavailable while
    /// another holds its lock, ::corrupt, ::io.
    static Result<std::unique_ptr<CallStore>> open(const Path& file);

    /// Error::not_found when there is no such file.
    static Result<std::unique_ptr<CallStore>> open_read_only(const Path& file);

    Result<std::optional<uint64_t>> moved() override;
    Result<uint64_t> insert(std::span<const StoredCall> calls, uint64_t moved) override;
    Result<std::vector<SpendRow>> spend(const SpendQuery& query) override;
    Result<void> each_call(CallSpan span, const Visitor& visit) override;
    Result<uint64_t> forget(int64_t before_hour, uint64_t most) override;
    Result<int64_t> first_kept_hour() override;
    Result<bool> contains(RecordId id) override;
    Result<int64_t> count() override;
    Result<void> verify() override;

  private:
    explicit SqliteStore(Sqlite database) : database_(std::move(database)) {}

    Result<void> prepare_insertion();
    Result<bool> insert_call(const StoredCall& call);
    Result<void> add_spend(const SpendCell& cell, const SpendSum& sum);
    Result<void> show_calls(StoreProof& proof);
    Result<void> show_sums(StoreProof& proof);

    Sqlite database_;
    std::optional<SqliteStatement> insert_call_ = {};
    std::optional<SqliteStatement> add_spend_ = {};
    std::optional<SqliteStatement> set_moved_ = {};
};

}  // namespace brigada
