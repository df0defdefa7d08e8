// AuditedJournal: an administrator's change is in the audit log before it is in the store, and in
// the store before it counts: nothing is done that the log does not tell.
#pragma once

#include "gateway/directory/change.h"
#include "ledger/audit_log.h"

namespace brigada {

class AuditedJournal : public DirectoryJournal {
  public:
    /// Both outlive the journal.
    AuditedJournal(AuditLog& audit, DirectoryJournal& store) : audit_(audit), store_(store) {}

    /// When the store fails, a second event says so.
    Result<void> write(const Changes& changes) override;

  private:
    AuditLog& audit_;
    DirectoryJournal& store_;
};

}  // namespace brigada
