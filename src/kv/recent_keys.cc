#include "kv/recent_keys.h"

#include "base/check.h"

namespace brigada {

std::optional<BlockKey> RecentKeys::use(BlockKey key) {
    if (const auto place = places_.find(key); place != places_.end()) {
        order_.splice(order_.begin(), order_, place->second);
        return std::nullopt;
    }
    if (capacity_ == 0) return key;
    std::optional<BlockKey> gone;
    if (size() == capacity_) {
        gone = order_.back();
        places_.erase(*gone);
        order_.pop_back();
    }
    order_.push_front(key);
    places_.emplace(key, order_.begin());
    return gone;
}

void RecentKeys::check() const {
    CHECK(order_.size() == places_.size() && size() <= capacity_, size(), " of ", capacity_);
    for (auto key = order_.begin(); key != order_.end(); ++key)
        CHECK(places_.at(*key) == key);
}

}  // namespace brigada
