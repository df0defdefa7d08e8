#include "gateway/seen/alert_book.h"

#include "base/check.h"

namespace brigada {

bool AlertBook::is_news(const BudgetRefusal& refused) {
    const BudgetKey key{refused.scope, refused.budget};
    const auto known = refusing_.find(key);
    if (known != refusing_.end()) {
        if (known->second.resets_at == refused.resets_at && known->second.limit == refused.limit)
            return false;
        by_age_.erase(known->second.order);
    } else if (refusing_.size() >= kMostBudgets) {
        refusing_.erase(by_age_.begin()->second);
        by_age_.erase(by_age_.begin());
    }
    refusing_[key] = {refused.resets_at, refused.limit, ++told_};
    by_age_[told_] = key;
    return true;
}

AlertBook::Change AlertBook::look(std::string_view thing, bool in_trouble) {
    const auto known = troubles_.find(thing);
    if (in_trouble == (known != troubles_.end())) return Change::none;
    if (in_trouble)
        troubles_.emplace(thing);
    else
        troubles_.erase(known);
    return in_trouble ? Change::began : Change::ended;
}

void AlertBook::check() const {
    CHECK(refusing_.size() == by_age_.size());
    CHECK(refusing_.size() <= kMostBudgets);
    for (const auto& [order, key] : by_age_) {
        const auto found = refusing_.find(key);
        CHECK(found != refusing_.end() && found->second.order == order);
        CHECK(order <= told_);
    }
}

}  // namespace brigada
