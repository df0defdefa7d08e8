// TagTable: finds a small number by a hash, for indices of many blocks. An entry keeps 32 bits of
// the hash beside the number, so that a look at one cache line answers almost every "not here", and
// what the numbers stand for is looked at only where it probably is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/check.h"

namespace brigada {

/// Whoever uses it mixes the hash so that its upper half is random, and proves what it finds.
class TagTable {
  public:
    static constexpr uint32_t kNone = UINT32_MAX;

    /// The first number under this hash for which `is_it` holds; kNone if there is none.
    template <typename IsIt>
    uint32_t find(uint64_t hash, IsIt&& is_it) const {
        const uint32_t tag = tag_of(hash);
        for (size_t at = home(tag); entries_[at].number != kNone; at = next(at))
            if (entries_[at].tag == tag && is_it(entries_[at].number)) return entries_[at].number;
        return kNone;
    }

    void add(uint64_t hash, uint32_t number) {
        if (places_for(size_ + 1) > entries_.size()) grow();
        put({tag_of(hash), number});
        ++size_;
    }

    /// The number was added under this hash.
    void remove(uint64_t hash, uint32_t number) {
        const uint32_t tag = tag_of(hash);
        size_t at = home(tag);
        while (entries_[at].number != number || entries_[at].tag != tag) {
            CHECK(entries_[at].number != kNone, number, " is not in the table");
            at = next(at);
        }
        close_hole(at);
        --size_;
    }

    size_t size() const { return size_; }
    size_t bytes() const { return entries_.capacity() * sizeof(Entry); }

    /// Calls visit(number) for every entry.
    template <typename Visit>
    void for_each(Visit&& visit) const {
        for (const Entry& entry : entries_)
            if (entry.number != kNone) visit(entry.number);
    }

  private:
    struct Entry {
        uint32_t tag = 0;
        uint32_t number = kNone;
    };

    // Five eighths are full at most.
    static size_t places_for(size_t entries) { return entries + entries / 2 + entries / 8 + 2; }

    void put(Entry entry) {
        size_t at = home(entry.tag);
        while (entries_[at].number != kNone)
            at = next(at);
        entries_[at] = entry;
    }

    void grow() {
        std::vector<Entry> old(places_for(2 * size_ + 8));
        old.swap(entries_);
        for (const Entry& entry : old)
            if (entry.number != kNone) put(entry);
    }

    static uint32_t tag_of(uint64_t hash) { return static_cast<uint32_t>(hash >> 32); }
    size_t home(uint32_t tag) const { return uint64_t{tag} * entries_.size() >> 32; }
    size_t next(size_t at) const { return at + 1 == entries_.size() ? 0 : at + 1; }
    size_t distance(size_t from, size_t to) const {
        return to >= from ? to - from : to + entries_.size() - from;
    }

    // What follows moves up, so that nobody is looked for beyond a hole.
    void close_hole(size_t hole) {
        for (size_t at = next(hole); entries_[at].number != kNone; at = next(at)) {
            if (distance(home(entries_[at].tag), at) < distance(hole, at)) continue;
            entries_[hole] = entries_[at];
            hole = at;
        }
        entries_[hole] = Entry();
    }

    std::vector<Entry> entries_ = std::vector<Entry>(places_for(0));
    size_t size_ = 0;
};

}  // namespace brigada
