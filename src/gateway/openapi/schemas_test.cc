// The schemas against the handlers: what is documented has an effect, what has an effect is
// documented, and answers are what their schemas say.
#include "gateway/openapi/schemas.h"

#include <gtest/gtest.h>

#include <set>

#include "gateway/directory/office.h"

namespace brigada {
namespace {

/// The fields of a schema and its bases, by name.
std::map<std::string, FieldDoc> fields_of(std::string_view name) {
    std::map<std::string, FieldDoc> out;
    const SchemaDoc* schema = find_schema(name);
    CHECK(schema, std::string(name));
    std::string_view bases = schema->bases;
    while (!bases.empty()) {
        const std::string_view base = bases.substr(0, bases.find(' '));
        bases.remove_prefix(std::min(bases.size(), base.size() + 1));
        out.merge(fields_of(base));
    }
    for (const FieldDoc& field : schema->fields)
        out.insert_or_assign(std::string(field.name), field);
    return out;
}

// --- answers ----------------------------------------------------------------------------------

void expect_fits(const Json& value, std::string_view schema, const std::string& where);

bool has_type(const Json& value, FieldType type) {
    switch (type) {
        case FieldType::text:
        case FieldType::time:
        case FieldType::day:
        case FieldType::moment:
        case FieldType::duration:
            return value.is_string();
        case FieldType::flag:
            return value.is_boolean();
        case FieldType::whole:
        case FieldType::page:
            return value.is_number_integer() && value >= 0;
        case FieldType::money:
            return value.is_number() && value >= 0;
        case FieldType::texts:
        case FieldType::objects:
        case FieldType::refs:
            return value.is_array();
        case FieldType::text_map:
        case FieldType::whole_map:
        case FieldType::object:
        case FieldType::ref:
            return value.is_object();
        case FieldType::any:
            break;
    }
    return true;
}

void expect_fits(const Json& value, const FieldDoc& field, const std::string& where) {
    if (value.is_null()) {
        EXPECT_FALSE(field.required) << where;
        return;
    }
    EXPECT_TRUE(has_type(value, field.type)) << where << " is " << dump_json(value);
    if (field.type == FieldType::ref) expect_fits(value, field.of, where);
    if (field.type == FieldType::refs)
        for (const Json& item : value)
            expect_fits(item, field.of, where + "[]");
}

void expect_fits(const Json& value, std::string_view schema, const std::string& where) {
    const SchemaDoc& doc = *find_schema(schema);
    if (doc.is_list) {
        ASSERT_TRUE(value.is_array()) << where;
        for (const Json& item : value)
            expect_fits(item, doc.fields.front(), where + "[]");
        return;
    }
    const auto fields = fields_of(schema);
    for (const auto& [name, field] : fields)
        EXPECT_TRUE(value.contains(name) || !field.required)
            << where << "." << name << " is not there";
    for (const auto& [name, item] : value.items()) {
        const auto found = fields.find(name);
        if (found == fields.end())
            ADD_FAILURE() << where << "." << name << " is not documented in " << schema;
        else
            expect_fits(item, found->second, where + "." + name);
    }
}

// --- bodies -----------------------------------------------------------------------------------

/// A good value of a field. Names that stand for records are those of Town.
Json example(const FieldDoc& field) {
    const std::map<std::string_view, Json> special{
        {"team_id", "red"},
        {"organization_id", "acme"},
        {"budget_id", "small"},
        {"user_id", "ann"},
        {"duration", "30d"},
        {"user_email", "bo@team.example"},
        {"new_key", "sk-0123456789abcdefghij"},
        {"key", "sk-0123456789abcdefghij"},
        {"keys", Json::array()},
        {"temp_budget_expiry", "2026-03-04T00:00:00Z"},
        {"teams", {"red"}},
        {"members_with_roles", {{{"role", "user"}, {"user_id", "ann"}}}},
        {"budget_limits", {{{"max_budget", 5}, {"budget_duration", "1d"}}}},
        {"model_max_budget", {{"m", 5}}},
        {"member", {{"role", "user"}, {"user_id", "ann"}}}};
    if (const auto found = special.find(field.name); found != special.end()) return found->second;
    switch (field.type) {
        case FieldType::text:
            return field.of.empty() ? "word" : field.of.substr(0, field.of.find('|'));
        case FieldType::flag:
            return true;
        case FieldType::whole:
        case FieldType::money:
            return 3;
        case FieldType::duration:
            return "2h";
        case FieldType::texts:
            return Json::array({"word"});
        case FieldType::text_map:
            return {{"a", "b"}};
        case FieldType::whole_map:
            return {{"a", 3}};
        default:
            return Json::object();
    }
}

/// An office with one record of each kind.
struct Town : Office {
    Town() {
        post("/organization/new", {{"organization_id", "acme"}});
        post("/organization/new", {{"organization_id", "solo"}});
        post("/budget/new", {{"budget_id", "small"}, {"max_budget", 1}});
        post("/team/new", {{"team_id", "red"},
                           {"organization_id", "acme"},
                           {"members_with_roles", {{{"role", "user"}, {"user_id", "ann"}}}}});
        post("/team/new", {{"team_id", "blue"}});
        post("/customer/new", {{"user_id", "shop"}});
        token = post("/key/generate", {{"key_alias", "ci"}, {"team_id", "red"}})["token"];
    }
    std::string token;
};

/// What a body must have, beside what is tried out, for the call to be good.
Json least(const std::string& path, const Town& town) {
    const std::map<std::string, Json> known{
        {"/key/update", {{"key", town.token}}},
        {"/key/delete", {{"key_aliases", {"ci"}}}},
        {"/key/block", {{"key", town.token}}},
        {"/key/unblock", {{"key", town.token}}},
        {"/key/regenerate", {{"key", town.token}}},
        {"/team/update", {{"team_id", "red"}}},
        {"/team/delete", {{"team_ids", {"blue"}}}},
        {"/team/member_add", {{"team_id", "blue"}, {"member", {{"user_id", "ann"}}}}},
        {"/team/member_update", {{"team_id", "red"}, {"user_id", "ann"}}},
        {"/team/member_delete", {{"team_id", "red"}, {"user_id", "ann"}}},
        {"/team/block", {{"team_id", "red"}}},
        {"/team/unblock", {{"team_id", "red"}}},
        {"/user/update", {{"user_id", "ann"}}},
        {"/user/delete", {{"user_ids", {"ann"}}}},
        {"/organization/update", {{"organization_id", "acme"}}},
        {"/organization/delete", {{"organization_ids", {"solo"}}}},
        {"/budget/update", {{"budget_id", "small"}}},
        {"/budget/info", {{"budgets", {"small"}}}},
        {"/budget/delete", {{"id", "small"}}},
        {"/organization/new", {{"organization_id", "new"}}},
        {"/team/new", {{"team_id", "new"}}},
        {"/user/new", {{"user_id", "new"}}},
        {"/budget/new", {{"budget_id", "new"}}},
        {"/customer/new", {{"user_id", "new"}}},
        {"/customer/update", {{"user_id", "shop"}}},
        {"/customer/delete", {{"user_ids", {"shop"}}}},
        {"/customer/block", {{"user_ids", {"shop"}}}},
        {"/customer/unblock", {{"user_ids", {"shop"}}}}};
    const auto found = known.find(path);
    return found == known.end() ? Json::object() : found->second;
}

std::string path_in(const DocumentedRoute& route, const Town& town) {
    const size_t open = route.path.find('{');
    if (open == route.path.npos) return route.path;
    return route.path.substr(0, open) + town.token + route.path.substr(route.path.find('}') + 1);
}

/// Fields that come only with another, or not with what the route needs least.
Json with_its_pair(Json body, const std::string& name) {
    if (name == "temp_budget_increase") body["temp_budget_expiry"] = "2026-03-04T00:00:00Z";
    if (name == "temp_budget_expiry") body["temp_budget_increase"] = 1;
    if (name.starts_with("temp_budget")) body["max_budget"] = 1;
    return body;
}

bool is_warned_about(const Json& reply, const std::string& field) {
    if (!reply.is_object() || !reply.contains("warnings")) return false;
    for (const std::string warning : reply["warnings"])
        if (warning.starts_with(field + ": ")) return true;
    return false;
}

std::set<std::string> all_field_names() {
    std::set<std::string> out;
    for (const SchemaDoc& schema : schema_docs())
        for (const FieldDoc& field : schema.fields)
            out.insert(std::string(field.name));
    out.erase("");
    return out;
}

TEST(Schemas, a_documented_field_has_an_effect_and_the_answer_fits) {
    for (const DocumentedRoute& route : documented_management_routes()) {
        if (route.doc->body.empty()) continue;
        for (const auto& [name, field] : fields_of(route.doc->body)) {
            Town town;
            Json body = with_its_pair(least(route.path, town), name);
            if (!body.contains(name)) body[name] = example(field);
            SCOPED_TRACE(concat(route.method, " ", route.path, " ", dump_json(body)));
            const auto reply = town.call(route.method, path_in(route, town), body);
            ASSERT_EQ(reply.status, 200) << dump_json(reply.body);
            EXPECT_FALSE(is_warned_about(reply.body, name));
            expect_fits(reply.body, route.doc->answer, route.path);
        }
    }
}

/// A reply names twenty fields without effect at most.
void expect_warnings(const DocumentedRoute& route, std::span<const std::string> names) {
    Town town;
    Json body = least(route.path, town);
    for (const std::string& name : names)
        body[name] = nullptr;
    const auto reply = town.call(route.method, path_in(route, town), body);
    ASSERT_EQ(reply.status, 200) << route.path << " " << dump_json(reply.body);
    if (reply.body.is_array()) return;  // has no place for warnings
    for (const std::string& name : names)
        EXPECT_TRUE(is_warned_about(reply.body, name)) << route.path << " takes " << name;
}

TEST(Schemas, a_field_that_is_not_documented_is_warned_about) {
    constexpr size_t kAtOnce = 20;
    for (const DocumentedRoute& route : documented_management_routes()) {
        if (route.doc->body.empty()) continue;
        const auto documented = fields_of(route.doc->body);
        std::vector<std::string> others;
        for (const std::string& name : all_field_names())
            if (!documented.contains(name)) others.push_back(name);
        for (size_t at = 0; at < others.size(); at += kAtOnce)
            expect_warnings(route,
                            std::span(others).subspan(at, std::min(kAtOnce, others.size() - at)));
    }
}

TEST(Schemas, what_is_read_fits) {
    Town town;
    const std::map<std::string, std::string> queries{
        {"/key/info", "?key=" + town.token},
        {"/key/list", "?return_full_object=true"},
        {"/team/info", "?team_id=red"},
        {"/user/info", "?user_id=ann"},
        {"/organization/info", "?organization_id=acme"},
        {"/customer/info", "?end_user_id=shop"}};
    size_t read = 0;
    for (const DocumentedRoute& route : documented_management_routes()) {
        if (route.method != "GET") continue;
        const auto found = queries.find(route.path);
        const std::string query = found == queries.end() ? "" : found->second;
        const auto reply = town.call("GET", route.path + query);
        ASSERT_EQ(reply.status, 200) << route.path << dump_json(reply.body);
        expect_fits(reply.body, route.doc->answer, route.path);
        ++read;
    }
    EXPECT_EQ(read, 11u);
}

}  // namespace
}  // namespace brigada
