#include "gateway/directory/management.h"

#include "gateway/directory/office.h"

namespace brigada {
namespace {

/// The fields of `expected` are in `body`, with these values.
void expect_has(const Json& body, const Json& expected) {
    for (const auto& [name, value] : expected.items())
        EXPECT_EQ(body.value(name, Json("absent")), value) << name << " of " << dump_json(body);
}

TEST(Management, makes_changes_shows_lists_and_deletes_keys) {
    Office office;
    office.spend = [](const ScopeInfo& info) {
        return info.kind == ScopeKind::key
                   ? Spend{.spent = Money{1'250'000'000}, .resets_at = WallTime::seconds(0)}
                   : Spend{};
    };
    const Json made = office.post(
        "/key/generate",
        {{"key_alias", "ci"},
         {"duration", "30d"},
         {"models", {"gpt-4o"}},
         {"aliases", {{"fast", "gpt-4o"}}},
         {"user_id", "u"},
         {"max_budget", 12.5},
         {"soft_budget", 10},
         {"budget_duration", "30d"},
         {"budget_limits", {{{"budget_duration", "1d"}, {"max_budget", 1}}}},
         {"rpm_limit", 60},
         {"tpm_limit", 100'000},
         {"max_parallel_requests", 4},
         {"model_rpm_limit", {{"gpt-4o", 5}}},
         {"model_max_budget", {{"gpt-4o", {{"budget_limit", 2}, {"time_period", "1d"}}}}},
         {"metadata", {{"app", "ci"}}},
         {"tags", {"night"}},
         {"guardrails", {"pii"}}});
    const std::string text = made["key"];
    const std::string token = made["token"];
    expect_has(made, {{"key_name", "sk-..." + text.substr(text.size() - 4)},
                      {"key_alias", "ci"},
                      {"token_id", token},
                      {"expires", "2026-03-04T02:40:00Z"},
                      {"user_id", "u"},
                      {"team_id", nullptr},
                      {"models", Json::array({"gpt-4o"})},
                      {"aliases", {{"fast", "gpt-4o"}}},
                      {"max_budget", 12.5},
                      {"soft_budget", 10},
                      {"budget_duration", "30d"},
                      {"rpm_limit", 60},
                      {"tpm_limit", 100'000},
                      {"max_parallel_requests", 4},
                      {"model_rpm_limit", {{"gpt-4o", 5}}},
                      {"metadata", {{"app", "ci"}}},
                      {"tags", Json::array({"night"})},
                      {"blocked", false},
                      {"spend", 1.25},
                      {"budget_reset_at", "1970-01-01T00:00:00Z"},
                      {"created_by", "master key"},
                      {"warnings", Json::array({"guardrails: has no effect here"})}});
    EXPECT_EQ(made["budget_limits"][0]["max_budget"], 1);
    EXPECT_EQ(made["model_max_budget"]["gpt-4o"]["budget_limit"], 2);

    expect_has(
        office.post("/key/update", {{"key", token}, {"rpm_limit", nullptr}, {"tpm_limit", 7}}),
        {{"rpm_limit", nullptr}, {"tpm_limit", 7}, {"max_budget", 12.5}});
    const Json info = office.get("/key/info?key=" + text);
    EXPECT_EQ(info["key"], token) << "never the text";
    expect_has(info["info"], {{"tpm_limit", 7}, {"key_alias", "ci"}, {"spend", 1.25}});
    EXPECT_FALSE(dump_json(info).contains(text));

    for (int i = 0; i < 4; ++i)
        office.new_key({{"team_id", nullptr}});
    const Json list = office.get("/key/list?page=2&size=2");
    EXPECT_EQ(list["keys"].size(), 2u);
    expect_has(list, {{"total_count", 5}, {"current_page", 2}, {"total_pages", 3}});
    EXPECT_EQ(office.get("/key/list?key_alias=ci")["keys"], Json::array({token}));
    EXPECT_EQ(office.get("/key/list?user_id=u&return_full_object=true")["keys"][0]["key_alias"],
              "ci");
    EXPECT_EQ(office.call("GET", "/key/list?page=0").status, 400);

    expect_has(office.post("/key/block", {{"key", text}}), {{"blocked", true}});
    EXPECT_EQ(office.denial(text), "auth_error");
    expect_has(office.post("/key/unblock", {{"key", text}}), {{"blocked", false}});
    const Json rotated = office.post("/key/" + token + "/regenerate", {{"grace_period", "1h"}});
    EXPECT_NE(rotated["key"], text);
    expect_has(rotated, {{"token", token}, {"previous_key_until", "2026-02-02T03:40:00Z"}});

    EXPECT_EQ(office.post("/key/delete", {{"key_aliases", {"ci"}}})["deleted_keys"],
              Json::array({token}));
    EXPECT_EQ(office.call("GET", "/key/info?key=" + token).status, 404);
}

TEST(Management, keeps_teams_and_their_members) {
    Office office;
    office.post("/organization/new", {{"organization_id", "o"}});
    const Json made =
        office.post("/team/new", {{"team_alias", "red"},
                                  {"organization_id", "o"},
                                  {"members_with_roles",
                                   {{{"role", "admin"}, {"user_id", "ann"}},
                                    {{"role", "user"}, {"user_email", "bo@team.example"}}}},
                                  {"model_aliases", {{"big", "llama"}}},
                                  {"team_member_budget", 2},
                                  {"max_budget", 100},
                                  {"budget_enforcement", "showback"}});
    const std::string id = made["team_id"];
    EXPECT_EQ(id.size(), 32u);
    expect_has(made, {{"team_alias", "red"},
                      {"organization_id", "o"},
                      {"model_aliases", {{"big", "llama"}}},
                      {"team_member_budget", 2},
                      {"budget_enforcement", "showback"},
                      {"spend", 0}});
    EXPECT_EQ(made["members_with_roles"].size(), 2u);

    const Json changed = office.post("/team/update", {{"team_id", id}, {"models", {"llama"}}});
    EXPECT_EQ(changed["data"]["models"], Json::array({"llama"}));
    EXPECT_EQ(changed["data"]["members_with_roles"].size(), 2u);

    office.post("/team/member_add", {{"team_id", id},
                                     {"member", {{"role", "user"}, {"user_id", "cy"}}},
                                     {"max_budget_in_team", 5}});
    office.post("/team/member_update", {{"team_id", id}, {"user_id", "ann"}, {"rpm_limit", 3}});
    office.new_key({{"team_id", id}, {"user_id", "cy"}});
    const Json info = office.get("/team/info?team_id=" + id);
    EXPECT_EQ(info["team_info"]["team_alias"], "red");
    EXPECT_EQ(info["keys"].size(), 1u);
    ASSERT_EQ(info["team_memberships"].size(), 3u);
    for (const Json& member : info["team_memberships"]) {
        const Json& limits = member["litellm_budget_table"];
        EXPECT_EQ(limits["max_budget"], member["user_id"] == "cy" ? 5 : 2) << member;
        EXPECT_EQ(limits["rpm_limit"], member["user_id"] == "ann" ? Json(3) : Json()) << member;
    }
    EXPECT_EQ(office
                  .post("/team/member_delete",
                        {{"team_id", id}, {"user_email", "bo@team.example"}})["members_with_roles"]
                  .size(),
              2u);
    expect_has(office.post("/team/block", {{"team_id", id}}), {{"blocked", true}});
    expect_has(office.post("/team/unblock", {{"team_id", id}}), {{"blocked", false}});
    EXPECT_EQ(office.get("/team/list").size(), 1u);
    EXPECT_EQ(office.get("/team/list?user_id=nobody").size(), 0u);
    EXPECT_EQ(office.post("/team/delete", {{"team_ids", {id}}})["deleted_teams"],
              Json::array({id}));
    EXPECT_EQ(office.get("/key/list")["total_count"], 0);
}

TEST(Management, keeps_users_with_a_first_key) {
    Office office;
    office.post("/team/new", {{"team_id", "t"}});
    const Json made = office.post("/user/new", {{"user_id", "ann"},
                                                {"user_email", "ann@team.example"},
                                                {"user_alias", "Ann"},
                                                {"user_role", "internal_user"},
                                                {"teams", {"t"}},
                                                {"max_budget", 3},
                                                {"duration", "1d"}});
    const CallerRef caller = office.caller(made["key"].get<std::string>());
    ASSERT_NE(caller, nullptr);
    EXPECT_EQ(caller->user, "ann");
    expect_has(made, {{"user_id", "ann"},
                      {"user_role", "internal_user"},
                      {"teams", Json::array({"t"})},
                      {"max_budget", 3},
                      {"expires", "2026-02-03T02:40:00Z"}});
    expect_has(office.post("/user/new", {{"auto_create_key", false}}), {{"key", nullptr}});
    EXPECT_EQ(office.refused(400, "/user/new", {{"user_email", "ann@team.example"}}),
              "user_email: another user is 'ann@team.example'; choose a name of its own");
    EXPECT_EQ(
        office.post("/user/update", {{"user_id", "ann"}, {"rpm_limit", 2}})["data"]["rpm_limit"],
        2);
    const Json info = office.get("/user/info?user_id=ann");
    expect_has(info["user_info"], {{"user_alias", "Ann"}, {"rpm_limit", 2}});
    EXPECT_EQ(info["keys"].size(), 1u);
    EXPECT_EQ(info["teams"][0]["team_id"], "t");
    expect_has(office.get("/user/list"), {{"total", 2}, {"page", 1}, {"total_pages", 1}});
    office.post("/user/delete", {{"user_ids", {"ann"}}});
    EXPECT_EQ(office.denial(made["key"].get<std::string>()), "token_not_found_in_db");
    EXPECT_TRUE(office.get("/team/info?team_id=t")["team_memberships"].empty());
}

TEST(Management, keeps_budgets) {
    Office office;
    expect_has(office.post("/budget/new",
                           {{"budget_id", "b"}, {"max_budget", 5}, {"budget_duration", "1mo"}}),
               {{"budget_id", "b"}, {"max_budget", 5}, {"budget_duration", "1mo"}});
    expect_has(office.post("/budget/update", {{"budget_id", "b"}, {"tpm_limit", 9}}),
               {{"max_budget", 5}, {"tpm_limit", 9}});
    EXPECT_EQ(office.post("/budget/info", {{"budgets", {"b"}}})[0]["tpm_limit"], 9);
    EXPECT_EQ(office.get("/budget/list").size(), 1u);
    const Json key = office.post("/key/generate", {{"budget_id", "b"}});
    EXPECT_EQ(key["litellm_budget_table"]["max_budget"], 5);
    office.post("/key/delete", {{"keys", {key["token"]}}});
    office.post("/budget/delete", {{"id", "b"}});
    EXPECT_TRUE(office.get("/budget/list").empty());
}

TEST(Management, keeps_organisations) {
    Office office;
    const Json made =
        office.post("/organization/new", {{"organization_alias", "acme"}, {"max_budget", 900}});
    const std::string id = made["organization_id"];
    office.post("/team/new", {{"team_id", "t"}, {"organization_id", id}});
    expect_has(
        office.call("PATCH", "/organization/update", {{"organization_id", id}, {"rpm_limit", 8}})
            .body,
        {{"organization_alias", "acme"}, {"max_budget", 900}, {"rpm_limit", 8}});
    EXPECT_EQ(office.get("/organization/info?organization_id=" + id)["teams"], Json::array({"t"}));
    EXPECT_EQ(office.get("/organization/list").size(), 1u);
    office.post("/team/delete", {{"team_ids", {"t"}}});
    EXPECT_EQ(office.call("DELETE", "/organization/delete", {{"organization_ids", {id}}}).status,
              200);
}

TEST(Management, keeps_customers_under_both_names) {
    Office office;
    expect_has(office.post("/customer/new", {{"user_id", "bob"}, {"max_budget", 1}}),
               {{"user_id", "bob"}, {"max_budget", 1}, {"blocked", false}});
    expect_has(office.post("/end_user/update", {{"user_id", "bob"}, {"alias", "Bob"}}),
               {{"alias", "Bob"}, {"max_budget", 1}});
    expect_has(office.get("/end_user/info?end_user_id=bob"), {{"alias", "Bob"}});
    EXPECT_EQ(office.get("/customer/list").size(), 1u);
    EXPECT_FALSE(office.directory.denies_end_user("bob"));
    office.post("/customer/block", {{"user_ids", {"bob", "eve"}}});
    EXPECT_EQ(office.directory.denies_end_user("bob")->status, 403);
    EXPECT_TRUE(office.directory.denies_end_user("eve")) << "blocked before ever seen";
    office.post("/customer/unblock", {{"user_ids", {"bob"}}});
    EXPECT_FALSE(office.directory.denies_end_user("bob"));
    office.post("/customer/delete", {{"user_ids", {"bob", "eve"}}});
    EXPECT_TRUE(office.get("/customer/list").empty());
}

TEST(Management, raises_a_budget_for_a_while) {
    Office office;
    const std::string text = office.new_key({{"max_budget", 10}});
    office.post("/key/update",
                {{"key", text}, {"temp_budget_increase", 5}, {"temp_budget_expiry", "2026-02-03"}});
    const auto scopes = office.directory.scopes(*office.caller(text), "m", "");
    const BudgetRule rule = office.directory.budgets_of(scopes.at(0)).at(0);
    EXPECT_EQ(rule.max, Money::dollars(10));
    EXPECT_EQ(rule.increase->amount, Money::dollars(5));
    EXPECT_EQ(rule.increase->until, WallTime::seconds(1'770'076'800));
}

TEST(Management, answers_mistakes_in_the_envelope_of_litellm) {
    Office office;
    const Json error = office.call("POST", "/key/generate", {{"rpm_limit", "many"}}).body;
    EXPECT_EQ(error,
              (Json{{"error",
                     {{"message", "rpm_limit: must be a whole number, at least 0; got \"many\""},
                      {"type", "bad_request_error"},
                      {"param", "rpm_limit"},
                      {"code", "400"}}}}));
    EXPECT_EQ(office.call("GET", "/key/generate").status, 405);
    EXPECT_EQ(office.call("POST", "/key/none").status, 404);
    EXPECT_EQ(office.call("POST", "/key//regenerate").status, 404);
    EXPECT_EQ(office.call("POST", "/key/generate", Json::array()).status, 400);
    EXPECT_EQ(office.refused(404, "/team/update", {{"team_id", "none"}}),
              "team_id: there is no team 'none'");
    EXPECT_EQ(office.refused(400, "/team/update", {}), "team_id: is missing; it is a string");
    EXPECT_TRUE(is_management_path("/key/sk-abc/regenerate"));
    EXPECT_TRUE(is_management_path("/end_user/new"));
    EXPECT_FALSE(is_management_path("/v1/models"));
}

// --- isolation -------------------------------------------------------------------------------

TEST(Isolation, lets_only_the_master_key_administer) {
    Office office;
    const std::string text = office.new_key({{"user_id", "u"}});
    office.post("/user/update", {{"user_id", "u"}, {"user_role", "proxy_admin"}});
    const std::pair<const char*, const char*> routes[] = {
        {"POST", "/key/generate"},     {"POST", "/key/update"},       {"POST", "/key/delete"},
        {"GET", "/key/list"},          {"POST", "/key/block"},        {"POST", "/key/unblock"},
        {"POST", "/key/regenerate"},   {"POST", "/key/x/regenerate"}, {"POST", "/team/new"},
        {"POST", "/team/update"},      {"POST", "/team/delete"},      {"GET", "/team/info"},
        {"GET", "/team/list"},         {"POST", "/team/member_add"},  {"POST", "/team/block"},
        {"POST", "/user/new"},         {"GET", "/user/info"},         {"GET", "/user/list"},
        {"POST", "/user/delete"},      {"POST", "/budget/new"},       {"GET", "/budget/list"},
        {"POST", "/budget/info"},      {"POST", "/organization/new"}, {"GET", "/organization/info"},
        {"GET", "/organization/list"}, {"POST", "/customer/new"},     {"GET", "/customer/info"},
        {"GET", "/end_user/list"},     {"POST", "/customer/block"}};
    for (const auto& [method, path] : routes) {
        const ManagementReply reply = office.call(method, path, {{"key", text}}, text);
        EXPECT_EQ(reply.status, 403) << path;
        EXPECT_EQ(reply.body["error"]["type"], "auth_error");
        EXPECT_EQ(office.call(method, path, {}, "sk-nobody-0123456789abcdef").status, 401) << path;
    }
}

TEST(Isolation, shows_a_key_itself_and_nothing_of_others) {
    Office office;
    office.post("/team/new", {{"team_id", "a"}});
    office.post("/team/new", {{"team_id", "b"}});
    const std::string mine = office.new_key({{"team_id", "a"}, {"key_alias", "mine"}});
    const std::string peer = office.new_key({{"team_id", "a"}});
    const std::string other = office.new_key({{"team_id", "b"}, {"key_alias", "other"}});
    const auto ask = [&](const std::string& which) {
        return office.call("GET", "/key/info" + which, {}, mine);
    };
    EXPECT_EQ(ask("").body["info"]["key_alias"], "mine");
    EXPECT_EQ(ask("?key=" + mine).status, 200);
    EXPECT_EQ(ask("?key=" + office.caller(mine)->key).status, 200);
    const Json refusal = ask("?key=sk-unknown-0123456789abcdef").body;
    for (const std::string& text : {peer, other, office.caller(other)->key, std::string("x")}) {
        const ManagementReply reply = ask("?key=" + text);
        EXPECT_EQ(reply.status, 403);
        EXPECT_EQ(reply.body, refusal) << "the same for keys that exist and keys that do not";
    }
}

TEST(Isolation, keeps_end_users_of_two_teams_apart) {
    Office office;
    office.post("/customer/new", {{"user_id", "bob"}, {"max_budget", 1}});
    std::vector<std::vector<ScopeId>> scopes;
    for (const auto* team : {"a", "b"}) {
        office.post("/team/new", {{"team_id", team}});
        const std::string text = office.new_key({{"team_id", team}});
        scopes.push_back(office.directory.scopes(*office.caller(text), "m", "bob"));
    }
    ASSERT_EQ(scopes[0].size(), 1u);
    EXPECT_NE(scopes[0], scopes[1]) << "team b cannot exhaust the bob of team a";
    EXPECT_EQ(office.directory.budgets_of(scopes[0][0]), office.directory.budgets_of(scopes[1][0]));
}

TEST(Isolation, never_repeats_a_key_in_an_error) {
    Office office;
    const std::string text = office.new_key({{"key_alias", "a"}});
    for (const auto& [path, body] : {std::pair<const char*, Json>{"/key/delete", {{"keys", text}}},
                                     {"/key/delete", {{"keys", {text + "x"}}}},
                                     {"/key/update", {{"key", {text}}}},
                                     {"/key/block", {{"key", text + "x"}}},
                                     {"/key/regenerate", {{"key", text}, {"new_key", text}}},
                                     {"/key/generate", {{"key", text}}}}) {
        const ManagementReply reply = office.call("POST", path, body);
        EXPECT_GE(reply.status, 400) << path;
        EXPECT_FALSE(dump_json(reply.body).contains(text.substr(3, 20))) << path;
    }
}

}  // namespace
}  // namespace brigada
