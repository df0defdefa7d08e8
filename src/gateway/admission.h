// Admission: whether a call may go on, under every limit and budget that it counts against. It
// keeps the limits of the directory and the counts of the admit core together, and hands out holds
// that settle themselves however a call ends.
#pragma once

#include <expected>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "admit/limiter.h"
#include "gateway/budget_book.h"
#include "gateway/directory/directory.h"
#include "gateway/refusal.h"
#include "net/http.h"

namespace brigada {

class Admission {
  public:
    /// What one call has reserved. Destroyed unsettled it gives everything back: the call reached
    /// no upstream.
    class Hold {
      public:
        Hold() = default;
        Hold(Hold&& other) noexcept { *this = std::move(other); }
        Hold& operator=(Hold&& other) noexcept;
        ~Hold();

        /// The call is over: it had so many tokens, cached ones weighted, and cost so much.
        void settle(int64_t tokens, Money cost, WallTime now);

      private:
        friend class Admission;
        Hold(Admission& from, std::vector<ScopeId> scopes, RateReservation rate,
             BudgetReservation budget)
            : from_(&from), scopes_(std::move(scopes)), rate_(rate), budget_(budget) {}

        Admission* from_ = nullptr;    // null once it is settled
        std::vector<ScopeId> scopes_;  // that the call counts against
        RateReservation rate_{};
        BudgetReservation budget_{};
    };

    /// What a call is expected to be.
    struct Estimate {
        int64_t tokens = 0;  // weighted
        Money cost = {};
    };

    /// All outlive it. Loop thread only.
    Admission(Directory& directory, BudgetBook& budgets, const Loop& loop)
        : directory_(directory), budgets_(budgets), loop_(loop) {}

    /// A refused call consumes nothing. Waits only for what a budget that is new here has spent
    /// before; what is passed must outlive that.
    Task<std::expected<Hold, Refusal>> reserve(const Caller& caller, std::string_view model,
                                               std::string_view end_user, Estimate estimate,
                                               WallTime wall);

    /// Adds x-ratelimit-{limit,remaining,reset}-{requests,tokens}: of the narrowest limits of the
    /// call that was admitted.
    void add_headroom(const Hold& hold, Instant now, HttpHeaders& headers) const;

    const Limiter& limiter() const { return limiter_; }

  private:
    void take_over_changes(WallTime now);
    Refusal refusal(const RateRefusal& refused) const;

    Directory& directory_;
    BudgetBook& budgets_;
    const Loop& loop_;
    Limiter limiter_;
};

}  // namespace brigada
