// Csv: calls as comma-separated values (RFC 4180), one line each after a line of names. Money is in
// dollars with all nine digits, times in UTC with nanoseconds: nothing is rounded.
#pragma once

#include <string>

#include "base/money.h"
#include "base/wall_time.h"
#include "ledger/call_record.h"

namespace brigada {

/// "2026-11-29T08:05:09.000000001Z"; empty for time 0, which means none.
std::string utc_text(WallTime time);

/// "12.000000345".
std::string dollar_text(Money money);

/// With its line end.
std::string csv_header();
std::string csv_line(const CallRecord& record);

}  // namespace brigada
