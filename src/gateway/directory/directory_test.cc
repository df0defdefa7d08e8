#include "gateway/directory/directory.h"

#include "gateway/directory/office.h"
#include "gateway/directory/record_json.h"

namespace brigada {
namespace {

// --- identify --------------------------------------------------------------------------------

TEST(Directory, tells_why_a_key_is_refused_without_repeating_it) {
    Office office;
    const std::string text = office.new_key({{"duration", "30s"}});
    const std::pair<std::string, std::string> cases[] = {
        {"", "auth_error"},
        {"not-a-key-0123456789", "auth_error"},
        {"sk-unknown-0123456789abcdef", "token_not_found_in_db"},
        {std::string(5'000, 'x'), "auth_error"},
        {text, "expired_key"}};
    EXPECT_NE(office.caller(text), nullptr);
    office.now = office.now + Duration::seconds(30);
    for (const auto& [sent, type] : cases) {
        const auto found = office.directory.identify(sent, office.now);
        ASSERT_FALSE(found.has_value());
        EXPECT_EQ(found.error().type, type);
        EXPECT_EQ(found.error().status, 401);
        if (!sent.empty()) EXPECT_FALSE(found.error().message.contains(sent));
    }
}

TEST(Directory, ends_a_key_to_the_second) {
    Office office;
    const std::string text = office.new_key({{"duration", "30s"}});
    const WallTime end = office.now + Duration::seconds(30);
    office.now = end - Duration::nanoseconds(1);
    EXPECT_EQ(office.denial(text), "");
    office.now = end;
    EXPECT_EQ(office.denial(text), "expired_key");
}

TEST(Directory, knows_the_master_key_and_exempts_it) {
    Office office;
    const CallerRef master = office.caller(kMasterKey);
    ASSERT_NE(master, nullptr);
    EXPECT_TRUE(master->admin);
    EXPECT_TRUE(office.directory.scopes(*master, "m", "bob").empty());
    EXPECT_FALSE(master->denies("any"));
    EXPECT_FALSE(office.directory.config().master_key.contains("master-of-this"));
    Directory closed({}, KeyHasher(kPepper), seeded_random(1));
    EXPECT_FALSE(closed.identify(kMasterKey, {}).has_value()) << "no master key, no administrator";
}

TEST(Directory, blocks_from_every_level_at_once) {
    Office office;
    office.post("/organization/new", {{"organization_id", "o"}});
    office.post("/team/new", {{"team_id", "t"}, {"organization_id", "o"}});
    const std::string text = office.new_key({{"team_id", "t"}, {"user_id", "u"}});
    const std::string id = office.caller(text)->key;
    const std::pair<RecordKind, std::string> levels[] = {{RecordKind::organisation, "o"},
                                                         {RecordKind::team, "t"},
                                                         {RecordKind::user, "u"},
                                                         {RecordKind::key, id}};
    for (const auto& [kind, holder] : levels) {
        EXPECT_EQ(office.denial(text), "");
        ASSERT_TRUE(office.directory.set_blocked(kind, holder, true, {"a", office.now}).ok());
        EXPECT_EQ(office.denial(text), "auth_error") << to_string(kind);
        ASSERT_TRUE(office.directory.set_blocked(kind, holder, false, {"a", office.now}).ok());
    }
    const CallerRef in_flight = office.caller(text);
    office.post("/key/delete", {{"keys", {text}}});
    EXPECT_EQ(office.denial(text), "token_not_found_in_db");
    EXPECT_EQ(in_flight->team, "t") << "a call that runs keeps its caller";
}

TEST(Directory, rotates_with_grace_and_keeps_counting_for_the_same_key) {
    Office office;
    const std::string old_text = office.new_key({{"rpm_limit", 5}});
    const auto scopes = office.directory.scopes(*office.caller(old_text), "m", "");
    const Json made = office.post("/key/regenerate", {{"key", old_text}, {"grace_period", "1h"}});
    const std::string new_text = made["key"];
    EXPECT_NE(new_text, old_text);
    EXPECT_EQ(office.caller(new_text)->key, office.caller(old_text)->key);
    EXPECT_EQ(office.directory.scopes(*office.caller(new_text), "m", ""), scopes);
    office.now = office.now + Duration::seconds(3'600) - Duration::nanoseconds(1);
    EXPECT_EQ(office.denial(old_text), "");
    office.now = office.now + Duration::nanoseconds(1);
    EXPECT_EQ(office.denial(old_text), "expired_key");
    EXPECT_EQ(office.denial(new_text), "");

    const std::string third = office.post("/key/regenerate", {{"key", new_text}})["key"];
    EXPECT_EQ(office.denial(new_text), "token_not_found_in_db") << "no grace was asked for";
    EXPECT_EQ(office.denial(old_text), "token_not_found_in_db");
    EXPECT_EQ(office.denial(third), "");
}

// --- what a caller may use -------------------------------------------------------------------

TEST(Directory, lets_every_level_narrow_the_models) {
    Office office;
    office.post("/organization/new", {{"organization_id", "o"}, {"models", {"openai/*", "m"}}});
    office.post("/team/new",
                {{"team_id", "t"}, {"organization_id", "o"}, {"models", {"openai/*"}}});
    const CallerRef caller =
        office.caller(office.new_key({{"team_id", "t"}, {"models", {"openai/gpt-4o", "m", "x"}}}));
    EXPECT_FALSE(caller->denies("openai/gpt-4o"));
    EXPECT_EQ(caller->denies("openai/o3")->type, "key_model_access_denied");
    EXPECT_EQ(caller->denies("m")->type, "team_model_access_denied");
    EXPECT_EQ(caller->denies("x")->type, "team_model_access_denied");
    EXPECT_EQ(caller->denies("x")->status, 403);
    EXPECT_EQ(caller->denies("x")->message,
              "This team may not use the model 'x'. It may use: openai/*");
}

TEST(Directory, takes_aliases_priority_and_tags_from_the_narrowest_level_that_says) {
    Office office;
    office.post("/organization/new", {{"organization_id", "o"},
                                      {"priority", "batch"},
                                      {"model_aliases", {{"big", "o-big"}, {"small", "o-small"}}},
                                      {"tags", {"org"}}});
    office.post(
        "/team/new",
        {{"team_id", "t"}, {"organization_id", "o"}, {"model_aliases", {{"big", "t-big"}}}});
    const std::string plain = office.new_key({{"team_id", "t"}});
    const std::string urgent =
        office.new_key({{"team_id", "t"}, {"priority", "guaranteed"}, {"tags", {"ci"}}});
    EXPECT_EQ(office.caller(plain)->priority, PriorityClass::batch);
    EXPECT_EQ(office.caller(urgent)->priority, PriorityClass::guaranteed);
    EXPECT_EQ(office.caller(plain)->resolve("big"), "t-big");
    EXPECT_EQ(office.caller(plain)->resolve("small"), "o-small");
    EXPECT_EQ(office.caller(plain)->resolve("other"), "other");
    EXPECT_EQ(office.caller(urgent)->tags, (std::vector<std::string>{"ci", "org"}));
    EXPECT_EQ(office.caller(plain)->organisation, "o") << "through the team";
}

TEST(Directory, counts_a_call_in_every_scope_that_limits_it_narrowest_first) {
    Office office({.proxy = {.max_budget = Money::dollars(1'000)}});
    office.post("/organization/new", {{"organization_id", "o"}, {"tpm_limit", 9}});
    office.post("/team/new", {{"team_id", "t"},
                              {"organization_id", "o"},
                              {"team_member_rpm_limit", 4},
                              {"model_rpm_limit", {{"gpt-*", 1}}}});
    office.post("/customer/new", {{"user_id", "bob"}, {"max_budget", 1}});
    const std::string text = office.new_key({{"team_id", "t"}, {"user_id", "u"}, {"rpm_limit", 3}});
    const std::string id = office.caller(text)->key;
    EXPECT_EQ(
        office.scopes(text, "gpt-4", "bob"),
        (std::vector<std::string>{"end_user(team:t,bob,)", "key(," + id + ",)", "member(t,u,)",
                                  "team(,t,gpt-*)", "organisation(,o,)", "proxy(,,)"}));
    EXPECT_EQ(office.scopes(text, "llama", "unknown"),
              (std::vector<std::string>{"key(," + id + ",)", "member(t,u,)", "organisation(,o,)",
                                        "proxy(,,)"}));
}

TEST(Directory, limits_end_users_who_say_nothing_themselves_by_a_default) {
    Office office({.end_user_budget = Money::dollars(5), .end_user_budget_id = "guests"});
    const std::string text = office.new_key({{"team_id", ""}});
    office.post("/customer/new", {{"user_id", "bob"}, {"max_budget", 1}});
    const auto scope = [&](std::string_view end_user) {
        return office.directory.scopes(*office.caller(text), "m", end_user).at(0);
    };
    const ScopeId bob = scope("bob"), stranger = scope("stranger");
    (void)office.directory.take_stale_scopes();
    EXPECT_EQ(office.directory.budgets_of(bob).at(0).max, Money::dollars(1));
    EXPECT_EQ(office.directory.budgets_of(stranger).at(0).max, Money::dollars(5));
    EXPECT_TRUE(office.directory.scopes(*office.caller(text), "m", "").empty()) << "nobody named";

    office.post("/budget/new", {{"budget_id", "guests"}, {"rpm_limit", 3}});
    EXPECT_EQ(office.directory.take_stale_scopes(), (std::vector{bob, stranger}));
    EXPECT_EQ(office.directory.limits_of(stranger).requests_per_minute, 3);
    EXPECT_EQ(office.directory.limits_of(bob).requests_per_minute, 3);
}

TEST(Directory, forgets_end_users_of_long_ago_and_knows_them_again) {
    Office office({.end_user_budget = Money::dollars(5)});
    const std::string text = office.new_key({});
    const CallerRef caller = office.caller(text);
    const ScopeId first = office.directory.scopes(*caller, "m", "0").at(0);
    (void)office.directory.take_stale_scopes();
    for (int i = 1; office.directory.describe(first) != nullptr; ++i) {
        ASSERT_LT(i, 1'000'000);
        office.directory.scopes(*caller, "m", concat(i));
    }
    EXPECT_EQ(std::ranges::count(office.directory.take_stale_scopes(), first), 1);
    const ScopeId again = office.directory.scopes(*caller, "m", "0").at(0);
    EXPECT_NE(again, first);
    EXPECT_EQ(office.directory.budgets_of(again).at(0).max, Money::dollars(5));
}

TEST(Directory, says_when_limits_changed) {
    Office office;
    office.post("/budget/new", {{"budget_id", "small"}, {"rpm_limit", 2}, {"max_budget", 3}});
    const std::string text = office.new_key({{"budget_id", "small"}});
    const auto scopes = office.directory.scopes(*office.caller(text), "m", "");
    ASSERT_EQ(scopes.size(), 1u);
    EXPECT_EQ(office.directory.take_stale_scopes(), scopes) << "new";
    EXPECT_TRUE(office.directory.take_stale_scopes().empty());
    EXPECT_EQ(office.directory.limits_of(scopes[0]).requests_per_minute, 2);
    EXPECT_EQ(office.directory.budgets_of(scopes[0])[0].max, Money::dollars(3));

    office.post("/budget/update", {{"budget_id", "small"}, {"rpm_limit", 7}});
    EXPECT_EQ(office.directory.take_stale_scopes(), scopes) << "the template changed";
    EXPECT_EQ(office.directory.limits_of(scopes[0]).requests_per_minute, 7);

    office.post("/key/delete", {{"keys", {text}}});
    EXPECT_EQ(office.directory.take_stale_scopes(), scopes) << "gone";
    EXPECT_EQ(office.directory.describe(scopes[0]), nullptr);
    EXPECT_FALSE(office.directory.limits_of(scopes[0]).any());
}

TEST(Directory, forgets_the_scopes_of_what_is_gone) {
    Office office;
    office.post("/customer/new", {{"user_id", "bob"}, {"rpm_limit", 1}});
    for (int i = 0; i < 50; ++i) {
        office.post("/team/new",
                    {{"team_id", "t"}, {"rpm_limit", 1}, {"team_member_rpm_limit", 1}});
        const std::string text =
            office.new_key({{"team_id", "t"}, {"user_id", "u"}, {"rpm_limit", 1}});
        const auto ids = office.directory.scopes(*office.caller(text), "m", "bob");
        EXPECT_EQ(ids.size(), 4u);
        office.post("/team/delete", {{"team_ids", {"t"}}});
        for (ScopeId id : ids)
            EXPECT_EQ(office.directory.describe(id), nullptr) << static_cast<uint64_t>(id);
    }
}

// --- rules -----------------------------------------------------------------------------------

TEST(Directory, refuses_what_breaks_a_rule_and_says_which) {
    Office office({.key_bounds = {.limits = {.requests_per_minute = 100},
                                  .max_budget = Money::dollars(50),
                                  .budget_duration = "1d",
                                  .lifetime = "30d"}});
    office.post("/organization/new", {{"organization_id", "o"}});
    office.post("/team/new", {{"team_id", "t"}, {"team_alias", "red"}, {"organization_id", "o"}});
    office.post("/budget/new", {{"budget_id", "b"}});
    office.post("/organization/new", {{"organization_id", "p"}, {"budget_id", "b"}});
    const std::string text = office.new_key({{"key_alias", "ci"}});
    struct Case {
        const char* path;
        Json body;
        const char* message;
    };
    const Case cases[] = {
        {"/key/generate",
         {{"key_alias", "ci"}},
         "key_alias: another key is 'ci'; choose a name of its own"},
        {"/key/generate", {{"team_id", "none"}}, "team_id: there is no team 'none'"},
        {"/key/generate", {{"budget_id", "none"}}, "budget_id: there is no budget 'none'"},
        {"/key/generate",
         {{"team_id", "t"}, {"organization_id", "p"}},
         "organization_id: the key's team is of organisation 'o', not 'p'"},
        {"/key/generate",
         {{"rpm_limit", 101}},
         "rpm_limit: 101 is above what keys may have here; at most 100"},
        {"/key/generate",
         {{"max_budget", 50.5}},
         "max_budget: 50.5 is above what keys may have here; at most 50"},
        {"/key/generate",
         {{"max_budget", 5}, {"budget_duration", "1h"}},
         "budget_duration: '1h' is shorter than keys may have here; at least 1d"},
        {"/key/generate",
         {{"duration", "31d"}},
         "duration: 2026-03-05T02:40:00Z is above what keys may have here; at most "
         "2026-03-04T02:40:00Z"},
        {"/key/generate",
         {{"duration", "soon"}},
         "duration: 'soon' is not a duration; write a whole number and s, m, h, d, w or mo, like "
         "30d"},
        {"/key/generate",
         {{"budget_duration", "5 days"}},
         "budget_duration: '5 days' is not a duration; write a whole number and s, m, h, d, w or "
         "mo, like 30d"},
        {"/key/generate",
         {{"key", "sk-short"}},
         "key: a key of one's own begins with 'sk-' and goes on with 16 to 253 letters, digits, "
         "'-', '_' or '.'; leave it out to have one made"},
        {"/key/generate", {{"key", kMasterKey}}, "key: this key is in use already; choose another"},
        {"/key/generate", {{"key", text}}, "key: this key was in use before; choose another"},
        {"/key/generate",
         {{"temp_budget_increase", 5}},
         "temp_budget_expiry: is missing; an increase and its expiry come together"},
        {"/team/new", {{"team_id", "t"}}, "team_id: there is a team 't' already"},
        {"/team/new",
         {{"team_alias", "red"}},
         "team_alias: another team is 'red'; choose a name of its own"},
        {"/organization/delete",
         {{"organization_ids", {"o"}}},
         "organization_id: organisation 'o' is in use by team 't'; change or delete that first"},
        {"/budget/delete",
         {{"id", "b"}},
         "budget_id: budget 'b' is in use by organisation 'p'; change or delete that first"},
        {"/user/new",
         {{"user_role", "king"}},
         "user_role: must be \"proxy_admin\", \"proxy_admin_viewer\", \"internal_user\" or "
         "\"internal_user_viewer\"; got \"king\""},
        {"/key/generate",
         {{"priority", "high"}},
         "priority: must be \"guaranteed\", \"standard\" or \"batch\"; got \"high\""},
        {"/key/generate",
         {{"model_max_budget", {{"m", {{"time_period", "1d"}}}}}},
         "model_max_budget.m.budget_limit: is missing; it is a number of dollars"},
    };
    const size_t written = office.store.written.size();
    for (const Case& c : cases)
        EXPECT_EQ(office.refused(400, c.path, c.body), c.message);
    EXPECT_EQ(office.store.written.size(), written);
}

TEST(Directory, gives_a_key_the_bounds_it_leaves_open) {
    Office office({.key_bounds = {.limits = {.concurrent = 4},
                                  .max_budget = Money::dollars(50),
                                  .budget_duration = "1d",
                                  .lifetime = "30d"},
                   .key_defaults = {{"rpm_limit", 9}, {"tags", {"default"}}}});
    const Json made = office.post("/key/generate", {{"rpm_limit", 3}});
    EXPECT_EQ(made["rpm_limit"], 3) << "a default gives way";
    EXPECT_EQ(made["tags"], Json::array({"default"}));
    EXPECT_EQ(made["max_parallel_requests"], 4);
    EXPECT_EQ(made["max_budget"], 50);
    EXPECT_EQ(made["budget_duration"], "1d");
    EXPECT_EQ(made["expires"], "2026-03-04T02:40:00Z");
}

TEST(Directory, changes_nothing_when_the_store_cannot_be_written) {
    Office office;
    office.post("/team/new", {{"team_id", "t"}});
    const std::string text = office.new_key({{"team_id", "t"}, {"rpm_limit", 5}});
    const Key before = *office.directory.find_key(text);
    office.store.is_full = true;
    EXPECT_EQ(office.refused(503, "/key/update", {{"key", text}, {"rpm_limit", 9}}),
              "the disk is full");
    office.refused(503, "/team/delete", {{"team_ids", {"t"}}});
    office.refused(503, "/key/regenerate", {{"key", text}});
    office.refused(503, "/key/generate", {{"user_id", "new"}});
    EXPECT_EQ(*office.directory.find_key(text), before);
    EXPECT_EQ(office.directory.find<User>("new"), nullptr);
    EXPECT_EQ(office.denial(text), "");
    office.store.is_full = false;
    office.post("/team/delete", {{"team_ids", {"t"}}});
    EXPECT_EQ(office.denial(text), "token_not_found_in_db") << "a team's keys go with it";
}

TEST(Directory, tells_the_audit_log_what_was_before_and_after) {
    Office office;
    office.post("/team/new", {{"team_id", "t"}, {"max_budget", 10}});
    office.now = office.now + Duration::seconds(5);
    const ManagementReply reply =
        office.call("POST", "/team/update", {{"team_id", "t"}, {"max_budget", 20}});
    ASSERT_EQ(reply.changes.size(), 1u);
    const Change& change = reply.changes[0];
    EXPECT_EQ(change.actor, "master key");
    EXPECT_EQ(change.action, "updated");
    EXPECT_EQ(change.kind, RecordKind::team);
    EXPECT_EQ(change.id, "t");
    EXPECT_EQ(change.at, office.now);
    EXPECT_EQ(change.before["allowance"]["max_budget"], Money::dollars(10).nano);
    EXPECT_EQ(change.after["allowance"]["max_budget"], Money::dollars(20).nano);
    EXPECT_EQ(change.after["created"], change.before["created"]);

    const std::string text = office.new_key({});
    EXPECT_FALSE(dump_json(office.store.written.back().after).contains(text));
}

}  // namespace
}  // namespace brigada
