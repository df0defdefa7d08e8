// /team: teams, and who is a member with what of his own in it.
#include "gateway/directory/desk.h"
#include "gateway/directory/litellm_fields.h"
#include "gateway/directory/time_text.h"

namespace brigada {

namespace {

/// {role, user_id, user_email}; a budget that stands beside it is put in by the caller.
std::string read_member(Desk& desk, BodyReader& body, Team& team,
                        std::vector<Directory::Edit>& first) {
    std::string role = "user";
    body.text("role", role);
    if (role != "user" && role != "admin") body.wrong("role", "\"user\" or \"admin\"", role);
    std::string user = read_user(desk, body, first);
    if (body.good()) team.members[user].role = role;
    return user;
}

void read_members(Desk& desk, BodyReader& body, Team& team, std::vector<Directory::Edit>& first) {
    const Json* value = body.find("members_with_roles");
    if (!value) return;
    team.members.clear();
    if (value->is_null()) return;
    if (!value->is_array())
        return body.wrong("members_with_roles", "a list of {\"role\", \"user_id\"}", *value);
    for (size_t i = 0; i < value->size(); ++i)
        body.nested(concat("members_with_roles[", i, "]"), (*value)[i],
                    [&](BodyReader& member) { read_member(desk, member, team, first); });
}

void read_team(BodyReader& body, Team& team) {
    body.text("team_alias", team.alias);
    body.text("organization_id", team.organisation);
    body.whole("team_member_rpm_limit", team.member_default.limits.requests_per_minute);
    body.whole("team_member_tpm_limit", team.member_default.limits.tokens_per_minute);
    body.money("team_member_budget", team.member_default.max_budget);
    body.text("team_member_budget_duration", team.member_default.budget_duration);
    read_holder(body, team, "model_aliases");
}

Result<Json> create(Desk& desk) {
    const Json fields = with_defaults(desk.call.body, desk.directory.config().team_defaults);
    BodyReader body(fields);
    Team team;
    std::vector<Directory::Edit> first;
    body.text("team_id", team.id);
    if (team.id.empty()) team.id = desk.directory.new_id();
    const std::string id = team.id;
    read_members(desk, body, team, first);
    read_team(body, team);
    TRY(desk.finish(body));
    TRY(Changes done, desk.directory.create(std::move(team), desk.act(), std::move(first)));
    desk.did(std::move(done));
    return show_team(desk, *desk.directory.find<Team>(id));
}

Result<const Team*> find_named(Desk& desk, BodyReader& body) {
    TRY(const std::string id, required(body, "team_id"));
    return desk.require<Team>(RecordKind::team, id);
}

Result<Json> update(Desk& desk) {
    BodyReader body(desk.call.body);
    TRY(const Team* team, find_named(desk, body));
    Team changed = *team;
    read_team(body, changed);
    TRY(desk.finish(body));
    TRY(Changes done, desk.directory.update(std::move(changed), desk.act()));
    desk.did(std::move(done));
    return Json{{"team_id", team->id}, {"data", show_team(desk, *team)}};
}

Result<Json> erase(Desk& desk) {
    BodyReader body(desk.call.body);
    TRY(const auto ids, required_list(body, "team_ids"));
    TRY(desk.finish(body));
    TRY(Changes done, desk.directory.erase(RecordKind::team, {ids.begin(), ids.end()}, desk.act()));
    desk.did(std::move(done));
    return Json{{"deleted_teams", ids}};
}

Json show_membership(const Desk& desk, const Team& team, const std::string& user,
                     const Member& member) {
    Json allowance = Json::object();
    show_allowance(allowance, filled_from(member.allowance, team.member_default));
    const Spend spend = desk.spend({.kind = ScopeKind::member, .owner = team.id, .id = user});
    return {{"user_id", user},
            {"team_id", team.id},
            {"spend", dollars(spend.spent)},
            {"budget_reset_at", time_or_null(spend.resets_at)},
            {"litellm_budget_table", std::move(allowance)}};
}

Result<Json> info(Desk& desk) {
    TRY(const Team* team, desk.require<Team>(RecordKind::team, desk.query("team_id")));
    Json keys = Json::array(), members = Json::array();
    for (const Key* key : desk.directory.keys_of_team(team->id))
        keys.push_back(show_key(desk, *key));
    for (const auto& [user, member] : team->members)
        members.push_back(show_membership(desk, *team, user, member));
    return Json{{"team_id", team->id},
                {"team_info", show_team(desk, *team)},
                {"keys", std::move(keys)},
                {"team_memberships", std::move(members)}};
}

Result<Json> list(Desk& desk) {
    Json teams = Json::array();
    for (const auto& [id, team] : desk.directory.all<Team>()) {
        const std::string_view organisation = desk.query("organization_id");
        const std::string user(desk.query("user_id"));
        if (!organisation.empty() && team.organisation != organisation) continue;
        if (!user.empty() && !team.members.contains(user)) continue;
        teams.push_back(show_team(desk, team));
    }
    return teams;
}

/// A member's own allowance stands beside "member", in names that LiteLLM gave it.
void read_own(BodyReader& body, Allowance& own) {
    body.money("max_budget_in_team", own.max_budget);
    body.text("budget_duration", own.budget_duration);
    body.whole("rpm_limit", own.limits.requests_per_minute);
    body.whole("tpm_limit", own.limits.tokens_per_minute);
}

Result<Json> member_add(Desk& desk) {
    BodyReader body(desk.call.body);
    TRY(const Team* team, find_named(desk, body));
    Team changed = *team;
    std::vector<Directory::Edit> first;
    const Json* value = body.find("member");
    if (!value || value->is_null())
        return Error{Code::invalid_argument, "member: is missing; it is {\"role\", \"user_id\"}"};
    const Json members = value->is_array() ? *value : Json::array({*value});
    for (const Json& member : members)
        body.nested("member", member, [&](BodyReader& inner) {
            const std::string user = read_member(desk, inner, changed, first);
            if (inner.good()) read_own(body, changed.members[user].allowance);
        });
    TRY(desk.finish(body));
    TRY(Changes done, desk.directory.update(std::move(changed), desk.act(), std::move(first)));
    desk.did(std::move(done));
    return show_team(desk, *team);
}

/// The user id of a member, said as user_id or user_email.
Result<std::string> find_member(Desk& desk, BodyReader& body, const Team& team) {
    std::string id, email;
    body.text("user_id", id);
    body.text("user_email", email);
    TRY(body.finish());
    if (const User* user = id.empty() ? desk.directory.named<User>(email) : nullptr) id = user->id;
    if (id.empty() && email.empty())
        return Error{Code::invalid_argument, "user_id: is missing; or say user_email"};
    if (team.members.contains(id)) return id;
    return Error{Code::not_found, concat("user_id: team '", team.id, "' has no member '",
                                         id.empty() ? email : id, "'")};
}

Result<Json> member_update(Desk& desk) {
    BodyReader body(desk.call.body);
    TRY(const Team* team, find_named(desk, body));
    TRY(const std::string user, find_member(desk, body, *team));
    Team changed = *team;
    Member& member = changed.members[user];
    body.text("role", member.role);
    if (member.role != "user" && member.role != "admin")
        body.wrong("role", "\"user\" or \"admin\"", member.role);
    read_own(body, member.allowance);
    TRY(desk.finish(body));
    TRY(Changes done, desk.directory.update(std::move(changed), desk.act()));
    desk.did(std::move(done));
    return show_membership(desk, *team, user, team->members.at(user));
}

Result<Json> member_delete(Desk& desk) {
    BodyReader body(desk.call.body);
    TRY(const Team* team, find_named(desk, body));
    TRY(const std::string user, find_member(desk, body, *team));
    TRY(desk.finish(body));
    Team changed = *team;
    changed.members.erase(user);
    TRY(Changes done, desk.directory.update(std::move(changed), desk.act()));
    desk.did(std::move(done));
    return show_team(desk, *team);
}

Result<Json> set_blocked(Desk& desk, bool blocked) {
    BodyReader body(desk.call.body);
    TRY(const Team* team, find_named(desk, body));
    TRY(desk.finish(body));
    TRY(Changes done, desk.directory.set_blocked(RecordKind::team, team->id, blocked, desk.act()));
    desk.did(std::move(done));
    return show_team(desk, *team);
}

Result<Json> block(Desk& desk) {
    return set_blocked(desk, true);
}
Result<Json> unblock(Desk& desk) {
    return set_blocked(desk, false);
}

constexpr FieldDoc kInfoQuery[] = {{"team_id", FieldType::text, "", "", true}};
constexpr FieldDoc kListQuery[] = {
    {"organization_id", FieldType::text},
    {"user_id", FieldType::text, "a member"},
};

constexpr ManagementRoute kRoutes[] = {
    {"POST", "/team/new", create, {"make a team", "NewTeam", "Team"}},
    {"POST", "/team/update", update, {"change a team", "TeamChange", "TeamChanged"}},
    {"POST", "/team/delete", erase, {"delete teams and their keys", "TeamChoice", "DeletedTeams"}},
    {"GET", "/team/info", info, {"a team, its keys and members", "", "TeamInfo", kInfoQuery}},
    {"GET", "/team/list", list, {"teams", "", "TeamList", kListQuery}},
    {"POST", "/team/member_add", member_add, {"add members", "MemberAdd", "Team"}},
    {"POST",
     "/team/member_update",
     member_update,
     {"change a member", "MemberChange", "Membership"}},
    {"POST", "/team/member_delete", member_delete, {"remove a member", "MemberRemoval", "Team"}},
    {"POST", "/team/block", block, {"let none of its keys in", "TeamName", "Team"}},
    {"POST", "/team/unblock", unblock, {"let its keys in again", "TeamName", "Team"}},
};

}  // namespace

std::span<const ManagementRoute> team_routes() {
    return kRoutes;
}

Json show_team(const Desk& desk, const Team& team) {
    Json out = {{"team_id", team.id},
                {"team_alias", text_or_null(team.alias)},
                {"organization_id", text_or_null(team.organisation)}};
    out["members_with_roles"] = Json::array();
    for (const auto& [id, member] : team.members) {
        const User* user = desk.directory.find<User>(id);
        out["members_with_roles"].push_back(
            {{"role", member.role},
             {"user_id", id},
             {"user_email", text_or_null(user ? user->email : "")}});
    }
    const Allowance& each = team.member_default;
    out["team_member_budget"] = each.max_budget ? dollars(*each.max_budget) : Json();
    out["team_member_budget_duration"] = text_or_null(each.budget_duration);
    const auto& [rpm, tpm, concurrent] = each.limits;
    out["team_member_rpm_limit"] = rpm ? Json(*rpm) : Json();
    out["team_member_tpm_limit"] = tpm ? Json(*tpm) : Json();
    show_holder(out, desk, team, ScopeKind::team, "model_aliases");
    return out;
}

}  // namespace brigada
