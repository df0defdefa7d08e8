// SpanWords: the time a report is about, as the command line says it: --since and --until.
#pragma once

#include <string>

#include "base/wall_time.h"
#include "cli/manage/gateway_api.h"

namespace brigada {

struct SpanWords {
    std::string since = {};
    std::string until = {};
};

/// start_date and end_date of the API. `since` is a duration before `now` (24h, 7d, 1mo), a day or
/// a time, `until` a day (which is included) or a time; UTC. Error::invalid_argument.
Result<ApiQuery> span_query(const SpanWords& words, WallTime now);

}  // namespace brigada
