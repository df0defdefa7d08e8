#include "gateway/spend_report.h"

#include <ranges>

#include "base/concat.h"
#include "base/joined.h"
#include "gateway/spend_span.h"

namespace brigada {

namespace {

constexpr Duration kPatience = Duration::seconds(1);

struct Grouping {
    std::string_view name;
    SpendBy by;
};

constexpr Grouping kGroupings[] = {
    {"team", SpendBy::team},   {"api_key", SpendBy::key},
    {"user", SpendBy::user},   {"customer", SpendBy::end_user},
    {"model", SpendBy::model}, {"organization", SpendBy::organisation},
};

Result<SpendBy> grouping(const Query& query) {
    const std::string_view wanted = value_of(query, "group_by");
    if (wanted.empty()) return SpendBy::team;
    for (const Grouping& one : kGroupings)
        if (one.name == wanted) return one.by;
    const auto names = joined(kGroupings | std::views::transform(&Grouping::name));
    return Error{Code::invalid_argument, concat("group_by: '", wanted, "' is none of ", names)};
}

template <typename T>
std::string alias_of(const Directory& directory, const std::string& id) {
    const T* holder = directory.find<T>(id);
    return holder ? holder->alias : "";
}

std::string alias_of(const Directory& directory, SpendBy by, const std::string& id) {
    switch (by) {
        case SpendBy::organisation:
            return alias_of<Organisation>(directory, id);
        case SpendBy::team:
            return alias_of<Team>(directory, id);
        case SpendBy::user:
            return alias_of<User>(directory, id);
        case SpendBy::key:
            return alias_of<Key>(directory, id);
        case SpendBy::end_user:
            return alias_of<EndUser>(directory, id);
        case SpendBy::model:
        case SpendBy::member:
        case SpendBy::end_of_tenant:
            break;
    }
    return {};
}

Json row_json(const SpendRow& row, const std::string& alias) {
    return {{"holder", row.holder},
            {"alias", alias.empty() ? Json() : Json(alias)},
            {"total_spend", static_cast<double>(row.sum.cost.nano) / 1e9},
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
    CO_TRY(const CallSpan span, spend_span(query, WallClock().now()));
    Ledger& ledger = gateway.ledger();
    auto rows = co_await gateway.reports().run<std::vector<SpendRow>>(gateway.loop(), [=, &ledger] {
        (void)ledger.flush(kPatience);  // what still waits is missing then, and nothing else
        return ledger.report({.by = by, .span = span});
    });
    if (!rows.ok()) co_return std::move(rows).error();
    Json out = Json::array();
    for (const SpendRow& row : *rows)
        out.push_back(row_json(row, alias_of(gateway.directory(), by, row.holder)));
    co_return out;
}

}  // namespace brigada
