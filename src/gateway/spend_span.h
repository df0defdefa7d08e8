// Spend span: the time a report is about, as a query says it.
#pragma once

#include "gateway/query.h"
#include "ledger/call_span.h"

namespace brigada {

/// start_date and end_date: days in UTC, the last one included (YYYY-MM-DD, as LiteLLM has it), or
/// exact times. The 30 days up to now where nothing is said. Error::invalid_argument names the
/// parameter.
Result<CallSpan> spend_span(const Query& query, WallTime now);

}  // namespace brigada
