// From a key to its caller: who it is, what it may use, and the scopes that count its calls.
#include <algorithm>
#include <set>

#include "gateway/directory/directory.h"
#include "gateway/directory/model_list.h"
#include "gateway/directory/record_kinds.h"
#include "gateway/directory/time_text.h"
#include "ledger/spend.h"

namespace brigada {

namespace {

/// Longer texts are no keys; hashing them would be work for nothing.
constexpr size_t kMaxSentBytes = 512;

std::unexpected<Denial> refuse(std::string type, std::string message) {
    return std::unexpected(
        Denial{.status = 401, .type = std::move(type), .message = std::move(message)});
}

std::string name_of(const Holder& holder) {
    return holder.alias.empty() ? holder.id : holder.alias;
}

/// A level that says something says it unless a narrower one already has.
void merge(Caller& caller, std::set<std::string>& tags, ScopeKind level, const Holder& holder,
           bool& priority_is_set) {
    if (!holder.models.empty())
        caller.allow_lists.push_back(
            {.level = level, .name = name_of(holder), .models = holder.models});
    for (const auto& [asked, meant] : holder.aliases)
        caller.aliases.try_emplace(asked, meant);
    tags.insert(holder.tags.begin(), holder.tags.end());
    if (!priority_is_set && holder.priority) {
        caller.priority = *holder.priority;
        priority_is_set = true;
    }
}

}  // namespace

std::expected<CallerRef, Denial> Directory::identify(std::string_view text, WallTime now) {
    if (text.empty())
        return refuse("auth_error",
                      "No API key was sent. Send 'Authorization: Bearer sk-...' or "
                      "'x-api-key: sk-...'.");
    const bool hashable = text.size() <= kMaxSentBytes;
    const KeyHash hash = hashable ? hasher_.hash(text) : KeyHash();
    if (hashable && master_hash_ && hash == *master_hash_) return master_caller_;
    if (!looks_like_key(text))
        return refuse("auth_error",
                      "What was sent as API key is none: keys begin with 'sk-' and "
                      "go on with letters, digits, '-', '_' and '.'.");
    const auto found = by_hash_.find(hash);
    if (found == by_hash_.end())
        return refuse("token_not_found_in_db",
                      "This API key is not known here. Ask your administrator for a new one.");
    HashEntry& entry = found->second;
    const Key& key = *entry.key;
    if (key.previous_hash == hash && now >= key.previous_until)
        return refuse("expired_key", concat("This API key was replaced by a new one and ended at ",
                                            iso_text(key.previous_until), "."));
    if (key.expires && now >= *key.expires)
        return refuse("expired_key",
                      concat("This API key expired at ", iso_text(*key.expires), "."));
    if (entry.revision != revision_) {
        entry.known = make_caller(key);
        entry.revision = revision_;
    }
    return entry.known;
}

std::optional<Denial> Directory::denies_end_user(std::string_view end_user) const {
    const EndUser* found = find<EndUser>(end_user);
    if (!found || !found->blocked) return std::nullopt;
    return Denial{.status = 403,
                  .type = "auth_error",
                  .message = "The end user this call was made for is blocked."};
}

std::string_view Directory::organisation_of(const Key& key) const {
    if (!key.organisation.empty()) return key.organisation;
    const Team* team = find<Team>(key.team);
    return team ? std::string_view(team->organisation) : std::string_view();
}

std::optional<Denial> Directory::find_block(const Key& key) const {
    const auto blocked = [](std::string_view what, const Holder* holder) -> std::optional<Denial> {
        if (!holder || !holder->blocked) return std::nullopt;
        return Denial{.status = 401,
                      .type = "auth_error",
                      .message = concat("This ", what, " is blocked. Ask your administrator.")};
    };
    if (auto denial = blocked("API key", &key)) return denial;
    if (auto denial = blocked("API key's user", find<User>(key.user))) return denial;
    if (auto denial = blocked("API key's team", find<Team>(key.team))) return denial;
    return blocked("API key's organisation", find<Organisation>(organisation_of(key)));
}

std::expected<CallerRef, Denial> Directory::make_caller(const Key& key) {
    if (auto denial = find_block(key)) return std::unexpected(*std::move(denial));
    const std::string organisation(organisation_of(key));
    Caller caller{.key = key.id,
                  .key_alias = key.alias,
                  .key_display = key.display,
                  .user = key.user,
                  .team = key.team,
                  .organisation = organisation,
                  .tenant = tenant_of(key.team, organisation, key.user, key.id),
                  .priority = config_.default_priority};
    std::set<std::string> tags;
    bool priority_is_set = false;
    const auto level = [&](ScopeKind kind, const Holder* holder) {
        if (!holder) return;
        merge(caller, tags, kind, *holder, priority_is_set);
        add_scopes(caller.scopes, {.kind = kind, .id = holder->id});
    };
    const Team* team = find<Team>(key.team);
    level(ScopeKind::key, &key);
    if (team && !key.user.empty())
        add_scopes(caller.scopes, {.kind = ScopeKind::member, .owner = team->id, .id = key.user});
    level(ScopeKind::user, find<User>(key.user));
    level(ScopeKind::team, team);
    level(ScopeKind::organisation, find<Organisation>(organisation));
    add_scopes(caller.scopes, {.kind = ScopeKind::proxy});
    caller.team_alias = team ? team->alias : "";
    caller.tags.assign(tags.begin(), tags.end());
    return std::make_shared<const Caller>(std::move(caller));
}

// --- scopes ----------------------------------------------------------------------------------

std::vector<ScopeId> Directory::scopes(const Caller& caller, std::string_view model,
                                       std::string_view end_user) {
    std::vector<ScopeId> ids;
    if (caller.admin) return ids;
    ids.reserve(caller.scopes.size());
    const auto add = [&](const std::vector<CallerScope>& from) {
        for (const CallerScope& scope : from)
            if (scope.model.empty() || matches_model(scope.model, model)) ids.push_back(scope.id);
    };
    if (!end_user.empty() && may_limit(end_user)) {
        const ScopeInfo info{
            .kind = ScopeKind::end_user, .owner = caller.tenant, .id = std::string(end_user)};
        std::vector<CallerScope> own;
        add_scopes(own, info);
        if (!own.empty()) keep_recent_end_users(info);
        add(own);
    }
    add(caller.scopes);
    return ids;
}

/// Quickly: most end users are unknown, and nothing limits them.
bool Directory::may_limit(std::string_view end_user) const {
    return config_.end_user_budget || !config_.end_user_budget_id.empty() ||
           find<EndUser>(end_user) != nullptr;
}

/// A call of the one who goes that still runs is counted by the ledger alone.
void Directory::keep_recent_end_users(const ScopeInfo& end_user) {
    const auto gone = end_users_.use({end_user.owner, end_user.id});
    if (!gone) return;
    const auto ids = scopes_.of_holder(ScopeKind::end_user, gone->owner, gone->id);
    scopes_.forget(ids);
    stale_.insert(stale_.end(), ids.begin(), ids.end());
}

/// What end users may use who say nothing themselves.
Allowance Directory::end_user_default() const {
    Allowance out{.max_budget = config_.end_user_budget};
    const BudgetTemplate* base = find<BudgetTemplate>(config_.end_user_budget_id);
    return base ? filled_from(std::move(out), base->allowance) : out;
}

void Directory::add_scopes(std::vector<CallerScope>& to, const ScopeInfo& info) {
    const Allowance allowance = allowance_of(info);
    if (limits_all_models(allowance)) to.push_back({.id = scope_of(info)});
    for (std::string& model : limited_models(allowance)) {
        ScopeInfo of_model = info;
        of_model.model = model;
        to.push_back({.id = scope_of(of_model), .model = std::move(model)});
    }
}

ScopeId Directory::scope_of(const ScopeInfo& info) {
    const size_t known = scopes_.size();
    const ScopeId id = scopes_.of(info);
    if (scopes_.size() > known) stale_.push_back(id);
    return id;
}

Allowance Directory::allowance_of(const ScopeInfo& info) const {
    const auto of = [&](const Holder* holder) -> Allowance {
        if (!holder) return {};
        const BudgetTemplate* base = find<BudgetTemplate>(holder->budget_id);
        return base ? filled_from(holder->allowance, base->allowance) : holder->allowance;
    };
    switch (info.kind) {
        case ScopeKind::end_user:
            return filled_from(of(find<EndUser>(info.id)), end_user_default());
        case ScopeKind::key: {
            Allowance allowance = of(find<Key>(info.id));
            if (!allowance.limits.concurrent) allowance.limits.concurrent = config_.key_concurrency;
            return allowance;
        }
        case ScopeKind::user:
            return of(find<User>(info.id));
        case ScopeKind::team:
            return of(find<Team>(info.id));
        case ScopeKind::organisation:
            return of(find<Organisation>(info.id));
        case ScopeKind::proxy:
            return config_.proxy;
        case ScopeKind::member:
            break;
    }
    const Team* team = find<Team>(info.owner);
    if (!team) return {};
    const auto member = team->members.find(info.id);
    if (member == team->members.end()) return team->member_default;
    return filled_from(member->second.allowance, team->member_default);
}

RateLimits Directory::limits_of(ScopeId scope) const {
    const ScopeInfo* info = describe(scope);
    if (!info) return {};
    const Allowance allowance = allowance_of(*info);
    if (info->model.empty()) return allowance.limits;
    const auto found = allowance.model_limits.find(info->model);
    return found == allowance.model_limits.end() ? RateLimits() : found->second;
}

std::vector<BudgetRule> Directory::budgets_of(ScopeId scope) const {
    const ScopeInfo* info = describe(scope);
    if (!info) return {};
    const Allowance allowance = allowance_of(*info);
    return info->model.empty() ? budget_rules(allowance)
                               : model_budget_rules(allowance, info->model);
}

std::vector<ScopeId> Directory::scopes_of_record(RecordKind kind, std::string_view id) const {
    std::vector<ScopeId> ids;
    const auto add = [&](std::vector<ScopeId> more) {
        ids.insert(ids.end(), more.begin(), more.end());
    };
    switch (kind) {
        case RecordKind::organisation:
            add(scopes_.of_holder(ScopeKind::organisation, "", id));
            break;
        case RecordKind::user:
            add(scopes_.of_holder(ScopeKind::user, "", id));
            break;
        case RecordKind::team:
            add(scopes_.of_holder(ScopeKind::team, "", id));
            add(scopes_.of_owner(ScopeKind::member, id));
            break;
        case RecordKind::key:
            add(scopes_.of_holder(ScopeKind::key, "", id));
            break;
        case RecordKind::end_user:
            add(scopes_.under_any_owner(ScopeKind::end_user, id));
            break;
        case RecordKind::budget:
            if (id == config_.end_user_budget_id) add(scopes_.of_kind(ScopeKind::end_user));
            for (RecordKind other : kRecordKinds)
                with_type_of(other, [&]<typename T>(std::type_identity<T>) {
                    for (const auto& [holder_id, holder] : all<T>())
                        if (!holder.budget_id.empty() && holder.budget_id == id)
                            add(scopes_of_record(other, holder_id));
                });
    }
    return ids;
}

void Directory::scopes_changed(RecordKind kind, const std::string& id, bool is_gone) {
    std::vector<ScopeId> touched = scopes_of_record(kind, id);
    if (is_gone) {
        const auto end_users =
            scopes_.of_owner(ScopeKind::end_user, concat(to_string(kind), ":", id));
        touched.insert(touched.end(), end_users.begin(), end_users.end());
        if (kind == RecordKind::user) {
            const auto members = scopes_.under_any_owner(ScopeKind::member, id);
            touched.insert(touched.end(), members.begin(), members.end());
        }
        scopes_.forget(touched);
    }
    stale_.insert(stale_.end(), touched.begin(), touched.end());
}

}  // namespace brigada
