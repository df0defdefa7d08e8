// ByUpstream: a value for each upstream, in ascending order of id. Upstreams come and go seldom and
// every decision walks over all of them, so they lie in a row; a value stays where it is.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/ids.h"
#include "route/upstream.h"

namespace brigada {

template <typename Value>
class ByUpstream {
  public:
    Value* find(UpstreamId id) const {
        const auto place = std::ranges::lower_bound(items_, id, {}, &Item::first);
        return place == items_.end() || place->first != id ? nullptr : place->second.get();
    }

    Value& at(UpstreamId id) const {
        Value* const value = find(id);
        CHECK(value, "no upstream ", raw(id));
        return *value;
    }

    /// In place of the one that it had, if it had one.
    template <typename... Args>
    Value& emplace(UpstreamId id, Args&&... args) {
        erase(id);
        const auto place = std::ranges::lower_bound(items_, id, {}, &Item::first);
        return *items_.emplace(place, id, std::make_unique<Value>(std::forward<Args>(args)...))
                    ->second;
    }

    void erase(UpstreamId id) {
        std::erase_if(items_, [&](const Item& item) { return item.first == id; });
    }

    /// Those of `ids` (ascending) that are here: visit(place in ids, value).
    template <typename Ids, typename Visit>
    void for_each_of(const Ids& ids, Visit&& visit) const {
        auto place = items_.begin();
        for (size_t i = 0; i < ids.size(); ++i) {
            while (place != items_.end() && place->first < ids[i])
                ++place;
            if (place == items_.end()) return;
            if (place->first == ids[i]) visit(i, *place->second);
        }
    }

    size_t size() const { return items_.size(); }
    auto begin() const { return items_.begin(); }
    auto end() const { return items_.end(); }

  private:
    using Item = std::pair<UpstreamId, std::unique_ptr<Value>>;

    std::vector<Item> items_;
};

}  // namespace brigada
