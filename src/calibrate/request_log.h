// RequestLog: requests that an engine really served, with their times, to be replayed through the
// cost model and compared.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace brigada {

/// Times count from the first arrival.
struct LoggedRequest {
    uint32_t prompt_tokens = 0;
    uint32_t output_tokens = 0;
    Instant arrival;
    Instant first_token;
    Instant last_token;

    Duration ttft() const { return first_token - arrival; }
    Duration latency() const { return last_token - arrival; }
    double tpot_s() const {  // 0 with a single token
        return output_tokens < 2 ? 0 : (last_token - first_token).seconds() / (output_tokens - 1);
    }
};

using RequestLog = std::vector<LoggedRequest>;

/// CSV with the columns input_tokens, output_tokens, arrival_s, first_token_s, last_token_s, in any
/// order among others; zstd does as well. Sorted by arrival. Errors name file, line and field: not
/// a number, negative, a first token before the arrival.
Result<RequestLog> read_request_log(std::string_view csv, std::string_view what);

}  // namespace brigada
