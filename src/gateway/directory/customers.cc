// /customer, also called /end_user: those on whose behalf a key's holder calls.
#include "gateway/directory/desk.h"
#include "gateway/directory/litellm_fields.h"

namespace brigada {

namespace {

Json show(const Desk& desk, const EndUser& end_user) {
    Json out = {{"user_id", end_user.id}, {"alias", text_or_null(end_user.alias)}};
    show_holder(out, desk, end_user, ScopeKind::end_user);
    return out;
}

/// A model allow-list of an end user has no say, so `models` is left to be warned about.
void read(BodyReader& body, EndUser& end_user) {
    body.text("alias", end_user.alias);
    body.flag("blocked", end_user.blocked);
    body.text("budget_id", end_user.budget_id);
    read_allowance(body, end_user.allowance);
    body.object("metadata", end_user.metadata);
}

Result<Json> create(Desk& desk) {
    BodyReader body(desk.call.body);
    EndUser end_user;
    TRY(end_user.id, required(body, "user_id"));
    const std::string id = end_user.id;
    read(body, end_user);
    TRY(desk.finish(body));
    TRY(Changes done, desk.directory.create(std::move(end_user), desk.act()));
    desk.did(std::move(done));
    return show(desk, *desk.directory.find<EndUser>(id));
}

Result<Json> update(Desk& desk) {
    BodyReader body(desk.call.body);
    TRY(const std::string id, required(body, "user_id"));
    TRY(const auto* end_user, desk.require<EndUser>(RecordKind::end_user, id));
    EndUser changed = *end_user;
    read(body, changed);
    TRY(desk.finish(body));
    TRY(Changes done, desk.directory.update(std::move(changed), desk.act()));
    desk.did(std::move(done));
    return show(desk, *end_user);
}

Result<Json> info(Desk& desk) {
    TRY(const auto* end_user,
        desk.require<EndUser>(RecordKind::end_user, desk.query("end_user_id")));
    return show(desk, *end_user);
}

Result<Json> list(Desk& desk) {
    Json shown = Json::array();
    for (const auto& [id, end_user] : desk.directory.all<EndUser>())
        shown.push_back(show(desk, end_user));
    return shown;
}

Result<Json> erase(Desk& desk) {
    BodyReader body(desk.call.body);
    TRY(const auto ids, required_list(body, "user_ids"));
    TRY(desk.finish(body));
    TRY(Changes done,
        desk.directory.erase(RecordKind::end_user, {ids.begin(), ids.end()}, desk.act()));
    desk.did(std::move(done));
    return Json{{"deleted_customers", ids}};
}

/// An end user nobody knew is created blocked: whoever blocks wants it to hold.
Result<Json> block(Desk& desk) {
    BodyReader body(desk.call.body);
    TRY(const auto ids, required_list(body, "user_ids"));
    TRY(desk.finish(body));
    std::vector<Directory::Edit> edits;
    for (const std::string& id : std::set(ids.begin(), ids.end())) {
        const EndUser* known = desk.directory.find<EndUser>(id);
        EndUser blocked = known ? *known : EndUser();
        blocked.id = id;
        blocked.blocked = true;
        edits.push_back(Directory::put("blocked", std::move(blocked)));
    }
    TRY(Changes done, desk.directory.apply(std::move(edits), desk.act()));
    desk.did(std::move(done));
    Json shown = Json::array();
    for (const std::string& id : ids)
        shown.push_back(show(desk, *desk.directory.find<EndUser>(id)));
    return Json{{"blocked_users", std::move(shown)}};
}

Result<Json> unblock(Desk& desk) {
    BodyReader body(desk.call.body);
    TRY(const auto ids, required_list(body, "user_ids"));
    TRY(desk.finish(body));
    std::vector<Directory::Edit> edits;
    for (const std::string& id : std::set(ids.begin(), ids.end())) {
        TRY(const auto* known, desk.require<EndUser>(RecordKind::end_user, id));
        EndUser free = *known;
        free.blocked = false;
        edits.push_back(Directory::put("unblocked", std::move(free)));
    }
    TRY(Changes done, desk.directory.apply(std::move(edits), desk.act()));
    desk.did(std::move(done));
    return Json{{"unblocked_users", ids}};
}

constexpr FieldDoc kInfoQuery[] = {{"end_user_id", FieldType::text, "", "", true}};

constexpr ManagementRoute kRoutes[] = {
    {"POST", "/customer/new", create, {"make an end user known", "CustomerFields", "Customer"}},
    {"POST", "/customer/update", update, {"change an end user", "CustomerFields", "Customer"}},
    {"GET", "/customer/info", info, {"one end user", "", "Customer", kInfoQuery}},
    {"GET", "/customer/list", list, {"end users", "", "CustomerList"}},
    {"POST", "/customer/delete", erase, {"forget end users", "UserChoice", "DeletedCustomers"}},
    {"POST",
     "/customer/block",
     block,
     {"refuse calls on their behalf", "UserChoice", "BlockedCustomers"}},
    {"POST",
     "/customer/unblock",
     unblock,
     {"serve them again", "UserChoice", "UnblockedCustomers"}},
};

}  // namespace

std::span<const ManagementRoute> customer_routes() {
    return kRoutes;
}

}  // namespace brigada
