// DirectoryStore: where the directory lives for good, an SQLite file of one gateway or a PostgreSQL
// database of many. Each change makes a new revision; what is judged by an older one is not
// written, so that nobody overwrites what he has not seen.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "gateway/directory/change.h"
#include "gateway/directory/records.h"
#include "ledger/audit_log.h"

namespace brigada {

/// Records as they are now, whatever happened to them in between.
struct DirectoryNews {
    struct Gone {
        RecordKind kind = RecordKind::key;
        std::string id = {};
    };

    uint64_t revision = 0;
    std::string origin = {};  // which database they are of; "" for the only one
    bool is_whole = false;    // there are no other records
    std::vector<Record> now = {};
    std::vector<Gone> gone = {};  // those that were deleted
};

/// The same of changes that are durable.
DirectoryNews news_of(const Changes& changes, uint64_t revision);

/// One thread at a time. What is passing is Error::unavailable or ::deadline.
class DirectoryStore {
  public:
    virtual ~DirectoryStore() = default;

    /// Every record, in no order that means anything. Error::corrupt.
    virtual Result<DirectoryNews> load() = 0;

    /// All of them or none, durable when it returns: the new revision. Nothing when `base`, the
    /// revision they were judged by, is not the newest: then nothing is written.
    virtual Result<std::optional<uint64_t>> write(const Changes& changes, uint64_t base) = 0;

    /// Puts events that change nothing into the audit log, where this store has one.
    virtual Result<void> note(std::span<const AuditEvent> events) = 0;

    /// What has changed since, by whomever.
    virtual Result<DirectoryNews> since(uint64_t revision) = 0;
};

}  // namespace brigada
