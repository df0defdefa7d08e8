// Spend logs: the ledger's calls one by one, or added up by day, in the words of LiteLLM's route.
#pragma once

#include "base/json.h"
#include "base/result.h"
#include "gateway/gateway.h"
#include "gateway/query.h"

namespace brigada {

/// GET /spend/logs: the span of spend_span(); api_key (text or token), user_id, team_id, session_id
/// and request_id choose; summarize (true when there are dates) adds up by day, else the last
/// `limit` calls (1,000 unless given), newest first. Reads on the reports' thread. Errors name the
/// parameter.
Task<Result<Json>> spend_logs(Gateway& gateway, Query query);

}  // namespace brigada
