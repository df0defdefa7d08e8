// Spend reports: what holders have spent, asked of the ledger in the words of LiteLLM's routes.
#pragma once

#include <map>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "gateway/gateway.h"

namespace brigada {

/// GET /global/spend/report: start_date and end_date (YYYY-MM-DD, UTC, the end included; 30 days up
/// to now unless given), group_by team, api_key, user, customer, model or organization. Errors name
/// the parameter. The ledger is asked on a worker's thread.
Task<Result<Json>> spend_report(Gateway& gateway,
                                std::map<std::string, std::string, std::less<>> query);

}  // namespace brigada
