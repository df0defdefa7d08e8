// Budgets: money, for every scope a call counts against at once. Reserve before the call with an
// estimate, settle after it with the cost; a hard budget refuses, a showback budget only counts.
// A core: the calendar's time is an argument, and it may jump.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "admit/budget_period.h"
#include "admit/replica_share.h"
#include "admit/scope.h"
#include "admit/time_zone.h"
#include "base/ids.h"
#include "base/money.h"
#include "base/wall_time.h"

namespace brigada {

enum class BudgetReservation : uint64_t {};

enum class Enforcement : uint8_t { hard, showback };

/// One of the budgets of a scope.
struct Budget {
    Money limit = {};
    BudgetPeriod period = {};
    TimeZone zone = {};
    Enforcement enforcement = Enforcement::hard;
    std::vector<int32_t> soft_permille = {500, 800,
                                          950};  // each crossing is reported once a window

    friend bool operator==(const Budget&, const Budget&) = default;
};

/// Added to a budget's limit before `until`.
struct TemporaryIncrease {
    Money amount = {};
    WallTime until = {};
};

/// Which budget refused a call. Of several, the one that begins anew last.
struct BudgetRefusal {
    ScopeId scope = {};
    size_t budget = 0;  // its index in the scope
    Money limit = {};
    Money spent = {};
    Money reserved = {};
    std::optional<WallTime> resets_at = {};  // nothing: a budget in total never does

    friend bool operator==(const BudgetRefusal&, const BudgetRefusal&) = default;
};

/// A budget has reached one of its soft thresholds.
struct ThresholdCrossing {
    ScopeId scope = {};
    size_t budget = 0;
    int32_t permille = 0;
    Money limit = {};
    Money spent = {};
    BudgetWindow window = {};

    friend bool operator==(const ThresholdCrossing&, const ThresholdCrossing&) = default;
};

/// A budget that began to count here and now, in a window that began earlier. Whoever keeps the
/// ledger says what was spent before, by add_earlier().
struct UncountedBudget {
    uint64_t serial = 0;  // of this budget, never used twice
    BudgetWindow window = {};
};

/// A budget's window as replicas count it together: what was spent in it is `earlier`, before any
/// of them counted it, and what each has settled since.
struct SharedBudget {
    std::string window = {};  // its period, zone and begin: the same text on every replica
    Money limit = {};         // increase included
    Enforcement enforcement = Enforcement::hard;
    Money earlier = {};
    bool is_earlier_agreed = false;  // told by see(), not found out here
    Money own = {};                  // settled by this replica
    WallTime end = {};
};

struct BudgetStatus {
    Money limit = {};  // increase included
    Money spent = {};
    Money reserved = {};
    BudgetWindow window = {};
};

class Budgets {
  public:
    /// The scope's budgets from now on; none: nothing is counted any more. A budget that keeps its
    /// period and zone keeps what was spent, what was reported and its increase. Returns the
    /// others, in their order.
    std::vector<UncountedBudget> set_budgets(ScopeId scope, std::vector<Budget> budgets,
                                             WallTime now);

    void increase(ScopeId scope, size_t budget, const TemporaryIncrease& increase);

    /// What was spent in a budget's window before it was counted here. Thresholds that this reaches
    /// count as reported. Nothing when the budget is gone or a new window has begun.
    void add_earlier(ScopeId scope, const UncountedBudget& uncounted, Money spent, WallTime now);

    /// One call of about `estimate` for all of `scopes` (each at most once). It must fit into every
    /// hard budget; when one is used up, nothing fits. A refused call consumes nothing anywhere.
    std::expected<BudgetReservation, BudgetRefusal> reserve(std::span<const ScopeId> scopes,
                                                            Money estimate, WallTime now);

    /// The call cost `cost`, in the windows of `now`. Says which thresholds that crossed.
    std::vector<ThresholdCrossing> settle(BudgetReservation id, Money cost, WallTime now);

    // --- counted together with other replicas ---

    /// The scope's budgets, in order.
    std::vector<SharedBudget> shared(ScopeId scope, WallTime now);

    /// A call that all replicas together have let in: reserves without asking.
    BudgetReservation take(std::span<const ScopeId> scopes, Money estimate);

    /// settle() of a call whose cost is told to the others: they say what has been spent then.
    void settle_quietly(BudgetReservation id, Money cost, WallTime now);

    /// All replicas together have spent `earlier` and `since`, and `others_reserved` is reserved by
    /// calls of the others. `cost` of it was settled here just now: says which thresholds that
    /// crossed. Nothing if a new window has begun.
    std::vector<ThresholdCrossing> see(ScopeId scope, size_t budget, std::string_view window,
                                       Money earlier, Money since, Money others_reserved,
                                       Money cost);

    /// How budgets hold from now on: not given, together; else as a replica that decides alone
    /// keeps them: it may spend an equal part of what was left when it was last seen.
    void set_alone(const std::optional<Alone>& alone);

    /// What the open calls of the scope have reserved here.
    Money reserved(ScopeId scope) const;
    std::vector<ScopeId> in_use() const;

    /// The call never reached an upstream.
    void cancel(BudgetReservation id);

    /// Of each budget of the scope, in order.
    std::vector<BudgetStatus> status(ScopeId scope, WallTime now) const;

    size_t scopes() const { return scopes_.size(); }
    size_t reservations() const { return reservations_.size(); }

    /// Proves that what is reserved in every scope is what its open calls reserved.
    void check() const;

  private:
    using Nano = __int128;  // sums of Money that no garbage from outside can overflow

    struct Account {
        uint64_t serial = 0;
        Budget budget;
        BudgetWindow window;
        Nano spent = 0;
        int32_t reported = 0;  // the highest threshold told in this window
        TemporaryIncrease increase;

        // With other replicas.
        Nano own = 0;                    // of `spent`, what was settled here
        std::optional<Nano> earlier;     // as agreed with the others
        Nano others_reserved = 0;        // when last seen
        std::optional<Nano> when_alone;  // the limit of what is spent and reserved here

        Nano limit(WallTime now) const;
        std::string window_name() const;
        void roll(WallTime now);
        bool refuses(Nano reserved, Money estimate, bool is_alone, WallTime now) const;
        void mark_reached(WallTime now);
    };

    /// An open call counts against every account of the scope alike.
    struct Scope {
        ScopeId id{};
        std::vector<Account> accounts;
        Nano reserved = 0;
        int64_t open = 0;   // reservations that name it; it is not forgotten while there are any
        uint64_t loss = 0;  // the last time alone for which `when_alone` was set
    };

    struct Reservation {
        Money estimate;
        std::vector<Scope*> scopes;  // unordered_map does not move its nodes
    };

    Account& account(ScopeId scope, size_t budget);
    std::vector<Scope*> find(std::span<const ScopeId> scopes);
    std::optional<BudgetRefusal> refusal(Scope& scope, Money estimate, WallTime now) const;
    static void spend(Scope& scope, Money cost, WallTime now,
                      std::vector<ThresholdCrossing>& crossings);
    BudgetReservation take(std::vector<Scope*> found, Money estimate);
    Reservation take_out(BudgetReservation id);
    void look_back(Scope& scope, WallTime now) const;
    void forget_if_unused(Scope& scope);
    static Money to_money(Nano nano);

    std::unordered_map<ScopeId, Scope> scopes_;
    std::unordered_map<BudgetReservation, Reservation> reservations_;
    uint64_t next_id_ = 1;
    uint64_t next_serial_ = 1;
    std::optional<Alone> alone_;
    Instant last_lost_;
    uint64_t losses_ = 0;
};

}  // namespace brigada
