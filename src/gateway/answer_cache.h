// AnswerCache: whole answers to calls that were made before, for the tenant that made them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "gateway/tenant_cache.h"

namespace brigada {

/// SHA-256 of all that an answer depends on, the tenant first.
struct AnswerKey {
    std::array<uint8_t, 32> bytes = {};

    std::string hex() const;
    static std::optional<AnswerKey> from_hex(std::string_view text);
    friend auto operator<=>(const AnswerKey&, const AnswerKey&) = default;

    struct Hash {
        size_t operator()(const AnswerKey& key) const;
    };
};

struct CachedAnswer {
    std::string content_type = {};
    std::string body = {};  // of a stream: its events, as the client got them
    bool stream = false;
    std::string model = {};     // that served it
    std::string upstream = {};  // the id of the deployment that did

    size_t bytes() const {
        return body.size() + content_type.size() + model.size() + upstream.size();
    }
};

using AnswerRef = std::shared_ptr<const CachedAnswer>;
using AnswerCache = TenantCache<AnswerKey, CachedAnswer, AnswerKey::Hash>;

class AnswerCache {
  public:
    /// Larger answers than this part of all are not kept.
    static constexpr size_t kLargestPart = 8;

    explicit AnswerCache(size_t max_bytes) : max_bytes_(max_bytes) {}

    /// Null when there is none, its time is over, or it is older than `max_age`.
    AnswerRef find(std::string_view tenant, const AnswerKey& key, std::optional<Duration> max_age,
                   Instant now);

    /// Replaces an older one. Without `ttl` it stays until others need the room.
    void put(std::string_view tenant, const AnswerKey& key, AnswerRef answer,
             std::optional<Duration> ttl, Instant now);

    /// Whose it ever was; false when there was none.
    bool erase(const AnswerKey& key);
    void clear();

    size_t largest() const { return max_bytes_ / kLargestPart; }
    size_t max_bytes() const { return max_bytes_; }
    size_t bytes() const { return bytes_; }
    size_t size() const { return entries_.size(); }
    size_t tenants() const { return tenants_.size(); }

    /// Proves that every list and sum has each entry once.
    void check() const;

  private:
    struct Tenant {
        std::string name;
        size_t bytes = 0;
        std::list<AnswerKey> recent = {};  // last used first
    };
    struct Entry {
        Tenant* tenant;
        AnswerRef answer;
        size_t bytes;
        Instant stored;
        Instant expires;
        std::list<AnswerKey>::iterator place;  // in its tenant's list
    };
    struct Hasher {
        size_t operator()(const AnswerKey& key) const;
    };
    using Entries = std::unordered_map<AnswerKey, Entry, Hasher>;

    Tenant& tenant(std::string_view name);
    void grow(Tenant& tenant, size_t bytes);
    void shrink(Tenant& tenant, size_t bytes);
    void erase(Entries::iterator entry);
    void drop_expired(Instant now);
    void make_room();

    size_t max_bytes_;
    size_t bytes_ = 0;
    Entries entries_;
    std::map<std::string, Tenant, std::less<>> tenants_;  // those that have entries
    std::set<std::pair<size_t, std::string_view>> by_bytes_;
    std::set<std::pair<Instant, AnswerKey>> by_expiry_;
};

}  // namespace brigada
