#include "gateway/spend_report.h"

#include <optional>

#include "base/concat.h"
#include "gateway/directory/time_text.h"

namespace brigada {

namespace {

constexpr Duration kDay = Duration::seconds(86'400);
constexpr Duration kPatience = Duration::milliseconds(200);

struct Grouping {
    std::string_view name;
    SpendBy by;
};

constexpr Grouping kGroupings[] = {
    {"team", SpendBy::team},   {"api_key", SpendBy::key},
    {"user", SpendBy::user},   {"customer", SpendBy::end_user},
    {"model", SpendBy::model}, {"organization", SpendBy::organisation},
};

using Query = std::map<std::string, std::string, std::less<>>;

Result<SpendBy> grouping(const Query& query) {
    const auto found = query.find("group_by");
    if (found == query.end()) return SpendBy::team;
    std::string all;
    for (const Grouping& one : kGroupings) {
        if (one.name == found->second) return one.by;
        all += concat(all.empty() ? "" : ", ", one.name);
    }
    return Error{Code::invalid_argument,
                 concat("group_by: '", found->second, "' is none of ", all)};
}

Result<WallTime> date(const Query& query, std::string_view name, WallTime otherwise) {
    const auto found = query.find(name);
    if (found == query.end()) return otherwise;
    auto parsed = parse_iso(found->second);
    if (!parsed.ok()) return std::move(parsed).error().in(name);
    return parsed;
}

Result<CallSpan> span_of(const Query& query) {
    const WallTime now = WallClock().now();
    TRY(const WallTime from, date(query, "start_date", now - kDay * 30));
    TRY(const WallTime until, date(query, "end_date", now));
    return CallSpan{.from = from, .to = query.contains("end_date") ? until + kDay : until};
}

double dollars(Money money) {
    return static_cast<double>(money.nano) / 1e9;
}

Json row_json(const SpendRow& row) {
    return {{"holder", row.holder},
            {"total_spend", dollars(row.sum.cost)},
            {"spend_nano_dollars", row.sum.cost.nano},
            {"calls", row.sum.calls},
            {"input_tokens", row.sum.usage.input},
            {"cached_input_tokens", row.sum.usage.cached_input},
            {"cache_write_tokens", row.sum.usage.cache_write},
            {"output_tokens", row.sum.usage.output}};
}

}  // namespace

Task<Result<Json>> spend_report(Gateway& gateway, Query query) {
    CO_TRY(const SpendBy by, grouping(query));
    CO_TRY(const CallSpan span, span_of(query));
    const auto ask = [&ledger = gateway.ledger(), by, span] {
        (void)ledger.flush(kPatience);
        return ledger.spend({.by = by, .span = span});
    };
    CO_TRY(const std::vector<SpendRow> rows,
           co_await gateway.ledger_reader().run<std::vector<SpendRow>>(gateway.loop(), ask));
    Json out = Json::array();
    for (const SpendRow& row : rows)
        out.push_back(row_json(row));
    co_return out;
}

}  // namespace brigada
