#include "gateway/spend_totals.h"

namespace brigada {

namespace {

constexpr std::array kKept{SpendBy::organisation, SpendBy::team,     SpendBy::user,
                           SpendBy::key,          SpendBy::end_user, SpendBy::member};

}  // namespace

Result<SpendTotals> SpendTotals::read(const Ledger& ledger) {
    SpendTotals out;
    for (const SpendBy by : kKept) {
        TRY(std::vector<SpendRow> rows, ledger.spend({.by = by}));
        for (SpendRow& row : rows) {
            if (by == SpendBy::organisation) out.all_ += row.sum.cost;  // "" for calls of none
            out.totals(by).emplace(std::move(row.holder), row.sum.cost);
        }
    }
    return out;
}

void SpendTotals::add(const CallRecord& record) {
    for (const SpendBy by : kKept)
        if (std::string holder = holder_of(record, by); !holder.empty())
            totals(by)[std::move(holder)] += record.cost;
    all_ += record.cost;
}

Money SpendTotals::of(SpendBy by, std::string_view holder) const {
    const Totals& totals = totals_[static_cast<size_t>(by)];
    const auto found = totals.find(holder);
    return found == totals.end() ? Money{} : found->second;
}

}  // namespace brigada
