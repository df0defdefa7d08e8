#include <gtest/gtest.h>

#include <set>

#include "base/rng.h"
#include "gateway/directory/allowance.h"
#include "gateway/directory/body_reader.h"
#include "gateway/directory/key_secret.h"
#include "gateway/directory/model_list.h"
#include "gateway/directory/scope_book.h"
#include "gateway/directory/time_text.h"

namespace brigada {
namespace {

// --- keys ------------------------------------------------------------------------------------

TEST(KeySecret, hashes_as_hmac_sha256_does) {
    // RFC 4231, test case 2: key "Jefe", data "what do ya want for nothing?".
    const KeyHasher hasher("Jefe");
    const auto text = "what do ya want for nothing?";
    const auto expected = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
    EXPECT_EQ(hasher.hash(text).hex(), expected);
    EXPECT_EQ(hasher.hash("another"), hasher.hash("another"));
    EXPECT_EQ(hasher.hash(text).hex(), expected) << "the second time, too";
    EXPECT_EQ(KeyHash::from_hex(expected), hasher.hash(text));
}

TEST(KeySecret, depends_on_the_pepper) {
    EXPECT_NE(KeyHasher("a").hash("sk-x"), KeyHasher("b").hash("sk-x"));
    EXPECT_NE(KeyHasher("a").pepper_mark(), KeyHasher("b").pepper_mark());
}

TEST(KeySecret, makes_keys_nobody_guesses) {
    const RandomBytes random = os_random();
    std::set<std::string> seen;
    for (int i = 0; i < 1'000; ++i) {
        const std::string key = make_key_text(random);
        EXPECT_EQ(key.size(), 3u + 43u);  // ceil(256 bits / 6)
        EXPECT_TRUE(looks_like_key(key)) << key;
        EXPECT_TRUE(check_chosen_key(key).ok());
        EXPECT_TRUE(seen.insert(key).second);
    }
    EXPECT_EQ(make_id(random).size(), 32u);
}

TEST(KeySecret, shows_only_the_end_of_a_long_key) {
    EXPECT_EQ(key_display("sk-0123456789abcdefWXYZ"), "sk-...WXYZ");
    EXPECT_EQ(key_display("sk-1234"), "sk-...");
}

TEST(KeySecret, knows_what_cannot_be_a_key) {
    for (const auto* good : {"sk-1", "sk-abc_DEF-09.z"})
        EXPECT_TRUE(looks_like_key(good)) << good;
    for (const auto* bad : {"", "sk-", "sk", "pk-abc", "sk-a b", "sk-a\n", "SK-abc", "sk-\xc3\xa9"})
        EXPECT_FALSE(looks_like_key(bad)) << bad;
    EXPECT_TRUE(looks_like_key("sk-" + std::string(253, 'a')));
    EXPECT_FALSE(looks_like_key("sk-" + std::string(254, 'a')));
    EXPECT_FALSE(check_chosen_key("sk-123456789012345").ok());
    EXPECT_TRUE(check_chosen_key("sk-1234567890123456").ok());
}

// --- times -----------------------------------------------------------------------------------

TEST(TimeText, writes_what_it_reads) {
    Rng rng(3);
    for (int i = 0; i < 2'000; ++i) {
        const WallTime time = WallTime::seconds(rng.between(0, 4'000'000'000));
        EXPECT_EQ(*parse_iso(iso_text(time)), time) << iso_text(time);
    }
    EXPECT_EQ(iso_text(WallTime::seconds(1'770'000'000)), "2026-02-02T02:40:00Z");
    EXPECT_EQ(iso_text(WallTime{-1}), "1969-12-31T23:59:59Z");
}

TEST(TimeText, reads_the_usual_spellings) {
    const WallTime noon = *parse_iso("2026-03-01T12:00:00Z");
    for (const auto* same : {"2026-03-01T12:00:00.123Z", "2026-03-01 12:00", "2026-03-01T12:00:00",
                             "2026-03-01T13:30:00+01:30", "2026-03-01T07:00:00-0500"})
        EXPECT_EQ(*parse_iso(same), noon) << same;
    for (const auto* bad : {"", "2026", "2026-13-01", "2026-02-30", "2026-03-01T", "1969-01-01",
                            "2026-03-01T25:00:00Z", "2026-03-01T12:00:00Zx", "2026-03-01T12:00+"})
        EXPECT_FALSE(parse_iso(bad).ok()) << bad;
}

TEST(TimeText, adds_durations) {
    const WallTime start = *parse_iso("2026-01-31T10:00:00Z");
    const std::pair<const char*, const char*> cases[] = {
        {"30s", "2026-01-31T10:00:30Z"}, {"20m", "2026-01-31T10:20:00Z"},
        {"12h", "2026-01-31T22:00:00Z"}, {"30d", "2026-03-02T10:00:00Z"},
        {"2w", "2026-02-14T10:00:00Z"},  {"1mo", "2026-02-28T10:00:00Z"},
        {"12mo", "2027-01-31T10:00:00Z"}};
    for (const auto& [duration, end] : cases)
        EXPECT_EQ(iso_text(*after(start, duration)), end) << duration;
    for (const auto* bad : {"", "d", "0d", "-1d", "+1d", "1", "1y", "1.5h", "1 d", "99999999999d",
                            "9223372036854775807s", "10000mo"})
        EXPECT_FALSE(after(start, bad).ok()) << bad;
}

// --- models ----------------------------------------------------------------------------------

/// What a pattern means, said by recursion.
bool naive_match(std::string_view pattern, std::string_view name) {
    if (pattern.empty()) return name.empty();
    if (pattern[0] != '*')
        return !name.empty() && pattern[0] == name[0] &&
               naive_match(pattern.substr(1), name.substr(1));
    for (size_t n = 0; n <= name.size(); ++n)
        if (naive_match(pattern.substr(1), name.substr(n))) return true;
    return false;
}

TEST(ModelList, matches_as_the_recursive_definition_says) {
    Rng rng(5);
    const auto random_text = [&](std::string_view letters) {
        std::string text;
        for (uint64_t n = rng.below(8); n > 0; --n)
            text += letters[rng.below(letters.size())];
        return text;
    };
    for (int i = 0; i < 20'000; ++i) {
        const std::string pattern = random_text("ab*"), name = random_text("ab");
        ASSERT_EQ(matches_model(pattern, name), naive_match(pattern, name))
            << pattern << " " << name;
    }
}

TEST(ModelList, knows_the_special_names) {
    EXPECT_TRUE(allows_model({}, "m"));
    EXPECT_TRUE(allows_model({"openai/*"}, "openai/gpt-4o"));
    EXPECT_FALSE(allows_model({"openai/*"}, "anthropic/claude"));
    EXPECT_TRUE(allows_model({"all-team-models"}, "m"));
    EXPECT_TRUE(allows_model({"all-proxy-models"}, "m"));
    EXPECT_FALSE(allows_model({"no-default-models"}, "m"));
    EXPECT_TRUE(allows_model({"no-default-models", "m"}, "m"));
}

// --- allowances ------------------------------------------------------------------------------

TEST(Allowance, fills_what_is_open_and_keeps_a_budget_together) {
    const Allowance base{.limits = {.requests_per_minute = 10, .tokens_per_minute = 1'000},
                         .max_budget = Money::dollars(5),
                         .budget_duration = "1d",
                         .model_budgets = {{"m", {.max = Money::dollars(1)}}}};
    const Allowance own{.limits = {.requests_per_minute = 3}, .max_budget = Money::dollars(9)};
    const Allowance both = filled_from(own, base);
    EXPECT_EQ(both.limits, (RateLimits{.requests_per_minute = 3, .tokens_per_minute = 1'000}));
    ASSERT_EQ(budget_rules(both).size(), 1u);
    EXPECT_EQ(budget_rules(both)[0], (BudgetRule{.max = Money::dollars(9)}))
        << "the base's duration belongs to the base's budget";
    EXPECT_EQ(model_budget_rules(both, "m")[0].max, Money::dollars(1));
    EXPECT_EQ(limited_models(both), std::vector<std::string>{"m"});
    EXPECT_EQ(filled_from({}, base), base);
}

TEST(Allowance, says_budgets_as_rules) {
    Allowance allowance{.max_budget = Money::dollars(200), .soft_budget = Money::dollars(150)};
    EXPECT_EQ(budget_rules(allowance)[0].soft_per_mille, 750);
    allowance.showback = true;
    EXPECT_FALSE(budget_rules(allowance)[0].hard);
    const Allowance soft_only{.soft_budget = Money::dollars(7)};
    EXPECT_EQ(budget_rules(soft_only)[0], (BudgetRule{.max = Money::dollars(7), .hard = false}));
    EXPECT_TRUE(limits_all_models(soft_only));
    EXPECT_FALSE(limits_all_models({}));
}

// --- scopes ----------------------------------------------------------------------------------

TEST(ScopeBook, gives_each_scope_one_id_and_never_again_once_forgotten) {
    ScopeBook book;
    const ScopeInfo alice{.kind = ScopeKind::member, .owner = "t", .id = "alice"};
    ScopeInfo alice_m = alice;
    alice_m.model = "m";
    const ScopeInfo bob{.kind = ScopeKind::member, .owner = "t", .id = "bob"};
    const ScopeId first = book.of(alice);
    EXPECT_EQ(book.of(alice), first);
    const ScopeId second = book.of(alice_m), third = book.of(bob);
    EXPECT_EQ(book.of_holder(ScopeKind::member, "t", "alice"), (std::vector{first, second}));
    EXPECT_EQ(book.of_owner(ScopeKind::member, "t"), (std::vector{first, second, third}));
    EXPECT_EQ(book.under_any_owner(ScopeKind::member, "bob"), std::vector{third});
    book.check();
    book.forget({first, second});
    EXPECT_EQ(book.find(first), nullptr);
    EXPECT_NE(book.of(alice), first);
    EXPECT_EQ(book.size(), 2u);
    book.check();
}

// --- bodies ----------------------------------------------------------------------------------

TEST(BodyReader, says_of_a_wrong_field_what_would_work) {
    const Json body = {
        {"max_budget", "ten"}, {"rpm_limit", -1},   {"models", "m"},
        {"blocked", 1},        {"metadata", 7},     {"aliases", {{"a", 1}}},
        {"alias", 5},          {"expiry", "later"}, {"key", Json::array({"sk-abc"})}};
    const auto message = [&](auto read) {
        BodyReader reader(body);
        read(reader);
        return reader.finish().error().message;
    };
    std::optional<Money> money;
    std::optional<int64_t> whole;
    std::vector<std::string> texts;
    std::map<std::string, std::string> map;
    std::optional<WallTime> time;
    std::string text;
    bool flag = false;
    Json object;
    EXPECT_EQ(message([&](BodyReader& r) { r.money("max_budget", money); }),
              "max_budget: must be a number of dollars, 0 to 9 billion; got \"ten\"");
    EXPECT_EQ(message([&](BodyReader& r) { r.whole("rpm_limit", whole); }),
              "rpm_limit: must be a whole number, at least 0; got -1");
    EXPECT_EQ(message([&](BodyReader& r) { r.texts("models", texts); }),
              "models: must be a list of strings; got \"m\"");
    EXPECT_EQ(message([&](BodyReader& r) { r.flag("blocked", flag); }),
              "blocked: must be true or false; got 1");
    EXPECT_EQ(message([&](BodyReader& r) { r.object("metadata", object); }),
              "metadata: must be an object; got 7");
    EXPECT_EQ(message([&](BodyReader& r) { r.text_map("aliases", map); }),
              "aliases: must be an object of strings; got {\"a\":1}");
    EXPECT_EQ(message([&](BodyReader& r) { r.text("alias", text); }),
              "alias: must be a string; got 5");
    EXPECT_EQ(message([&](BodyReader& r) { r.time("expiry", time); }),
              "expiry: must be a time like \"2026-03-01T12:30:00Z\"; got \"later\"");
    EXPECT_EQ(message([&](BodyReader& r) { r.text("key", text); }),
              "key: must be a string; got a value with a key in it, not shown here");
}

TEST(BodyReader, leaves_alone_what_is_absent_clears_what_is_null_and_warns_of_the_rest) {
    const Json body = {{"cleared", nullptr}, {"guardrails", {"pii"}}};
    BodyReader reader(body);
    std::optional<int64_t> absent = 1, cleared = 2;
    reader.whole("absent", absent);
    reader.whole("cleared", cleared);
    EXPECT_EQ(absent, 1);
    EXPECT_EQ(cleared, std::nullopt);
    EXPECT_TRUE(reader.finish().ok());
    EXPECT_EQ(reader.warnings(), std::vector<std::string>{"guardrails: has no effect here"});
}

TEST(BodyReader, reads_money_to_the_nano_dollar) {
    for (const auto& [json, nano] : {std::pair(Json(0.1), 100'000'000L),
                                     {Json(3e-9), 3L},
                                     {Json(10), 10'000'000'000L},
                                     {Json(0), 0L}}) {
        EXPECT_EQ(money_from(json)->nano, nano) << json;
        EXPECT_EQ(dollars(Money{nano}).get<double>(), json.get<double>());
    }
    for (const Json& bad : {Json(-1), Json(1e10), Json("1"), Json(true), Json()})
        EXPECT_FALSE(money_from(bad)) << bad;
}

}  // namespace
}  // namespace brigada
