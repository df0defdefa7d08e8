// /user: the people keys are made for, and the teams they are members of.
#include <algorithm>

#include "gateway/directory/desk.h"
#include "gateway/directory/litellm_fields.h"
#include "gateway/directory/time_text.h"

namespace brigada {

namespace {

constexpr std::string_view kRoles[] = {"proxy_admin", "proxy_admin_viewer", "internal_user",
                                       "internal_user_viewer"};

void read_record(BodyReader& body, User& user) {
    body.text("user_email", user.email);
    body.text("user_alias", user.alias);
    body.text("user_role", user.role);
    if (!user.role.empty() && std::ranges::find(kRoles, user.role) == std::end(kRoles))
        body.wrong("user_role",
                   "\"proxy_admin\", \"proxy_admin_viewer\", \"internal_user\" or "
                   "\"internal_user_viewer\"",
                   user.role);
    read_holder(body, user);
}

std::vector<const Team*> teams_of(const Desk& desk, const std::string& user) {
    std::vector<const Team*> teams;
    for (const auto& [id, team] : desk.directory.all<Team>())
        if (team.members.contains(user)) teams.push_back(&team);
    return teams;
}

Json show_user(const Desk& desk, const User& user) {
    Json out = {{"user_id", user.id},
                {"user_email", text_or_null(user.email)},
                {"user_alias", text_or_null(user.alias)},
                {"user_role", text_or_null(user.role)}};
    out["teams"] = Json::array();
    for (const Team* team : teams_of(desk, user.id))
        out["teams"].push_back(team->id);
    show_holder(out, desk, user, ScopeKind::user);
    return out;
}

/// The edits that make a user a member of teams that exist.
Result<void> join_teams(const Desk& desk, const std::string& user,
                        const std::vector<std::string>& teams,
                        std::vector<Directory::Edit>& edits) {
    for (const std::string& id : std::set(teams.begin(), teams.end())) {
        TRY(const Team* team, desk.require<Team>(RecordKind::team, id));
        Team joined = *team;
        joined.members.try_emplace(user);
        edits.push_back(Directory::put("updated", std::move(joined)));
    }
    return {};
}

/// What of the body is about the key made along with the user.
struct FirstKey {
    bool is_wanted = true;
    Key key;
};

FirstKey read_first_key(const Desk& desk, BodyReader& body, const std::string& user) {
    FirstKey first;
    body.flag("auto_create_key", first.is_wanted);
    body.text("key_alias", first.key.alias);
    std::optional<std::string> duration;
    body.text("duration", duration);
    if (duration) {
        auto end = after(desk.call.now, *duration);
        if (end.ok())
            first.key.expires = *end;
        else
            body.wrong("duration", end.error().message);
    }
    first.key.user = user;
    return first;
}

Result<Json> create(Desk& desk) {
    BodyReader body(desk.call.body);
    User user;
    std::vector<std::string> teams;
    body.text("user_id", user.id);
    if (user.id.empty()) user.id = desk.directory.new_id();
    const std::string id = user.id;
    read_record(body, user);
    body.texts("teams", teams);
    FirstKey first = read_first_key(desk, body, id);
    TRY(desk.finish(body));
    if (desk.directory.find<User>(id))
        return Error{Code::invalid_argument, concat("user_id: there is a user '", id, "' already")};
    std::vector<Directory::Edit> edits{Directory::put("created", std::move(user))};
    TRY(join_teams(desk, id, teams, edits));
    NewKey made;
    if (first.is_wanted) {
        TRY(made, desk.directory.create_key(std::move(first.key), std::nullopt, desk.act(),
                                            std::move(edits)));
        desk.did(std::move(made.changes));
    } else {
        TRY(Changes done, desk.directory.apply(std::move(edits), desk.act()));
        desk.did(std::move(done));
    }
    const Key* key = desk.directory.find<Key>(made.id);
    Json out = {{"key", text_or_null(made.text)},
                {"key_name", text_or_null(key ? key->display : "")},
                {"token", text_or_null(made.id)},
                {"expires", time_or_null(key ? key->expires : std::nullopt)}};
    out.update(show_user(desk, *desk.directory.find<User>(id)));
    return out;
}

Result<Json> update(Desk& desk) {
    BodyReader body(desk.call.body);
    TRY(const std::string id, required(body, "user_id"));
    TRY(const User* user, desk.require<User>(RecordKind::user, id));
    User changed = *user;
    read_record(body, changed);
    TRY(desk.finish(body));
    TRY(Changes done, desk.directory.update(std::move(changed), desk.act()));
    desk.did(std::move(done));
    return Json{{"user_id", id}, {"data", show_user(desk, *user)}};
}

Result<Json> erase(Desk& desk) {
    BodyReader body(desk.call.body);
    TRY(const auto ids, required_list(body, "user_ids"));
    TRY(desk.finish(body));
    TRY(Changes done, desk.directory.erase(RecordKind::user, {ids.begin(), ids.end()}, desk.act()));
    desk.did(std::move(done));
    return Json{{"deleted_users", ids}};
}

Result<Json> info(Desk& desk) {
    TRY(const User* user, desk.require<User>(RecordKind::user, desk.query("user_id")));
    Json keys = Json::array(), teams = Json::array();
    for (const Key* key : desk.directory.keys_of_user(user->id))
        keys.push_back(show_key(desk, *key));
    for (const Team* team : teams_of(desk, user->id))
        teams.push_back(show_team(desk, *team));
    return Json{{"user_id", user->id},
                {"user_info", show_user(desk, *user)},
                {"keys", std::move(keys)},
                {"teams", std::move(teams)}};
}

Result<Json> list(Desk& desk) {
    const auto& users = desk.directory.all<User>();
    TRY(const Page page, page_of(desk, users.size()));
    Json shown = Json::array();
    auto at = std::next(users.begin(), static_cast<std::ptrdiff_t>(page.begin()));
    for (size_t i = page.begin(); i < page.end(); ++i, ++at)
        shown.push_back(show_user(desk, at->second));
    return Json{{"users", std::move(shown)},
                {"total", page.total},
                {"page", page.number},
                {"page_size", page.size},
                {"total_pages", page.pages()}};
}

constexpr FieldDoc kInfoQuery[] = {{"user_id", FieldType::text, "", "", true}};
constexpr FieldDoc kListQuery[] = {
    {"page", FieldType::page, "from 1"},
    {"size", FieldType::page, "users on a page, at most 1000; 10 unless given"},
};

constexpr ManagementRoute kRoutes[] = {
    {"POST", "/user/new", create, {"make a user and a first key", "NewUserFields", "NewUser"}},
    {"POST", "/user/update", update, {"change a user", "UserChange", "UserChanged"}},
    {"POST",
     "/user/delete",
     erase,
     {"delete users, their keys and memberships", "UserChoice", "DeletedUsers"}},
    {"GET", "/user/info", info, {"a user, its keys and teams", "", "UserInfo", kInfoQuery}},
    {"GET", "/user/list", list, {"users", "", "UserList", kListQuery}},
};

}  // namespace

std::span<const ManagementRoute> user_routes() {
    return kRoutes;
}

std::string read_user(Desk& desk, BodyReader& body, std::vector<Directory::Edit>& first) {
    User user;
    body.text("user_id", user.id);
    body.text("user_email", user.email);
    if (user.id.empty() && user.email.empty())
        body.wrong("user_id", "is missing; it is a string, or say user_email");
    if (!body.good()) return "";
    if (const User* known = user.id.empty() ? desk.directory.named<User>(user.email) : nullptr)
        return known->id;
    if (user.id.empty()) user.id = desk.directory.new_id();
    const bool is_new = !desk.directory.find<User>(user.id) &&
                        std::ranges::none_of(first, [&](const Directory::Edit& edit) {
                            return edit.kind == RecordKind::user && edit.id == user.id;
                        });
    std::string id = user.id;
    if (is_new) first.push_back(Directory::put("created", std::move(user)));
    return id;
}

}  // namespace brigada
