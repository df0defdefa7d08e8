// TenantCache: things kept for the tenant they belong to and for nobody else. Bounded in bytes;
// when it is full the tenant that holds most loses what it has not asked for the longest, so that
// nobody pushes out what a smaller tenant has. Pure: no clock.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/check.h"
#include "base/time.h"

namespace brigada {

/// `Value` has bytes(). A key must be of one tenant: its name, or a hash over it, is a part of it.
template <typename Key, typename Value, typename Hash = std::hash<Key>>
class TenantCache {
  public:
    using Ref = std::shared_ptr<const Value>;

    /// Larger values than this part of all are not kept.
    static constexpr size_t kLargestPart = 8;

    explicit TenantCache(size_t max_bytes) : max_bytes_(max_bytes) {}

    /// Null when there is none, its time is over, or it is older than `max_age`.
    Ref find(std::string_view tenant, const Key& key, std::optional<Duration> max_age, Instant now);

    /// Replaces an older one. Without `ttl` it stays until others need the room.
    void put(std::string_view tenant, const Key& key, Ref value, std::optional<Duration> ttl,
             Instant now);

    /// Whose it ever was; false when there was none.
    bool erase(const Key& key);
    void clear();

    size_t largest() const { return max_bytes_ / kLargestPart; }
    size_t max_bytes() const { return max_bytes_; }
    size_t bytes() const { return bytes_; }
    size_t size() const { return entries_.size(); }
    size_t tenants() const { return tenants_.size(); }

    /// Proves that every list and sum has each entry once.
    void check() const;

  private:
    /// What an entry takes beside its value: nodes of a table, a list and two trees.
    static constexpr size_t kEntryBytes = 512;

    struct Tenant {
        std::string name;
        size_t bytes = 0;
        std::list<Key> recent = {};  // last used first
    };
    struct Entry {
        Tenant* tenant;
        Ref value;
        size_t bytes;
        Instant stored;
        Instant expires;
        typename std::list<Key>::iterator place;  // in its tenant's list
    };
    using Entries = std::unordered_map<Key, Entry, Hash>;

    Tenant& tenant(std::string_view name);
    void grow(Tenant& tenant, size_t bytes);
    void shrink(Tenant& tenant, size_t bytes);
    void erase(typename Entries::iterator entry);
    void drop_expired(Instant now);
    void make_room();

    size_t max_bytes_;
    size_t bytes_ = 0;
    Entries entries_;
    std::map<std::string, Tenant, std::less<>> tenants_;  // those that have entries
    std::set<std::pair<size_t, std::string_view>> by_bytes_;
    std::set<std::pair<Instant, Key>> by_expiry_;
};

template <typename Key, typename Value, typename Hash>
auto TenantCache<Key, Value, Hash>::find(std::string_view tenant, const Key& key,
                                         std::optional<Duration> max_age, Instant now) -> Ref {
    const auto found = entries_.find(key);
    if (found == entries_.end() || found->second.tenant->name != tenant) return nullptr;
    Entry& entry = found->second;
    if (now >= entry.expires) {
        erase(found);
        return nullptr;
    }
    if (max_age && now - entry.stored > *max_age) return nullptr;
    entry.tenant->recent.splice(entry.tenant->recent.begin(), entry.tenant->recent, entry.place);
    return entry.value;
}

template <typename Key, typename Value, typename Hash>
void TenantCache<Key, Value, Hash>::put(std::string_view tenant_name, const Key& key, Ref value,
                                        std::optional<Duration> ttl, Instant now) {
    drop_expired(now);
    const size_t bytes = kEntryBytes + value->bytes();
    if (bytes > largest() || (ttl && *ttl <= Duration())) return;
    if (const auto old = entries_.find(key); old != entries_.end()) erase(old);
    Tenant& owner = tenant(tenant_name);
    owner.recent.push_front(key);
    const Instant expires = ttl ? now + *ttl : Instant::never();
    entries_.emplace(key,
                     Entry{&owner, std::move(value), bytes, now, expires, owner.recent.begin()});
    by_expiry_.emplace(expires, key);
    grow(owner, bytes);
    make_room();
}

template <typename Key, typename Value, typename Hash>
bool TenantCache<Key, Value, Hash>::erase(const Key& key) {
    const auto found = entries_.find(key);
    if (found == entries_.end()) return false;
    erase(found);
    return true;
}

template <typename Key, typename Value, typename Hash>
void TenantCache<Key, Value, Hash>::clear() {
    while (!entries_.empty())
        erase(entries_.begin());
}

template <typename Key, typename Value, typename Hash>
auto TenantCache<Key, Value, Hash>::tenant(std::string_view name) -> Tenant& {
    const auto found = tenants_.find(name);
    if (found != tenants_.end()) return found->second;
    Tenant& added = tenants_.emplace(name, Tenant{.name = std::string(name)}).first->second;
    by_bytes_.emplace(0, added.name);
    return added;
}

template <typename Key, typename Value, typename Hash>
void TenantCache<Key, Value, Hash>::grow(Tenant& tenant, size_t bytes) {
    by_bytes_.erase({tenant.bytes, tenant.name});
    tenant.bytes += bytes;
    bytes_ += bytes;
    by_bytes_.emplace(tenant.bytes, tenant.name);
}

template <typename Key, typename Value, typename Hash>
void TenantCache<Key, Value, Hash>::shrink(Tenant& tenant, size_t bytes) {
    by_bytes_.erase({tenant.bytes, tenant.name});
    tenant.bytes -= bytes;
    bytes_ -= bytes;
    if (tenant.recent.empty())
        tenants_.erase(tenants_.find(tenant.name));
    else
        by_bytes_.emplace(tenant.bytes, tenant.name);
}

template <typename Key, typename Value, typename Hash>
void TenantCache<Key, Value, Hash>::erase(typename Entries::iterator entry) {
    Tenant& owner = *entry->second.tenant;
    const size_t bytes = entry->second.bytes;
    owner.recent.erase(entry->second.place);
    by_expiry_.erase({entry->second.expires, entry->first});
    entries_.erase(entry);
    shrink(owner, bytes);
}

template <typename Key, typename Value, typename Hash>
void TenantCache<Key, Value, Hash>::drop_expired(Instant now) {
    while (!by_expiry_.empty() && by_expiry_.begin()->first <= now)
        erase(entries_.find(by_expiry_.begin()->second));
}

template <typename Key, typename Value, typename Hash>
void TenantCache<Key, Value, Hash>::make_room() {
    while (bytes_ > max_bytes_) {
        const Tenant& largest = tenants_.find(by_bytes_.rbegin()->second)->second;
        erase(entries_.find(largest.recent.back()));
    }
}

template <typename Key, typename Value, typename Hash>
void TenantCache<Key, Value, Hash>::check() const {
    size_t bytes = 0, entries = 0;
    for (const auto& [name, tenant] : tenants_) {
        CHECK(name == tenant.name && !tenant.recent.empty());
        CHECK(by_bytes_.contains({tenant.bytes, name}));
        size_t its = 0;
        for (const Key& key : tenant.recent) {
            const Entry& entry = entries_.at(key);
            CHECK(entry.tenant == &tenant && *entry.place == key);
            CHECK(by_expiry_.contains({entry.expires, key}));
            its += entry.bytes;
        }
        CHECK(its == tenant.bytes);
        bytes += its;
        entries += tenant.recent.size();
    }
    CHECK(bytes == bytes_ && bytes_ <= max_bytes_);
    CHECK(entries == entries_.size() && entries == by_expiry_.size());
    CHECK(by_bytes_.size() == tenants_.size());
}

}  // namespace brigada
