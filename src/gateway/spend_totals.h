// SpendTotals: what every key, user, team, member, organisation and end user has spent since the
// ledger began, in memory, so that an administrator's question waits for no database.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/money.h"
#include "ledger/ledger.h"

namespace brigada {

class SpendTotals {
  public:
    /// As the ledger has them. Reads it: not on a loop. Errors as the ledger's.
    static Result<SpendTotals> read(const Ledger& ledger);

    /// One call more.
    void add(const CallRecord& record);

    /// Nothing for a holder that is not known.
    Money of(SpendBy by, std::string_view holder) const;
    /// Of all calls together.
    Money all() const { return all_; }

  private:
    struct Hash : std::hash<std::string_view> {
        using is_transparent = void;
    };
    using Totals = std::unordered_map<std::string, Money, Hash, std::equal_to<>>;

    Totals& totals(SpendBy by) { return totals_[static_cast<size_t>(by)]; }

    std::array<Totals, kSpendKinds.size()> totals_;
    Money all_;
};

}  // namespace brigada
