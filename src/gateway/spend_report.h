// Spend report: what holders have spent, asked of the ledger in the words of LiteLLM's route.
#pragma once

#include "base/json.h"
#include "base/result.h"
#include "gateway/gateway.h"
#include "gateway/query.h"

namespace brigada {

/// GET /global/spend/report: the span of spend_span(), group_by team, api_key, user, customer,
/// model or organization. Reads on the reports' thread. Errors name the parameter.
Task<Result<Json>> spend_report(Gateway& gateway, Query query);

}  // namespace brigada
