// /organization: what stands above teams.
#include "gateway/directory/desk.h"
#include "gateway/directory/litellm_fields.h"

namespace brigada {

namespace {

Json show(const Desk& desk, const Organisation& organisation) {
    Json out = {{"organization_id", organisation.id},
                {"organization_alias", text_or_null(organisation.alias)}};
    out["teams"] = Json::array();
    for (const auto& [id, team] : desk.directory.all<Team>())
        if (team.organisation == organisation.id) out["teams"].push_back(id);
    show_holder(out, desk, organisation, ScopeKind::organisation, "model_aliases");
    return out;
}

void read(BodyReader& body, Organisation& organisation) {
    body.text("organization_alias", organisation.alias);
    read_holder(body, organisation, "model_aliases");
}

Result<Json> create(Desk& desk) {
    BodyReader body(desk.call.body);
    Organisation organisation;
    body.text("organization_id", organisation.id);
    if (organisation.id.empty()) organisation.id = desk.directory.new_id();
    const std::string id = organisation.id;
    read(body, organisation);
    TRY(desk.finish(body));
    TRY(Changes done, desk.directory.create(std::move(organisation), desk.act()));
    desk.did(std::move(done));
    return show(desk, *desk.directory.find<Organisation>(id));
}

Result<Json> update(Desk& desk) {
    BodyReader body(desk.call.body);
    TRY(const std::string id, required(body, "organization_id"));
    TRY(const auto* organisation, desk.require<Organisation>(RecordKind::organisation, id));
    Organisation changed = *organisation;
    read(body, changed);
    TRY(desk.finish(body));
    TRY(Changes done, desk.directory.update(std::move(changed), desk.act()));
    desk.did(std::move(done));
    return show(desk, *organisation);
}

Result<Json> erase(Desk& desk) {
    BodyReader body(desk.call.body);
    TRY(const auto ids, required_list(body, "organization_ids"));
    TRY(desk.finish(body));
    TRY(Changes done,
        desk.directory.erase(RecordKind::organisation, {ids.begin(), ids.end()}, desk.act()));
    desk.did(std::move(done));
    return Json{{"deleted_organizations", ids}};
}

Result<Json> info(Desk& desk) {
    TRY(const auto* organisation,
        desk.require<Organisation>(RecordKind::organisation, desk.query("organization_id")));
    return show(desk, *organisation);
}

Result<Json> list(Desk& desk) {
    Json shown = Json::array();
    for (const auto& [id, organisation] : desk.directory.all<Organisation>())
        shown.push_back(show(desk, organisation));
    return shown;
}

constexpr FieldDoc kInfoQuery[] = {{"organization_id", FieldType::text, "", "", true}};

/// LiteLLM changes with PATCH and DELETE here; POST as everywhere else works too.
constexpr ManagementRoute kRoutes[] = {
    {"POST",
     "/organization/new",
     create,
     {"make an organisation", "NewOrganization", "Organization"}},
    {"PATCH",
     "/organization/update",
     update,
     {"change an organisation", "OrganizationChange", "Organization"}},
    {"POST",
     "/organization/update",
     update,
     {"change an organisation", "OrganizationChange", "Organization"}},
    {"DELETE",
     "/organization/delete",
     erase,
     {"delete organisations without teams and keys", "OrganizationChoice", "DeletedOrganizations"}},
    {"POST",
     "/organization/delete",
     erase,
     {"delete organisations without teams and keys", "OrganizationChoice", "DeletedOrganizations"}},
    {"GET", "/organization/info", info, {"one organisation", "", "Organization", kInfoQuery}},
    {"GET", "/organization/list", list, {"organisations", "", "OrganizationList"}},
};

}  // namespace

std::span<const ManagementRoute> organisation_routes() {
    return kRoutes;
}

}  // namespace brigada
