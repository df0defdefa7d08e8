#include "toolcall/tool_list.h"

#include <gtest/gtest.h>

namespace brigada {
namespace {

ToolList with_parameter(const char* schema, const char* defs = "{}") {
    return ToolList(Json::parse(std::string(R"([{"type": "function", "function": {"name": "f",
        "parameters": {"$defs": )") +
                                defs + R"(, "properties": {"p": )" + schema + "}}}}]"));
}

TEST(ToolList, a_value_gets_the_type_its_schema_asks_for) {
    struct {
        const char *schema, *text, *json;
    } const cases[] = {
        {R"({"type": "string"})", "5", R"("5")"},
        {R"({"type": "string"})", "a\n\"b\"", R"("a\n\"b\"")"},
        {R"({"type": "integer"})", "5", "5"},
        {R"({"type": "integer"})", " 5 ", "5"},
        {R"({"type": "integer"})", "five", R"("five")"},
        {R"({"type": "number"})", "1e3", "1e3"},
        {R"({"type": "boolean"})", "True", "true"},
        {R"({"type": "boolean"})", "yes", R"("yes")"},
        {R"({"type": "array"})", "[1, \"a\"]", "[1, \"a\"]"},
        {R"({"type": "array"})", "1, 2", R"("1, 2")"},
        {R"({"type": "object"})", "{\"a\": {}}", "{\"a\": {}}"},
        {R"({"type": ["string", "null"]})", "None", "null"},
        {R"({"type": ["string", "null"]})", "nothing", R"("nothing")"},
        {R"({"anyOf": [{"type": "integer"}, {"type": "string"}]})", "7", "7"},
        {R"({"anyOf": [{"type": "integer"}, {"type": "string"}]})", "7a", R"("7a")"},
        {R"({"allOf": [{"type": ["string", "integer"]}, {"type": "string"}]})", "7", R"("7")"},
        {R"({"enum": ["1", "2"]})", "1", R"("1")"},
        {R"({"enum": [1, 2]})", "1", "1"},
        {R"({"const": "1"})", "1", R"("1")"},
        {R"({})", "1", "1"},
        {R"({})", "word", R"("word")"},
        {R"({"type": "martian"})", "1", "1"},
        {R"({"type": "integer"})", "", R"("")"},
    };
    for (const auto& one : cases)
        EXPECT_EQ(with_parameter(one.schema).value_as_json("f", "p", one.text), one.json)
            << one.schema << " " << one.text;
}

TEST(ToolList, references_are_followed_and_never_in_circles) {
    const char* defs = R"({"id": {"type": "string"}, "loop": {"anyOf": [{"$ref": "#/$defs/loop"},
                           {"$ref": "#/$defs/loop"}, {"$ref": "#/$defs/loop"}]}})";
    EXPECT_EQ(with_parameter(R"({"$ref": "#/$defs/id"})", defs).value_as_json("f", "p", "5"),
              R"("5")");
    EXPECT_EQ(with_parameter(R"({"$ref": "#/$defs/loop"})", defs).value_as_json("f", "p", "5"),
              "5");
    EXPECT_EQ(with_parameter(R"({"$ref": "#/nowhere"})", defs).value_as_json("f", "p", "5"), "5");
}

TEST(ToolList, unknown_tools_and_parameters_take_anything) {
    const ToolList tools = with_parameter(R"({"type": "string"})");
    EXPECT_EQ(tools.value_as_json("f", "q", "5"), "5");
    EXPECT_EQ(tools.value_as_json("g", "p", "[1"), R"("[1")");
    EXPECT_TRUE(tools.has("f"));
    EXPECT_FALSE(tools.has("g"));
    EXPECT_TRUE(ToolList(Json()).empty());
}

}  // namespace
}  // namespace brigada
