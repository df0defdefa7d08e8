#include "trace/prefix_names.h"

#include <utility>

namespace brigada {

namespace {

constexpr size_t kSmallest = 1024;  // a power of two

/// Both words spread over all bits. Source: the finaliser of splitmix64.
uint64_t spread(uint32_t before, uint64_t id) {
    uint64_t z = id * 0x9e3779b97f4a7c15 + before;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

}  // namespace

uint32_t PrefixNames::Table::name(uint32_t before, uint64_t id, uint32_t& next) {
    if (2 * (used_ + 1) > entries_.size()) grow();
    Entry& entry = slot(before, id);
    if (entry.name == kStart) {
        entry = {id, before, next++};
        ++used_;
    }
    return entry.name;
}

PrefixNames::Table::Entry& PrefixNames::Table::slot(uint32_t before, uint64_t id) {
    const size_t mask = entries_.size() - 1;
    size_t at = spread(before, id) & mask;
    while (entries_[at].name != kStart && (entries_[at].id != id || entries_[at].before != before))
        at = (at + 1) & mask;
    return entries_[at];
}

void PrefixNames::Table::grow() {
    std::vector<Entry> old(entries_.empty() ? kSmallest : entries_.size() * 2);
    old.swap(entries_);
    for (const Entry& entry : old)
        if (entry.name != kStart) slot(entry.before, entry.id) = entry;
}

}  // namespace brigada
