// RecentlyUsed: values by the key of some content, bounded in bytes; what was not asked for the
// longest goes first.
#pragma once

#include <cstddef>
#include <iterator>
#include <list>
#include <unordered_map>
#include <utility>

#include "gateway/content_key.h"

namespace brigada {

/// Values by key, at most `max_bytes` of them; bytes_of(value) says what one takes.
template <typename Value>
class RecentlyUsed {
  public:
    RecentlyUsed(size_t max_bytes, size_t (*bytes_of)(const Value&))
        : max_bytes_(max_bytes), bytes_of_(bytes_of) {}
    RecentlyUsed(RecentlyUsed&&) noexcept = default;  // its iterators go along
    RecentlyUsed& operator=(RecentlyUsed&&) noexcept = default;

    /// Null when it is not there; valid until the next put().
    const Value* find(const ContentKey& key) {
        const auto found = places_.find(key);
        if (found == places_.end()) return nullptr;
        entries_.splice(entries_.begin(), entries_, found->second);
        return &found->second->second;
    }

    void put(const ContentKey& key, Value value) {
        if (const auto old = places_.find(key); old != places_.end()) erase(old->second);
        bytes_ += bytes_of_(value);
        entries_.emplace_front(key, std::move(value));
        places_.emplace(key, entries_.begin());
        while (bytes_ > max_bytes_)
            erase(std::prev(entries_.end()));
    }

    size_t bytes() const { return bytes_; }
    size_t size() const { return places_.size(); }

  private:
    using Entries = std::list<std::pair<ContentKey, Value>>;  // last used first
    struct Hasher {
        size_t operator()(const ContentKey& key) const { return key.low; }
    };

    void erase(typename Entries::iterator entry) {
        bytes_ -= bytes_of_(entry->second);
        places_.erase(entry->first);
        entries_.erase(entry);
    }

    size_t max_bytes_;
    size_t (*bytes_of_)(const Value&);
    size_t bytes_ = 0;
    Entries entries_;
    std::unordered_map<ContentKey, typename Entries::iterator, Hasher> places_;
};

}  // namespace brigada
