// Names, bodies, spans and cells of the management commands; the commands themselves are driven
// against a real gateway by tests/manage_test.py.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/manage/body_words.h"
#include "cli/manage/gateway_api.h"
#include "cli/manage/register.h"
#include "cli/manage/span_words.h"

namespace brigada {
namespace {

using ::testing::HasSubstr;

Environment with_key(std::string url = "") {
    return [url](const char* name) -> std::string {
        if (std::string_view(name) == "BRIGADA_URL") return url;
        return std::string_view(name) == "BRIGADA_MASTER_KEY" ? "sk-m" : "";
    };
}

TEST(GatewayApi, finds_address_and_key) {
    EXPECT_EQ(GatewayApi::open("", with_key())->url(), kUsualGateway);
    EXPECT_EQ(GatewayApi::open("", with_key("http://127.0.0.1:5"))->url(), "http://127.0.0.1:5");
    EXPECT_EQ(GatewayApi::open("http://127.0.0.1:6", with_key("http://127.0.0.1:5"))->url(),
              "http://127.0.0.1:6");
    EXPECT_EQ(GatewayApi::open("127.0.0.1", with_key()).error().code, Code::invalid_argument);
    EXPECT_EQ(GatewayApi::open("https://127.0.0.1", with_key()).error().code, Code::unsupported);
    const auto nothing = [](const char*) { return std::string(); };
    EXPECT_EQ(GatewayApi::open("", nothing).error().code, Code::unauthenticated);
}

TEST(GatewayApi, encodes_what_a_query_can_not_hold) {
    EXPECT_EQ(api_target("/a", {}), "/a");
    EXPECT_EQ(api_target("/a", {{"x", "1&2 ü/"}, {"y", ""}, {"z", "-._~"}}),
              "/a?x=1%262%20%C3%BC%2F&z=-._~");
}

Register teams() {
    return {noun_of("teams"),
            {{{"team_id", "0123456789abcdef"}, {"team_alias", "compilers"}},
             {{"team_id", "0123456789ab0000"}, {"team_alias", nullptr}},
             {{"team_id", "red"}, {"team_alias", "blue"}},
             {{"team_id", "blue"}, {"team_alias", "x"}},
             {{"team_id", "1"}, {"team_alias", "twice"}},
             {{"team_id", "2"}, {"team_alias", "twice"}}}};
}

TEST(Register, finds_by_id_then_alias_then_the_beginning_of_a_long_id) {
    const Register all = teams();
    const auto id = [&](std::string_view word) { return all.id_of(all.find(word).value()); };
    EXPECT_EQ(id("compilers"), "0123456789abcdef");
    EXPECT_EQ(id("0123456789abcd"), "0123456789abcdef");
    EXPECT_EQ(id("blue"), "blue") << "an id goes before an alias";
    EXPECT_EQ(id("x"), "blue");
    EXPECT_EQ(all.alias_of("0123456789abcdef"), "compilers");
    EXPECT_EQ(all.alias_of("0123456789ab0000"), "0123456789ab0000");
    EXPECT_EQ(all.alias_of("gone"), "gone");
}

TEST(Register, says_what_is_near_and_what_is_meant_twice) {
    const Register all = teams();
    EXPECT_EQ(all.find("compliers").error().message,
              "no team 'compliers'; did you mean compilers?");
    EXPECT_EQ(all.find("moon").error().message, "no team 'moon'; brigada teams list shows them");
    EXPECT_THAT(all.find("twice").error().message, HasSubstr("'twice' means 2 teams"));
    EXPECT_THAT(all.find("01234567").error().message, HasSubstr("means 2 teams"));
    EXPECT_EQ(all.find("0123456").error().code, Code::not_found) << "too short to be meant";
}

/// Names are looked up at nobody: no test here uses one.
struct Body {
    GatewayApi api = GatewayApi::open("", with_key()).value();
    NameBook names{api};

    Result<Json> of(BodyWords words) { return body_of(words, names); }
};

constexpr OptionDoc kRpm = {"--rpm", "rpm_limit", OptionKind::number, "N", ""};
constexpr OptionDoc kModels = {"--models", "models", OptionKind::list, "NAMES", ""};
constexpr OptionDoc kClass = {"--priority", "priority", OptionKind::text, "CLASS", ""};
constexpr OptionDoc kTeam = {"--team", "team_id", OptionKind::team, "TEAM", ""};

TEST(BodyWords, become_the_fields_that_were_said) {
    Body body;
    EXPECT_EQ(body.of({}).value(), Json::object());
    EXPECT_EQ(body.of({.given = {{&kRpm, "60"}, {&kModels, "a,b*,"}, {&kClass, ""}}}).value(),
              Json({{"rpm_limit", 60}, {"models", {"a", "b*"}}}));
    EXPECT_EQ(body.of({.given = {{&kRpm, "none"}, {&kTeam, "none"}}}).value(),
              Json({{"rpm_limit", nullptr}, {"team_id", nullptr}}));
    EXPECT_EQ(body.of({.given = {{&kRpm, "many"}}}).error().message,
              "--rpm wants a number or none, not 'many'");
}

TEST(BodyWords, set_takes_json_or_else_a_text) {
    Body body;
    EXPECT_EQ(body.of({.set = {"a=1", "b={\"c\": [2]}", "d=e=f", "g="}}).value(),
              Json({{"a", 1}, {"b", {{"c", {2}}}}, {"d", "e=f"}, {"g", ""}}));
    for (const char* wrong : {"a", "=1"})
        EXPECT_THAT(body.of({.set = {wrong}}).error().message,
                    HasSubstr("--set wants FIELD=VALUE"));
}

TEST(SpanWords, are_a_time_ago_or_a_day) {
    const WallTime now = WallTime::seconds(1'770'000'000);  // 2026-02-02T02:40:00Z
    const auto start = [now](const char* since) {
        return span_query({.since = since}, now).value()["start_date"];
    };
    EXPECT_EQ(span_query({}, now).value(), ApiQuery());
    EXPECT_EQ(start("24h"), "2026-02-01T02:40:00Z");
    EXPECT_EQ(start("7d"), "2026-01-26T02:40:00Z");
    EXPECT_EQ(start("2026-01-01"), "2026-01-01");
    EXPECT_EQ(span_query({.until = "2026-01-31"}, now).value()["end_date"], "2026-01-31");
    EXPECT_FALSE(span_query({.since = "soon"}, now).ok());
    EXPECT_FALSE(span_query({.until = "7d"}, now).ok());
}

TEST(Cell, says_what_a_field_holds) {
    const Json record = {{"a", 1'234'567},
                         {"b", 12.5},
                         {"c", {1, 2}},
                         {"d", true},
                         {"e", nullptr},
                         {"f", "2026-03-01T12:30:05Z"},
                         {"g", "0123456789abcdef"}};
    const auto text = [&](const char* field, CellKind kind) {
        return cell(record, {"T", field, kind});
    };
    EXPECT_EQ(text("a", CellKind::number), "1,234,567");
    EXPECT_EQ(text("b", CellKind::dollars), "12.50");
    EXPECT_EQ(text("c", CellKind::count), "2");
    EXPECT_EQ(text("d", CellKind::flag), "blocked");
    EXPECT_EQ(text("e", CellKind::text), "-");
    EXPECT_EQ(text("f", CellKind::time), "2026-03-01 12:30");
    EXPECT_EQ(text("g", CellKind::token), "0123456789ab");
    EXPECT_EQ(text("absent", CellKind::dollars), "-");
}

}  // namespace
}  // namespace brigada
