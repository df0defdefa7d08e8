// ScopeBook: which scope ids stand for which holder of limits. An id is handed out when a caller
// first comes under its limits, stays the same for the holder's life and is never used again.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "admit/scope.h"

namespace brigada {

enum class ScopeKind : uint8_t { end_user, key, member, user, team, organisation, proxy };

std::string_view to_string(ScopeKind kind);

/// Who is meant. `owner` is the team of a member, and the tenant of an end user: two teams whose
/// end users have one name share nothing. `model` is empty, or the name or pattern whose calls
/// alone count.
struct ScopeInfo {
    ScopeKind kind = ScopeKind::key;
    std::string owner = {};
    std::string id = {};
    std::string model = {};

    friend auto operator<=>(const ScopeInfo&, const ScopeInfo&) = default;
};

class ScopeBook {
  public:
    /// The id of this scope, from now on if it has none yet.
    ScopeId of(const ScopeInfo& info);

    /// Null for an id that was forgotten or never handed out.
    const ScopeInfo* find(ScopeId id) const;

    /// The ids of one holder, whatever the model.
    std::vector<ScopeId> of_holder(ScopeKind kind, std::string_view owner,
                                   std::string_view id) const;
    /// The ids of all members or end users of one owner.
    std::vector<ScopeId> of_owner(ScopeKind kind, std::string_view owner) const;
    /// The ids of an end user or member under every owner.
    std::vector<ScopeId> under_any_owner(ScopeKind kind, std::string_view id) const;

    std::vector<ScopeId> of_kind(ScopeKind kind) const;

    std::vector<ScopeId> all() const;

    void forget(const std::vector<ScopeId>& ids);

    size_t size() const { return infos_.size(); }
    void check() const;

  private:
    std::map<ScopeInfo, ScopeId> ids_;
    std::unordered_map<ScopeId, ScopeInfo> infos_;
    uint64_t next_ = 1;
};

}  // namespace brigada
