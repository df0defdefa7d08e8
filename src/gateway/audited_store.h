// AuditedStore: an administrator's change is in the audit log before it is in the store, and in the
// store before it counts: nothing is done that the log does not tell.
#pragma once

#include <string_view>
#include <vector>

#include "gateway/directory/directory_store.h"
#include "ledger/audit_log.h"

namespace brigada {

/// What the audit log tells of changes; `suffix` is added to each action.
std::vector<AuditEvent> events_of(const Changes& changes, std::string_view suffix);

class AuditedStore : public DirectoryStore {
  public:
    /// Both outlive it.
    AuditedStore(AuditLog& audit, DirectoryStore& store) : audit_(audit), store_(store) {}

    Result<DirectoryNews> load() override { return store_.load(); }
    Result<DirectoryNews> since(uint64_t revision) override { return store_.since(revision); }
    Result<void> note(std::span<const AuditEvent> events) override { return audit_.append(events); }

    /// When the store fails, a second event says so.
    Result<std::optional<uint64_t>> write(const Changes& changes, uint64_t base) override;

  private:
    AuditLog& audit_;
    DirectoryStore& store_;
};

}  // namespace brigada
