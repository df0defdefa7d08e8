// BudgetBook: the budgets of the directory with what was spent of them. At the start, and when an
// administrator changes a budget, what was spent in its window comes from the ledger; from then on
// every call is reserved before and settled after.
#pragma once

#include <expected>
#include <functional>
#include <span>
#include <vector>

#include "admit/budgets.h"
#include "gateway/config/gateway_config.h"
#include "gateway/directory/directory.h"
#include "gateway/directory/management.h"
#include "gateway/refusal.h"
#include "ledger/ledger.h"

namespace brigada {

class BudgetBook {
  public:
    using Crossed = std::function<void(const ThresholdCrossing&)>;

    /// All outlive the book. Error::invalid_argument for a time zone that does not exist.
    static Result<BudgetBook> open(const GatewayConfig& config, Directory& directory,
                                   Ledger& ledger);

    /// The scope's budgets as the directory has them now.
    void take_over(ScopeId scope, WallTime now);

    /// A refused call consumes nothing.
    std::expected<BudgetReservation, Refusal> reserve(std::span<const ScopeId> scopes,
                                                      Money estimate, WallTime now);
    void settle(BudgetReservation id, Money cost, WallTime now);
    void cancel(BudgetReservation id) { budgets_.cancel(id); }

    /// Of the scope's first budget, as /key/info shows it; of the ledger when it has none.
    Spend spend(const ScopeInfo& info, WallTime now);

    /// Told of each soft threshold that a call has crossed.
    void on_crossed(Crossed crossed) { crossed_ = std::move(crossed); }

  private:
    BudgetBook(const GatewayConfig& config, TimeZone zone, Directory& directory, Ledger& ledger)
        : config_(&config), zone_(zone), directory_(&directory), ledger_(&ledger) {}

    Budget budget_of(const BudgetRule& rule) const;
    Money spent_since(const ScopeInfo& info, WallTime since) const;
    Refusal refusal(const BudgetRefusal& refused, WallTime now) const;

    const GatewayConfig* config_;
    TimeZone zone_;
    Directory* directory_;
    Ledger* ledger_;
    Budgets budgets_;
    Crossed crossed_;
};

}  // namespace brigada
