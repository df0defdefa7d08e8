// Admission: whether a call may go on, under every limit and budget that it counts against. It
// keeps the limits of the directory and the counts of the admit core together, and hands out holds
// that settle themselves however a call ends. With other replicas it asks the books they share, and
// decides alone, within its share, when those are out of reach.
#pragma once

#include <expected>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "admit/limiter.h"
#include "gateway/budget_book.h"
#include "gateway/directory/directory.h"
#include "gateway/refusal.h"
#include "gateway/shared/shared_books.h"
#include "net/http.h"

namespace brigada {

class Admission : public SharedBooks::Source {
  public:
    /// What a call is expected to be.
    struct Estimate {
        int64_t tokens = 0;  // weighted
        Money cost = {};
    };

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
        Hold(Admission& from, std::vector<ScopeId> scopes, Estimate estimate, RateReservation rate,
             BudgetReservation budget)
            : from_(&from),
              scopes_(std::move(scopes)),
              estimate_(estimate),
              rate_(rate),
              budget_(budget) {}

        /// What the books said of it.
        struct Together {
            uint64_t edition = 0;          // of the books, in which
            std::vector<int64_t> entries;  // it is so counted, by scope; -1 where it is not
            Headroom room;
        };

        Admission* from_ = nullptr;    // null once it is settled
        std::vector<ScopeId> scopes_;  // that the call counts against
        Estimate estimate_;
        RateReservation rate_{};
        BudgetReservation budget_{};
        std::unique_ptr<Together> together_;  // null for a call that this replica let in alone
    };

    /// All outlive it. Loop thread only.
    Admission(Directory& directory, BudgetBook& budgets, Loop& loop)
        : directory_(directory), budgets_(budgets), loop_(loop) {}

    /// From now on limits and budgets are counted together with other replicas.
    void count_with(SharedBooks& books) { books_ = &books; }

    /// A refused call consumes nothing. Waits for the books that replicas share, and for what a
    /// budget that is new here has spent before; what is passed must outlive that.
    Task<std::expected<Hold, Refusal>> reserve(const Caller& caller, std::string_view model,
                                               std::string_view end_user, Estimate estimate,
                                               WallTime wall);

    /// Adds x-ratelimit-{limit,remaining,reset}-{requests,tokens}: of the narrowest limits of the
    /// call that was admitted.
    void add_headroom(const Hold& hold, Instant now, HttpHeaders& headers) const;

    const Limiter& limiter() const { return limiter_; }
    std::vector<ScopeId> in_use() override;
    std::optional<SharedUse> use_of(ScopeId scope) override;
    void decide(const std::optional<Alone>& alone) override;

  private:
    using Outcome = std::expected<Hold, Refusal>;

    void take_over_changes(WallTime now);
    Outcome reserve_here(std::vector<ScopeId> scopes, Estimate estimate, WallTime wall);
    Refusal refusal(const RateRefusal& refused) const;

    // With other replicas (admission_together.cc).
    SharedCall shared_call(const std::vector<ScopeId>& scopes, Estimate estimate,
                           std::vector<size_t>& which);
    Task<std::optional<Outcome>> ask(const std::vector<ScopeId>& scopes, Estimate estimate,
                                     WallTime wall);
    Outcome take(const std::vector<ScopeId>& scopes, Estimate estimate, const SharedCall& call,
                 const std::vector<size_t>& which, const SharedAnswer& answer, WallTime wall);
    Refusal refusal(const std::vector<OverBudget>& over, const std::vector<ScopeId>& scopes,
                    const SharedCall& call, const std::vector<size_t>& which, WallTime wall) const;
    void give_back(const Hold& hold);
    void settle(const Hold& hold, int64_t tokens, Money cost, WallTime now);
    void tell_end(const Hold& hold, SharedEnd end, WallTime now);
    void see(ScopeId scope, const std::vector<SharedBudget>& budgets, const ScopeTotal& total,
             Money cost);

    Directory& directory_;
    BudgetBook& budgets_;
    Loop& loop_;
    Limiter limiter_;
    SharedBooks* books_ = nullptr;
    bool is_alone_ = false;  // though there are books
};

}  // namespace brigada
