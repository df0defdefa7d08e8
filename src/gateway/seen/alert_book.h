// AlertBook: what has been told already, so that each thing is told once: a budget that refuses,
// once a window; an upstream or the ledger that fails, once until it is well again. Pure: no clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "admit/budgets.h"
#include "admit/scope.h"

namespace brigada {

class AlertBook {
  public:
    /// Budgets remembered at once. When one more comes the oldest are forgotten, and might be told
    /// a second time.
    static constexpr size_t kMostBudgets = 100'000;

    /// Whether this refusal is news: the first of its budget's window and limit.
    bool is_news(const BudgetRefusal& refused);

    enum class Change { none, began, ended };

    /// Trouble of a named thing as it is now ("" for none), against what was told. Other words for
    /// trouble that goes on are no news.
    Change look(std::string_view thing, bool in_trouble);

    size_t budgets() const { return refusing_.size(); }
    size_t troubles() const { return troubles_.size(); }
    void check() const;

  private:
    using BudgetKey = std::pair<ScopeId, size_t>;
    struct Told {
        std::optional<WallTime> resets_at;
        Money limit;
        uint64_t order;  // of telling
    };

    std::map<BudgetKey, Told> refusing_;
    std::map<uint64_t, BudgetKey> by_age_;
    std::set<std::string, std::less<>> troubles_;  // that go on
    uint64_t told_ = 0;
};

}  // namespace brigada
