#include "calibrate/request_log.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/concat.h"
#include "trace/csv_table.h"

namespace brigada {

namespace {

constexpr double kMostTokens = 1e8;
constexpr double kMostSeconds = 1e8;  // three years: more is a clock that jumped

Instant at(double seconds) {
    return Instant::at_ns(std::llround(seconds * 1e9));
}

Result<LoggedRequest> read_row(const CsvTable& row) {
    TRY(row.check_row());
    TRY(const double input, row.number("input_tokens", 1, kMostTokens));
    TRY(const double output, row.number("output_tokens", 1, kMostTokens));
    TRY(const double arrival, row.number("arrival_s", 0, kMostSeconds));
    TRY(const double first, row.number("first_token_s", 0, kMostSeconds));
    TRY(const double last, row.number("last_token_s", 0, kMostSeconds));
    if (first < arrival || last < first)
        return Error{Code::corrupt, concat(row.place().text(), ": it arrives at ", arrival,
                                           " s, has its first token at ", first,
                                           " s and its last at ", last, " s")};
    return LoggedRequest{static_cast<uint32_t>(input), static_cast<uint32_t>(output), at(arrival),
                         at(first), at(last)};
}

}  // namespace

Result<RequestLog> read_request_log(std::string_view csv, std::string_view what) {
    TRY(TraceText text, TraceText::open(std::string(what), csv));
    TRY(CsvTable table, CsvTable::open(text));
    RequestLog log;
    for (;;) {
        TRY(const bool is_there, table.next_row());
        if (!is_there) break;
        TRY(const LoggedRequest request, read_row(table));
        log.push_back(request);
    }
    if (log.empty()) return Error{Code::corrupt, concat(what, " has no requests")};
    std::ranges::sort(log, {}, [](const LoggedRequest& request) {
        return std::tuple(request.arrival, request.first_token, request.last_token,
                          request.prompt_tokens, request.output_tokens);
    });
    return log;
}

}  // namespace brigada
