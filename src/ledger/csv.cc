#include "ledger/csv.h"

#include <fmt/chrono.h>

#include <cstdlib>
#include <vector>

#include "base/json.h"

namespace brigada {

namespace {

constexpr int64_t kBillion = 1'000'000'000;

std::string field_text(std::string_view value) {
    if (value.find_first_of(",\"\r\n") == value.npos) return std::string(value);
    std::string out = "\"";
    for (const char c : value) {
        if (c == '"') out += '"';
        out += c;
    }
    return out + '"';
}

std::string line_of(const std::vector<std::string>& fields) {
    std::string out;
    for (const std::string& field : fields) {
        if (!out.empty()) out += ',';
        out += field_text(field);
    }
    return out + "\r\n";
}

std::string attempts_text(const CallRecord& record) {
    Json list = Json::array();
    for (const CallAttempt& attempt : record.attempts)
        list.push_back({{"upstream", attempt.upstream},
                        {"status", to_string(attempt.status)},
                        {"http_status", attempt.http_status},
                        {"started", utc_text(attempt.started)},
                        {"ended", utc_text(attempt.ended)}});
    return dump_json(list);
}

}  // namespace

std::string utc_text(WallTime time) {
    if (time == WallTime{}) return {};
    const bool before_epoch = time.ns % kBillion < 0;
    const int64_t second = time.ns / kBillion - (before_epoch ? 1 : 0);
    return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:09}Z", fmt::gmtime(static_cast<time_t>(second)),
                       time.ns % kBillion + (before_epoch ? kBillion : 0));
}

std::string dollar_text(Money money) {
    return fmt::format("{}{}.{:09}", money < Money{} ? "-" : "", std::abs(money.nano / kBillion),
                       std::abs(money.nano % kBillion));
}

std::string csv_header() {
    return line_of({"id",
                    "started",
                    "first_byte",
                    "ended",
                    "organisation",
                    "team",
                    "user",
                    "key",
                    "end_user",
                    "session",
                    "model_asked",
                    "model_served",
                    "upstream",
                    "dialect",
                    "status",
                    "http_status",
                    "input_tokens",
                    "cached_input_tokens",
                    "cache_write_tokens",
                    "output_tokens",
                    "usage_counted_here",
                    "cost_usd",
                    "attempts",
                    "tags",
                    "input_rate_pico_usd",
                    "cached_input_rate_pico_usd",
                    "cache_write_rate_pico_usd",
                    "output_rate_pico_usd",
                    "fee_pico_usd"});
}

std::string csv_line(const CallRecord& r) {
    return line_of({r.id.hex(),
                    utc_text(r.started),
                    utc_text(r.first_byte),
                    utc_text(r.ended),
                    r.organisation,
                    r.team,
                    r.user,
                    r.key,
                    r.end_user,
                    r.session,
                    r.model_asked,
                    r.model_served,
                    r.upstream,
                    r.dialect,
                    std::string(to_string(r.status)),
                    concat(r.http_status),
                    concat(r.usage.input),
                    concat(r.usage.cached_input),
                    concat(r.usage.cache_write),
                    concat(r.usage.output),
                    r.usage_counted_here ? "true" : "false",
                    dollar_text(r.cost),
                    attempts_text(r),
                    dump_json(r.tags),
                    concat(r.rates.input),
                    concat(r.rates.cached_input),
                    concat(r.rates.cache_write),
                    concat(r.rates.output),
                    concat(r.fee)});
}

}  // namespace brigada
