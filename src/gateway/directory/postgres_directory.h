// PostgresDirectory: one directory for many gateways, in a PostgreSQL database. A change, its audit
// events and the new revision are one transaction; who judged by an older revision writes nothing.
#pragma once

#include <optional>
#include <string>

#include "gateway/directory/directory_store.h"
#include "ledger/postgres.h"

namespace brigada {

/// Said by NOTIFY whenever something has changed.
inline constexpr const char* kDirectoryChannel = "brigada_directory";

class PostgresDirectory : public DirectoryStore {
  public:
    /// Connects when it is first used, and again after a connection broke. `pepper_mark` is that of
    /// the KeyHasher whose hashes are kept there. Errors of every use: Error::unavailable and
    /// ::deadline while it is away, ::unsupported for a newer schema, ::invalid_argument for
    /// another pepper.
    PostgresDirectory(PostgresConfig config, std::string pepper_mark)
        : config_(std::move(config)), pepper_mark_(std::move(pepper_mark)) {}

    /// That the caller knows a state of this database already: since() need not give all of it.
    void set_origin(std::string origin) { origin_ = std::move(origin); }

    Result<DirectoryNews> load() override;

    /// An Error::deadline while it is committed says that nobody knows whether it happened.
    Result<std::optional<uint64_t>> write(const Changes& changes, uint64_t base) override;

    Result<void> note(std::span<const AuditEvent> events) override;

    /// All there is when the database is another one than before, or an older state of it.
    Result<DirectoryNews> since(uint64_t revision) override;

    /// Waits until something has changed, `wake_fd` has something to read, or for `timeout`.
    Result<void> wait_for_change(Duration timeout, int wake_fd);

  private:
    Result<void> connect();
    Result<void> check_pepper();
    Result<void> put(const DirectoryNews& news);

    const PostgresConfig config_;
    const std::string pepper_mark_;
    std::optional<Postgres> database_;
    std::string origin_;  // the id of the database that the caller knows a state of
    bool listens_ = false;
};

}  // namespace brigada
