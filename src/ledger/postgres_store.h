// PostgresStore: the calls of many gateways, in one PostgreSQL database. Each gateway's log has its
// own position there; hourly sums are added to by all. It connects when it is first used, and again
// after a connection broke: whoever uses it tries again.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "ledger/call_store.h"
#include "ledger/postgres.h"
#include "ledger/store_proof.h"

namespace brigada {

class PostgresStore : public CallStore {
  public:
    /// `writer` names this gateway's log for ever. Makes and migrates the tables.
    static std::unique_ptr<CallStore> for_writing(const PostgresConfig& config,
                                                  const std::string& writer);

    /// Changes nothing. Error::not_found, when it is used, for a database without calls.
    static std::unique_ptr<CallStore> for_reading(const PostgresConfig& config,
                                                  const std::string& writer);

    Result<std::optional<uint64_t>> moved() override;

    /// Error::corrupt when another gateway moves a log of the same name, or when the database was
    /// put back to a time before calls that the log no longer has.
    Result<uint64_t> insert(std::span<const StoredCall> calls, uint64_t moved) override;

    Result<std::vector<SpendRow>> spend(const SpendQuery& query) override;
    Result<void> each_call(CallSpan span, const Visitor& visit) override;
    Result<uint64_t> forget(int64_t before_hour, uint64_t most) override;
    Result<int64_t> first_kept_hour() override;
    Result<bool> contains(RecordId id) override;
    Result<int64_t> count() override;
    Result<void> verify() override;

  private:
    PostgresStore(PostgresConfig config, std::string writer, bool writes)
        : config_(std::move(config)), writer_(std::move(writer)), writes_(writes) {}

    Result<void> connect();
    Result<std::optional<uint64_t>> read_moved();
    Result<SpendCells> insert_calls(std::span<const StoredCall> calls);
    Result<void> add_spend(const SpendCells& cells);
    Result<void> set_moved(uint64_t moved);
    Result<void> each_row(const char* query, std::span<const PgValue> values,
                          const std::function<Result<void>(const PgRows&, int)>& visit);
    Result<void> show_calls(StoreProof& proof);
    Result<void> show_sums(StoreProof& proof);

    const PostgresConfig config_;
    const std::string writer_;
    const bool writes_;
    std::optional<Postgres> database_;
    std::optional<uint64_t> moved_;  // as this connection knows it; only `writes_`
};

}  // namespace brigada
