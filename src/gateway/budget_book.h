// BudgetBook: the budgets of the directory with what was spent of them. Every call is reserved
// before and settled after. What was spent in a budget's window before it was counted here, at
// another time or by another process, is asked of the ledger, on the worker's thread.
#pragma once

#include <expected>
#include <functional>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "admit/budgets.h"
#include "gateway/config/gateway_config.h"
#include "gateway/directory/directory.h"
#include "gateway/directory/management.h"
#include "gateway/refusal.h"
#include "gateway/spend_totals.h"
#include "ledger/ledger.h"
#include "net/worker.h"

namespace brigada {

/// Loop thread only, but for open().
class BudgetBook {
  public:
    using Crossed = std::function<void(const ThresholdCrossing&)>;
    using Refused = std::function<void(const BudgetRefusal&)>;

    struct Parts {
        Directory& directory;
        Ledger& ledger;
        Loop& loop;
        Worker& worker;
    };

    /// All parts outlive the book. Error::invalid_argument for a time zone that does not exist.
    static Result<std::unique_ptr<BudgetBook>> open(const GatewayConfig& config,
                                                    const Parts& parts);

    /// Other thresholds and another status of refusals, from the next take_over() on; the time zone
    /// stays.
    void set_config(const GatewayConfig& config);

    /// The scope's budgets as the directory has them now.
    void take_over(ScopeId scope, WallTime now);

    /// Whether the ledger is being asked what one of these has spent.
    bool is_asking_for(std::span<const ScopeId> scopes) const;
    bool is_asking() const { return !asking_.empty(); }
    /// Waits for that; not for ever, because a ledger that is stuck must not stop all calls.
    Task<void> wait_for_answers();

    /// A refused call consumes nothing.
    std::expected<BudgetReservation, Refusal> reserve(std::span<const ScopeId> scopes,
                                                      Money estimate, WallTime now);
    void settle(BudgetReservation id, Money cost, WallTime now);
    void cancel(BudgetReservation id) { budgets_.cancel(id); }

    /// What replicas count together goes past the book, but for what it says of it.
    Budgets& counts() { return budgets_; }
    Refusal refusal(const BudgetRefusal& refused, WallTime now) const;
    void tell(const std::vector<ThresholdCrossing>& crossings);

    /// For the sums over holders that have no budget.
    void add_to_totals(const CallRecord& record) { totals_.add(record); }

    /// Of the scope's first budget, as /key/info shows it; since ever when it has none.
    Spend spend(const ScopeInfo& info, WallTime now);

    /// Told of each soft threshold that a call has crossed.
    void on_crossed(Crossed crossed) { crossed_ = std::move(crossed); }
    /// Told of each call that a budget has refused.
    void on_refused(Refused refused) { refused_ = std::move(refused); }

    const Budgets& budgets() const { return budgets_; }

  private:
    BudgetBook(const Parts& parts, TimeZone zone, SpendTotals totals)
        : parts_(parts), zone_(zone), totals_(std::move(totals)) {}

    Budget budget_of(const BudgetRule& rule) const;
    Task<void> ask_ledger(ScopeId scope, ScopeInfo info, UncountedBudget uncounted, WallTime until);
    void answered(ScopeId scope);
    Money total_of(const ScopeInfo& info) const;

    Parts parts_;
    TimeZone zone_;
    std::vector<int32_t> alert_permille_;
    int refusal_status_ = 429;
    SpendTotals totals_;
    Budgets budgets_;
    Crossed crossed_;
    Refused refused_;
    std::unordered_map<ScopeId, int> asking_;  // how many of its budgets' questions are open
    std::vector<Signal*> waiting_;
};

}  // namespace brigada
