#include "gateway/directory/scope_book.h"

#include "base/check.h"

namespace brigada {

std::string_view to_string(ScopeKind kind) {
    switch (kind) {
        case ScopeKind::end_user:
            return "end_user";
        case ScopeKind::key:
            return "key";
        case ScopeKind::member:
            return "member";
        case ScopeKind::user:
            return "user";
        case ScopeKind::team:
            return "team";
        case ScopeKind::organisation:
            return "organisation";
        case ScopeKind::proxy:
            return "proxy";
    }
    return "unknown";
}

ScopeId ScopeBook::of(const ScopeInfo& info) {
    const auto [found, is_new] = ids_.try_emplace(info, ScopeId{next_});
    if (is_new) {
        infos_.emplace(found->second, info);
        ++next_;
    }
    return found->second;
}

const ScopeInfo* ScopeBook::find(ScopeId id) const {
    const auto found = infos_.find(id);
    return found == infos_.end() ? nullptr : &found->second;
}

std::vector<ScopeId> ScopeBook::of_holder(ScopeKind kind, std::string_view owner,
                                          std::string_view id) const {
    std::vector<ScopeId> found;
    ScopeInfo first{.kind = kind, .owner = std::string(owner), .id = std::string(id)};
    for (auto at = ids_.lower_bound(first); at != ids_.end(); ++at) {
        const ScopeInfo& info = at->first;
        if (info.kind != kind || info.owner != owner || info.id != id) break;
        found.push_back(at->second);
    }
    return found;
}

std::vector<ScopeId> ScopeBook::of_owner(ScopeKind kind, std::string_view owner) const {
    std::vector<ScopeId> found;
    ScopeInfo first{.kind = kind, .owner = std::string(owner)};
    for (auto at = ids_.lower_bound(first); at != ids_.end(); ++at) {
        if (at->first.kind != kind || at->first.owner != owner) break;
        found.push_back(at->second);
    }
    return found;
}

std::vector<ScopeId> ScopeBook::under_any_owner(ScopeKind kind, std::string_view id) const {
    std::vector<ScopeId> found;
    for (auto at = ids_.lower_bound({.kind = kind}); at != ids_.end(); ++at) {
        if (at->first.kind != kind) break;
        if (at->first.id == id) found.push_back(at->second);
    }
    return found;
}

std::vector<ScopeId> ScopeBook::of_kind(ScopeKind kind) const {
    std::vector<ScopeId> found;
    for (auto at = ids_.lower_bound({.kind = kind}); at != ids_.end(); ++at) {
        if (at->first.kind != kind) break;
        found.push_back(at->second);
    }
    return found;
}

std::vector<ScopeId> ScopeBook::all() const {
    std::vector<ScopeId> ids;
    for (const auto& [info, id] : ids_)
        ids.push_back(id);
    return ids;
}

void ScopeBook::forget(const std::vector<ScopeId>& ids) {
    for (ScopeId id : ids) {
        const auto found = infos_.find(id);
        if (found == infos_.end()) continue;
        ids_.erase(found->second);
        infos_.erase(found);
    }
}

void ScopeBook::check() const {
    CHECK(ids_.size() == infos_.size());
    for (const auto& [info, id] : ids_) {
        CHECK(static_cast<uint64_t>(id) < next_);
        const ScopeInfo* found = find(id);
        CHECK(found != nullptr && *found == info);
    }
}

}  // namespace brigada
