#include "calibrate/request_log.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/concat.h"
#include "calibrate/figure_table.h"

namespace brigada {

namespace {

constexpr double kMostTokens = 1e8;
constexpr double kMostSeconds = 1e8;  // three years: more is a clock that jumped

Instant at(double seconds) {
    return Instant::at_ns(std::llround(seconds * 1e9));
}

Result<LoggedRequest> read_row(const FigureTable& table, size_t row, std::string_view what) {
    TRY(const double input, table.number(row, "input_tokens", 1, kMostTokens));
    TRY(const double output, table.number(row, "output_tokens", 1, kMostTokens));
    TRY(const double arrival, table.number(row, "arrival_s", 0, kMostSeconds));
    TRY(const double first, table.number(row, "first_token_s", 0, kMostSeconds));
    TRY(const double last, table.number(row, "last_token_s", 0, kMostSeconds));
    if (first < arrival || last < first)
        return Error{Code::corrupt, concat(what, ": request ", row + 1, " arrives at ", arrival,
                                           " s, has its first token at ", first,
                                           " s and its last at ", last, " s")};
    return LoggedRequest{static_cast<uint32_t>(input), static_cast<uint32_t>(output), at(arrival),
                         at(first), at(last)};
}

}  // namespace

Result<RequestLog> read_request_log(std::string_view csv, std::string_view what) {
    TRY(const FigureTable table, FigureTable::parse(csv, what));
    RequestLog log;
    for (size_t row = 0; row < table.rows(); ++row) {
        TRY(const LoggedRequest request, read_row(table, row, what));
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
