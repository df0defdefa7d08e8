#include "gateway/answer_cache.h"

#include <fmt/format.h>

#include <charconv>
#include <cstring>

namespace brigada {

std::string AnswerKey::hex() const {
    return fmt::format("{:02x}", fmt::join(bytes, ""));
}

size_t AnswerKey::Hash::operator()(const AnswerKey& key) const {
std::optional<AnswerKey> AnswerKey::from_hex(std::string_view text) {
    AnswerKey out;
    if (text.size() != 2 * out.bytes.size()) return std::nullopt;
    for (size_t i = 0; i < out.bytes.size(); ++i) {
        const char* const at = text.data() + 2 * i;
        const auto [end, failed] = std::from_chars(at, at + 2, out.bytes[i], 16);
        if (failed != std::errc() || end != at + 2) return std::nullopt;
    }
    return out;
}

size_t AnswerCache::Hasher::operator()(const AnswerKey& key) const {
    size_t out = 0;
    std::memcpy(&out, key.bytes.data(), sizeof(out));  // it is a hash already
    return out;
}

AnswerRef AnswerCache::find(std::string_view tenant, const AnswerKey& key,
                            std::optional<Duration> max_age, Instant now) {
    const auto found = entries_.find(key);
    if (found == entries_.end() || found->second.tenant->name != tenant) return nullptr;
    Entry& entry = found->second;
    if (now >= entry.expires) {
        erase(found);
        return nullptr;
    }
    if (max_age && now - entry.stored > *max_age) return nullptr;
    entry.tenant->recent.splice(entry.tenant->recent.begin(), entry.tenant->recent, entry.place);
    return entry.answer;
}

void AnswerCache::put(std::string_view tenant_name, const AnswerKey& key, AnswerRef answer,
                      std::optional<Duration> ttl, Instant now) {
    drop_expired(now);
    const size_t bytes = bytes_of(*answer);
    if (bytes > largest() || (ttl && *ttl <= Duration())) return;
    if (const auto old = entries_.find(key); old != entries_.end()) erase(old);
    Tenant& owner = tenant(tenant_name);
    owner.recent.push_front(key);
    const Instant expires = ttl ? now + *ttl : Instant::never();
    entries_.emplace(key,
                     Entry{&owner, std::move(answer), bytes, now, expires, owner.recent.begin()});
    by_expiry_.emplace(expires, key);
    grow(owner, bytes);
    make_room();
}

bool AnswerCache::erase(const AnswerKey& key) {
    const auto found = entries_.find(key);
    if (found == entries_.end()) return false;
    erase(found);
    return true;
}

void AnswerCache::clear() {
    while (!entries_.empty())
        erase(entries_.begin());
}

AnswerCache::Tenant& AnswerCache::tenant(std::string_view name) {
    const auto found = tenants_.find(name);
    if (found != tenants_.end()) return found->second;
    Tenant& added = tenants_.emplace(name, Tenant{.name = std::string(name)}).first->second;
    by_bytes_.emplace(0, added.name);
    return added;
}

void AnswerCache::grow(Tenant& tenant, size_t bytes) {
    by_bytes_.erase({tenant.bytes, tenant.name});
    tenant.bytes += bytes;
    bytes_ += bytes;
    by_bytes_.emplace(tenant.bytes, tenant.name);
}

void AnswerCache::shrink(Tenant& tenant, size_t bytes) {
    by_bytes_.erase({tenant.bytes, tenant.name});
    tenant.bytes -= bytes;
    bytes_ -= bytes;
    if (tenant.recent.empty())
        tenants_.erase(tenants_.find(tenant.name));
    else
        by_bytes_.emplace(tenant.bytes, tenant.name);
}

void AnswerCache::erase(Entries::iterator entry) {
    Tenant& owner = *entry->second.tenant;
    const size_t bytes = entry->second.bytes;
    owner.recent.erase(entry->second.place);
    by_expiry_.erase({entry->second.expires, entry->first});
    entries_.erase(entry);
    shrink(owner, bytes);
}

void AnswerCache::drop_expired(Instant now) {
    while (!by_expiry_.empty() && by_expiry_.begin()->first <= now)
        erase(entries_.find(by_expiry_.begin()->second));
}

void AnswerCache::make_room() {
    while (bytes_ > max_bytes_) {
        const Tenant& largest = tenants_.find(by_bytes_.rbegin()->second)->second;
        erase(entries_.find(largest.recent.back()));
    }
}

void AnswerCache::check() const {
    size_t bytes = 0, entries = 0;
    for (const auto& [name, tenant] : tenants_) {
        CHECK(name == tenant.name && !tenant.recent.empty());
        CHECK(by_bytes_.contains({tenant.bytes, name}));
        size_t its = 0;
        for (const AnswerKey& key : tenant.recent) {
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
