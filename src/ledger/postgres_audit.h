// The audit log of several gateways, in their PostgreSQL database: the same lines and the same
// chain as in a file. An event and what it tells of are in one transaction; the database refuses to
// change or remove a line.
#pragma once

#include <span>

#include "base/result.h"
#include "ledger/audit_log.h"
#include "ledger/postgres.h"

namespace brigada {

/// Makes and migrates the tables.
Result<void> migrate_audit(Postgres& database);

/// Within a transaction, which holds the end of the chain until it is over.
Result<void> append_audit(Postgres& database, std::span<const AuditEvent> events);

/// The head of the whole chain. Error::corrupt names the first break, ::not_found when no gateway
/// has kept one there. Reads only.
Result<AuditHead> verify_audit(const PostgresConfig& config);

}  // namespace brigada
