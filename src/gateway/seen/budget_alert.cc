#include "gateway/seen/budget_alert.h"

#include "base/concat.h"
#include "gateway/scope_words.h"

namespace brigada {

namespace {

/// LiteLLM's words.
std::string_view group_of(ScopeKind kind) {
    switch (kind) {
        case ScopeKind::key:
            return "key";
        case ScopeKind::user:
            return "user";
        case ScopeKind::team:
            return "team";
        case ScopeKind::member:
            return "team_member";
        case ScopeKind::end_user:
            return "end_user";
        case ScopeKind::organisation:
            return "organization";
        case ScopeKind::proxy:
            break;
    }
    return "proxy";
}

void name_user(Alert& alert, const Directory& directory, const std::string& id) {
    alert.user = id;
    if (const User* user = directory.find<User>(id)) alert.user_email = user->email;
}

void name_team(Alert& alert, const Directory& directory, const std::string& id) {
    alert.team = id;
    if (const Team* team = directory.find<Team>(id)) {
        alert.team_alias = team->alias;
        alert.organisation = team->organisation;
    }
}

void name_key(Alert& alert, const Directory& directory, const std::string& id) {
    alert.token = id;
    const Key* key = directory.find<Key>(id);
    if (key == nullptr) return;
    alert.key_alias = key->alias;
    alert.organisation = key->organisation;
    if (!key->user.empty()) name_user(alert, directory, key->user);
    if (!key->team.empty()) name_team(alert, directory, key->team);
}

void name_holder(Alert& alert, const Directory& directory, const ScopeInfo& info) {
    alert.model = info.model;
    switch (info.kind) {
        case ScopeKind::key:
            return name_key(alert, directory, info.id);
        case ScopeKind::user:
            return name_user(alert, directory, info.id);
        case ScopeKind::team:
            return name_team(alert, directory, info.id);
        case ScopeKind::member:
            name_user(alert, directory, info.id);
            return name_team(alert, directory, info.owner);
        case ScopeKind::end_user:
            alert.end_user = info.id;
            return;
        case ScopeKind::organisation:
            alert.organisation = info.id;
            return;
        case ScopeKind::proxy:
            return;
    }
}

/// "this key" is for who holds it; others know it by its alias.
std::string words(const Alert& alert, const Directory& directory, ScopeId scope) {
    if (alert.token.empty()) return words_for(directory, scope);
    return concat("key ", alert.key_alias.empty() ? alert.token.substr(0, 12) : alert.key_alias,
                  alert.model.empty() ? "" : concat(" for model ", alert.model));
}

Alert begin_alert(const Directory& directory, ScopeId scope) {
    Alert out{.group = "proxy"};
    if (const ScopeInfo* info = directory.describe(scope)) {
        out.group = group_of(info->kind);
        name_holder(out, directory, *info);
    }
    return out;
}

}  // namespace

Alert threshold_alert(const ThresholdCrossing& crossed, const Directory& directory) {
    Alert out = begin_alert(directory, crossed.scope);
    out.event = "threshold_crossed";
    out.spent = crossed.spent;
    out.limit = crossed.limit;
    out.permille = crossed.permille;
    if (crossed.window.end != WallTime{INT64_MAX}) out.resets_at = crossed.window.end;
    out.message = concat(words(out, directory, crossed.scope), " has spent $",
                         decimal_dollars(crossed.spent), " of $", decimal_dollars(crossed.limit),
                         ": ", crossed.permille / 10, " % are reached");
    return out;
}

Alert exhausted_alert(const BudgetRefusal& refused, const Directory& directory) {
    Alert out = begin_alert(directory, refused.scope);
    out.event = "budget_crossed";
    out.spent = refused.spent;
    out.limit = refused.limit;
    if (refused.resets_at && *refused.resets_at != WallTime{INT64_MAX})
        out.resets_at = refused.resets_at;
    out.message = concat("calls of ", words(out, directory, refused.scope), " are refused: $",
                         decimal_dollars(refused.spent), " of $", decimal_dollars(refused.limit),
                         " are spent, and one more does not fit");
    return out;
}

}  // namespace brigada
