#include "gateway/directory/recent_names.h"

#include <utility>

namespace brigada {

std::optional<RecentNames::Name> RecentNames::use(const Name& name) {
    if (const auto found = places_.find(name); found != places_.end()) {
        recent_.splice(recent_.begin(), recent_, found->second);
        return std::nullopt;
    }
    recent_.push_front(name);
    places_.emplace(name, recent_.begin());
    if (places_.size() <= most_) return std::nullopt;
    Name oldest = std::move(recent_.back());
    recent_.pop_back();
    places_.erase(oldest);
    return oldest;
}

}  // namespace brigada
