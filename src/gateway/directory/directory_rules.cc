// The rules records keep among each other: what may be put, and what may be removed.
#include <algorithm>

#include "gateway/directory/directory.h"
#include "gateway/directory/record_kinds.h"
#include "gateway/directory/time_text.h"

namespace brigada {

namespace {

constexpr size_t kMaxNameBytes = 256;
constexpr size_t kMaxListEntries = 1'000;
constexpr size_t kMaxMetadataBytes = 64 * 1024;
constexpr size_t kMaxMembers = 100'000;

Error wrong(std::string_view field, std::string_view what) {
    return {Code::invalid_argument, concat(field, ": ", what)};
}

/// Names go into logs, headers and tables.
bool is_plain(std::string_view text) {
    return text.size() <= kMaxNameBytes &&
           std::ranges::none_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

Result<void> check_name(std::string_view field, std::string_view name) {
    if (is_plain(name)) return {};
    return wrong(field, concat("must be at most ", kMaxNameBytes,
                               " bytes without control characters; got ", name.size(), " bytes"));
}

Result<void> check_names(std::string_view field, const std::vector<std::string>& names) {
    if (names.size() > kMaxListEntries)
        return wrong(field, concat(names.size(), " entries; at most ", kMaxListEntries));
    for (const std::string& name : names)
        TRY(check_name(field, name));
    return {};
}

Result<void> check_duration(std::string_view field, std::string_view duration) {
    if (duration.empty() || is_duration(duration)) return {};
    return std::move(after({}, duration)).error().in(field);
}

Result<void> check_amount(std::string_view field, const std::optional<Money>& amount) {
    if (!amount || amount->nano >= 0) return {};
    return wrong(field, "must be at least 0 dollars");
}

Result<void> check_limits(std::string_view field, const RateLimits& limits) {
    for (const auto& limit :
         {limits.requests_per_minute, limits.tokens_per_minute, limits.concurrent})
        if (limit && *limit < 0) return wrong(field, "must be at least 0");
    return {};
}

Result<void> check_allowance(const Allowance& allowance) {
    TRY(check_limits("limits", allowance.limits));
    for (const auto& [model, limits] : allowance.model_limits)
        TRY(check_limits("model limits", limits));
    TRY(check_amount("max_budget", allowance.max_budget));
    TRY(check_amount("soft_budget", allowance.soft_budget));
    TRY(check_duration("budget_duration", allowance.budget_duration));
    for (const TimedBudget& window : allowance.more_budgets) {
        TRY(check_amount("budget_limits", window.max));
        TRY(check_duration("budget_limits", window.duration));
    }
    for (const auto& [model, window] : allowance.model_budgets) {
        TRY(check_amount("model_max_budget", window.max));
        TRY(check_duration("model_max_budget", window.duration));
    }
    if (!allowance.increase) return {};
    if (!allowance.max_budget)
        return wrong("temp_budget_increase", "there is no max_budget to increase");
    return check_amount("temp_budget_increase", allowance.increase->amount);
}

Result<void> check_holder(const Holder& holder, RecordKind kind) {
    if (holder.id.empty()) return wrong(id_field(kind), "must not be empty");
    TRY(check_name(id_field(kind), holder.id));
    TRY(check_name("alias", holder.alias));
    TRY(check_names("models", holder.models));
    TRY(check_names("tags", holder.tags));
    if (holder.aliases.size() > kMaxListEntries)
        return wrong("aliases", concat("at most ", kMaxListEntries, " entries"));
    if (const size_t bytes = dump_json(holder.metadata).size(); bytes > kMaxMetadataBytes)
        return wrong("metadata", concat(bytes, " bytes of JSON; at most ", kMaxMetadataBytes));
    return check_allowance(holder.allowance);
}

std::string_view unique_field(RecordKind kind) {
    switch (kind) {
        case RecordKind::organisation:
            return "organization_alias";
        case RecordKind::team:
            return "team_alias";
        case RecordKind::user:
            return "user_email";
        default:
            return "key_alias";
    }
}

Error missing(std::string_view field, RecordKind kind, std::string_view id) {
    return wrong(field, concat("there is no ", to_string(kind), " '", id, "'"));
}

template <typename T>
Result<void> within(std::string_view field, std::optional<T>& value, const std::optional<T>& bound,
                    auto show) {
    if (!bound) return {};
    if (!value) value = bound;
    if (*value <= *bound) return {};
    return wrong(field,
                 concat(show(*value), " is above what keys may have here; at most ", show(*bound)));
}

int64_t as_is(int64_t number) {
    return number;
}
double in_dollars(Money money) {
    return static_cast<double>(money.nano) * 1e-9;
}

}  // namespace

Result<void> Directory::check_put(const Record& record) const {
    const RecordKind kind = kind_of(record);
    const Holder& holder = holder_of(record);
    TRY(check_holder(holder, kind));
    if (!holder.budget_id.empty() && !find<BudgetTemplate>(holder.budget_id))
        return missing("budget_id", RecordKind::budget, holder.budget_id);
    return std::visit(
        [&]<typename T>(const T& r) -> Result<void> {
            const auto name = unique_name(r);
            const T* other = name.empty() ? nullptr : named<T>(name);
            if (other && other->id != r.id)
                return wrong(unique_field(kind), concat("another ", to_string(kind), " is '", name,
                                                        "'; choose a name of its own"));
            if constexpr (std::is_same_v<T, Team> || std::is_same_v<T, Key>)
                return check_references(r);
            else
                return {};
        },
        record);
}

Result<void> Directory::check_references(const Team& team) const {
    if (!team.organisation.empty() && !find<Organisation>(team.organisation))
        return missing("organization_id", RecordKind::organisation, team.organisation);
    if (team.members.size() > kMaxMembers)
        return wrong("members_with_roles", concat("at most ", kMaxMembers, " members"));
    for (const auto& [user, member] : team.members) {
        if (!find<User>(user)) return missing("user_id", RecordKind::user, user);
        TRY(check_allowance(member.allowance));
    }
    for (const Key* key : keys_of_team(team.id))
        if (!key->organisation.empty() && key->organisation != team.organisation)
            return wrong("organization_id",
                         concat("a key of this team is of organisation '", key->organisation, "'"));
    return check_allowance(team.member_default);
}

Result<void> Directory::check_references(const Key& key) const {
    const Team* team = find<Team>(key.team);
    if (!key.team.empty() && !team) return missing("team_id", RecordKind::team, key.team);
    if (!key.user.empty() && !find<User>(key.user))
        return missing("user_id", RecordKind::user, key.user);
    if (!key.organisation.empty() && !find<Organisation>(key.organisation))
        return missing("organization_id", RecordKind::organisation, key.organisation);
    if (team && !key.organisation.empty() && team->organisation != key.organisation)
        return wrong("organization_id",
                     concat("the key's team is of organisation '", team->organisation, "', not '",
                            key.organisation, "'"));
    if (master_hash_ && key.hash == *master_hash_)
        return wrong("key", "this key is in use already; choose another");
    for (const auto& hash : {std::optional(key.hash), key.previous_hash}) {
        const auto found = hash ? by_hash_.find(*hash) : by_hash_.end();
        if (found != by_hash_.end() && found->second.key->id != key.id)
            return wrong("key", "this key is in use already; choose another");
    }
    return {};
}

Result<void> Directory::keep_within_bounds(Key& key, WallTime now) const {
    const KeyBounds& bounds = config_.key_bounds;
    RateLimits& limits = key.allowance.limits;
    TRY(within("rpm_limit", limits.requests_per_minute, bounds.limits.requests_per_minute, as_is));
    TRY(within("tpm_limit", limits.tokens_per_minute, bounds.limits.tokens_per_minute, as_is));
    TRY(within("max_parallel_requests", limits.concurrent, bounds.limits.concurrent, as_is));
    if (bounds.max_budget && !bounds.budget_duration.empty()) {
        std::string& own = key.allowance.budget_duration;
        if (own.empty() && !key.allowance.max_budget) own = bounds.budget_duration;
        TRY(const WallTime least, after({}, bounds.budget_duration));
        if (!own.empty() && is_duration(own) && *after({}, own) < least)
            return wrong("budget_duration", concat("'", own, "' is shorter than keys may have ",
                                                   "here; at least ", bounds.budget_duration));
    }
    TRY(within("max_budget", key.allowance.max_budget, bounds.max_budget, in_dollars));
    if (bounds.lifetime.empty()) return {};
    TRY(const WallTime last, after(now, bounds.lifetime));
    return within("duration", key.expires, std::optional(last), iso_text);
}

Result<void> Directory::check_erase(RecordKind kind, std::string_view id) const {
    if (!find_holder(kind, id))
        return Error{Code::not_found,
                     concat(id_field(kind), ": there is no ", to_string(kind), " '", id, "'")};
    const auto in_use = [&](std::string_view by, std::string_view which) {
        return wrong(id_field(kind), concat(to_string(kind), " '", id, "' is in use by ", by, " '",
                                            which, "'; change or delete that first"));
    };
    for (const auto& [team_id, team] : all<Team>()) {
        if (kind == RecordKind::organisation && team.organisation == id)
            return in_use("team", team_id);
        if (kind == RecordKind::user && team.members.contains(std::string(id)))
            return in_use("team", team_id);
    }
    for (const auto& [key_id, key] : all<Key>())
        if ((kind == RecordKind::organisation && key.organisation == id) ||
            (kind == RecordKind::team && key.team == id) ||
            (kind == RecordKind::user && key.user == id))
            return in_use("key", key.alias.empty() ? key.display : key.alias);
    if (kind != RecordKind::budget) return {};
    for (RecordKind other : kRecordKinds)
        TRY(with_type_of(other, [&]<typename T>(std::type_identity<T>) -> Result<void> {
            for (const auto& [holder_id, holder] : all<T>())
                if (holder.budget_id == id) return in_use(to_string(other), holder_id);
            return {};
        }));
    return {};
}

std::vector<Directory::Edit> Directory::erasures(RecordKind kind,
                                                 const std::set<std::string>& ids) const {
    std::vector<Edit> edits;
    for (const auto& [key_id, key] : all<Key>())
        if ((kind == RecordKind::team && ids.contains(key.team)) ||
            (kind == RecordKind::user && ids.contains(key.user)))
            edits.push_back({"deleted", RecordKind::key, key_id, std::nullopt});
    for (const auto& [team_id, team] : all<Team>()) {
        Team without = team;
        const auto is_leaving = [&](const auto& member) { return ids.contains(member.first); };
        if (kind == RecordKind::user && std::erase_if(without.members, is_leaving) > 0)
            edits.push_back(put("updated", std::move(without)));
    }
    for (const std::string& id : ids)
        edits.push_back({"deleted", kind, id, std::nullopt});
    return edits;
}

}  // namespace brigada
