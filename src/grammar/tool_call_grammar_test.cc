// Answers drawn from what the grammar of a format allows are read back by the format's own parser:
// every call whole, every strict one's arguments valid by a validator that knows no grammars.
#include "grammar/tool_call_grammar.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/rng.h"
#include "grammar/drawn_answers.h"
#include "grammar/grammar_spec.h"
#include "grammar/naive_validator.h"
#include "grammar/toy_vocabulary.h"
#include "toolcall/parsing_for_tests.h"

namespace brigada {
namespace {

struct Asked {
    std::string format = "hermes";
    bool forced = false, many = true;
    std::string reasoning = "none", begins = "start";
};

Result<std::shared_ptr<const Grammar>> compiled(const Asked& asked, const Json& tools) {
    const Json answer = {{"format", asked.format}, {"forced", asked.forced},
                         {"many", asked.many},     {"reasoning", asked.reasoning},
                         {"begins", asked.begins}, {"tools", tools}};
    return compile_grammar(
        {.kind = GrammarSpec::Kind::tool_calls, .text = dump_json(answer), .field = "test"});
}

/// Two strict tools and one that is not.
Json some_strict_tools() {
    return {
        called_tool("f", Json::parse(R"({"type": "object", "properties": {"a": {"type": "integer"},
                "s": {"type": "string"}}, "required": ["a"], "additionalProperties": false})")),
        called_tool("g", Json::parse(R"({"type": "object", "properties": {}})")),
        called_tool("free", nullptr, false)};
}

std::shared_ptr<const Grammar> grammar_of(const Asked& asked) {
    const auto grammar = compiled(asked, some_strict_tools());
    CHECK(grammar.ok(), grammar.error().message);
    return *grammar;
}

void expect(const Asked& asked, const std::vector<std::string>& good,
            const std::vector<std::string>& bad) {
    const auto grammar = grammar_of(asked);
    for (const std::string& text : good)
        EXPECT_TRUE(accepts(grammar, text)) << asked.format << ": " << text;
    for (const std::string& text : bad)
        EXPECT_FALSE(accepts(grammar, text)) << asked.format << ": " << text;
}

TEST(ToolCallGrammar, text_is_free_until_a_call_begins) {
    const std::string call =
        "<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": 1}}\n</tool_call>";
    expect({},
           {"Text.", "a <tool> and <tool_cal l>", "é\xff<", call, "I look.\n" + call + "\nSo.",
            call + call, "<tool_call>{\"name\":\"free\",\"arguments\":{\"x\":[1]}}</tool_call>",
            "ends in <tool_ca"},
           {"<tool_call>", call + "<tool_call>", "<tool_call>text</tool_call>",
            "<tool_call>{\"name\": \"nobody\", \"arguments\": {}}</tool_call>",
            "<tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call>",
            "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": \"1\"}}</tool_call>"});
}

TEST(ToolCallGrammar, what_stands_in_reasoning_calls_nobody) {
    Asked asked{.reasoning = "think"};
    expect(asked, {"<think>a <tool_call> b</think>c", "\n <think><tool_call>", "a <think>"},
           {"<think>a</think><tool_call>", "a <think><tool_call></think>"});
    asked.begins = "reasoning";
    expect(asked, {"<tool_call></think>c", "still <tool_call>"}, {"a</think>b<tool_call>c"});
    asked.begins = "text";
    expect(asked, {"goes on"}, {"<think><tool_call></think>"});
}

TEST(ToolCallGrammar, calls_that_nothing_marks_are_told_from_text_by_how_they_begin) {
    const std::string call = R"({"name": "f", "parameters": {"a": 1}})";
    expect({.format = "llama3_json"},
           {"Text {\"name\": 1}", call, " \n" + call + "; " + call, "{\"price\": 5, \"name\": 3}",
            "{}", "{", "{ \"n\": 1}", "<|python_tag|>" + call, call + " and text",
            "Text <|python_tag|>" + call},
           {"{\"name\": \"x\"", "{\"name\": \"f\", \"parameters\": {}}", "{\"arguments\": {}",
            "{\"n\\u0061me\": \"f\"}", call + " , {}", "<|python_tag|>" + call + ";x",
            "<|python_tag|>x", "{\"price\": 1} <|python_tag|>x"});
    expect({.format = "json"},
           {"[1, 2]", "[{\"a\": 1}]", "text [", "[", "{\"a\": 1}",
            R"([{"name": "f", "arguments": {"a": 1}}, {"name": "g", "arguments": {}}])"},
           {"[{\"name\": 1}]", "[ { \"arguments\": {}}]"});
    expect({.format = "pythonic"},
           {"[f(a=1)]", "[f(a=1, s=\"x\"), g()]", "[fancy]", "[1]", "[f]", "[f a", "a [f(",
            "[free(x=[True, None, {\"k\": 1.5}])]"},
           {"[f(", "[ f (a=1)]", "[f(s=\"x\")]", "[f(a=true)]", "[g(x=1)]"});
    expect({.format = "json", .reasoning = "think"},
           {"<think>a</think>{\"a\": 1}", "<think>{\"name\": 1}"},
           {"<think>a</think> {\"name\": 1}"});
}

TEST(ToolCallGrammar, harmony_addresses_calls_in_headers) {
    const std::string to = "<|channel|>commentary to=functions.f <|constrain|>json<|message|>";
    expect({.format = "harmony"},
           {"<|channel|>analysis<|message|>to=functions.x<|end|><|start|>assistant" + to +
                "{\"a\": 1}<|call|>",
            to + "{\"a\": 1}", "<|channel|>final<|message|>Hello", "plain",
            "<|start|>assistant to=functions.g<|channel|>commentary json<|message|>{}<|call|>"},
           {to, to + "{}", to + "{\"a\": 1} ", "<|channel|>commentary to=functions.x",
            "<|channel|>analysis<|message|>a<|end|><|start|>assistant to=functions.f{"});
}

TEST(ToolCallGrammar, strings_between_tags_are_texts_that_are_taken_for_nothing_else) {
    const Json parameters = Json::parse(R"({"type": "object", "required": ["v"], "properties":
        {"v": {"anyOf": [{"type": "string"}, {"type": "integer", "minimum": 10}]},
         "n": {"type": ["string", "null"]}, "e": {"enum": ["a b", 5, "7"]},
         "list": {"type": "array", "items": {"type": "string"}}}})");
    const auto grammar =
        compiled({.format = "minimax_m2"}, Json::array({called_tool("f", parameters)}));
    ASSERT_TRUE(grammar.ok()) << grammar.error().message;
    const auto call = [](const std::string& v, const std::string& more = "") {
        return concat("<minimax:tool_call>\n<invoke name=\"f\">\n<parameter name=\"v\">", v,
                      "</parameter>\n", more, "</invoke>\n</minimax:tool_call>");
    };
    const auto also = [&](const std::string& name, const std::string& value) {
        return call("x", concat("<parameter name=\"", name, "\">", value, "</parameter>\n"));
    };
    for (const std::string& good :
         {call("a <b> \"c\"\n"), call(""), call("11"), call("5 apples"), call("12 "),
          also("n", "null"), also("n", "The"), also("n", "5"), also("e", "a b"), also("e", "5"),
          also("list", R"(["a <b", "<\/parameter>"])")})
        EXPECT_EQ(accepts(*grammar, good), good != call("12 ")) << good;
    for (const std::string& bad :
         {call("5"), call("1.5"), call(" 7 "), call("a</parameter>"), also("e", "7"),
          also("e", "c"), also("list", R"(["</parameter>"])")})
        EXPECT_FALSE(accepts(*grammar, bad)) << bad;
}

TEST(ToolCallGrammar, what_a_format_cannot_write_is_refused_with_the_tools_name) {
    const auto says = [](const std::string& format, const Json& one) {
        const auto grammar = compiled({.format = format}, Json::array({one}));
        return grammar.ok() ? "" : grammar.error().message;
    };
    EXPECT_THAT(says("hermes", called_tool("f", {{"not", Json::object()}})),
                testing::StartsWith("test: tools 'f' parameters: /not: cannot be honoured"));
    EXPECT_THAT(
        says("mistral", called_tool("two words", nullptr)),
        testing::StartsWith("test: tools 'two words': the model's way of calling, mistral"));
    EXPECT_EQ(says("hermes", called_tool("two words", nullptr)), "");
    const Json odd = Json::parse(R"({"type": "object", "properties": {"a b": {}}})");
    EXPECT_EQ(says("glm45", called_tool("f", odd)),
              "test: tools 'f' parameters: /properties: \"a b\" can't be written in this way of "
              "calling");
    EXPECT_EQ(says("glm45", called_tool("f", odd, false)), "");
    EXPECT_THAT(says("pythonic", called_tool("f", {{"patternProperties", {{"^a", true}}}})),
                testing::HasSubstr("/patternProperties: can't be honoured"));
}

TEST(ToolCallGrammar, exactly_one_call_where_no_more_are_wanted) {
    const std::string call = "<tool_call>\n{\"name\": \"g\", \"arguments\": {}}\n</tool_call>";
    expect({.forced = true, .many = false}, {call}, {"", "text", call + call, call + " "});
    expect({.forced = true}, {call, call + "\n" + call + call}, {"", "a" + call, call + "a"});
    const std::string two = R"([{"name": "g", "arguments": {}}, {"name": "g", "arguments": {}}])";
    expect({.format = "json", .forced = true}, {two}, {});
    expect({.format = "json", .forced = true, .many = false},
           {R"([{"name": "g", "arguments": {}}])", R"({"name": "g", "arguments": {}})"}, {two});
}

// --- anything that may be drawn -----------------------------------------------------------------

/// Object schemas, some with one property of a schema of any type.
std::vector<Json> random_parameters() {
    std::vector<Json> out;
    for (const Json& schema : known_schemas()) {
        if (schema.is_object() && schema.value("type", Json()) == "object") {
            out.push_back(schema);
        } else if (!dump_json(schema).contains("$ref")) {
            Json wrapped = {{"type", "object"}, {"properties", {{"value", schema}}}};
            if (out.size() % 2 == 0) wrapped["required"] = {"value"};
            out.push_back(std::move(wrapped));
        }
    }
    return out;
}

TEST(ToolCallGrammar, whatever_is_drawn_is_read_back_as_valid_calls) {
    const Tokenizer tokenizer = toy_tokenizer();
    const TokenTrie trie(tokenizer);
    const std::vector<Json> schemas = random_parameters();
    std::map<std::string, size_t> read, refused;
    for (size_t i = 0; i < schemas.size(); ++i) {
        const Json tools = {called_tool("strict_one", schemas[i]),
                            called_tool("other", nullptr, false)};
        for (size_t j = 0; j < tool_formats().size(); ++j) {
            if ((i + j) % tool_formats().size() != 0) continue;  // each schema meets one
            const ToolFormat& format = tool_formats()[j];
            const std::string name(format.name);
            const size_t turn = i / tool_formats().size();
            const Asked asked{.format = name, .forced = turn % 3 == 0, .many = turn % 2 == 0};
            SCOPED_TRACE(concat(name, asked.forced ? " forced " : " free ", dump_json(tools)));
            const auto grammar = compiled(asked, tools);
            if (!grammar.ok()) {
                EXPECT_TRUE(grammar.error().code == Code::unsupported ||
                            grammar.error().message.contains("no text"))
                    << grammar.error().message;
                ++refused[name];
                continue;
            }
            GrammarMasks masks(*grammar, trie);
            const ToolList list(as_openai(tools));
            const NaiveValidator validator(schemas[i]);
            Rng rng(i);
            for (int walk = 0; walk < 4; ++walk) {
                const CallShape& shape = format.shapes[rng.below(format.shapes.size())];
                const bool may_talk = !shape.at_start && !asked.forced;
                std::string wish = may_talk && walk == 0 ? "Well. " : "";
                wish += concat(shape.opening, Walk::bare(shape.first));
                if (walk < 3) wish += "strict_one";
                const auto walked = Walk(tokenizer, masks, shape).run(wish, rng);
                if (!walked) continue;
                const std::string& text = *walked;
                const ParsedAnswer answer =
                    parse_answer(format_named(name), {.one_call_only = !asked.many && asked.forced},
                                 list, {text});
                if (!shape.at_start || asked.forced)  // else it may be text that begins like a call
                    EXPECT_TRUE(answer.reasons.empty()) << text << ": " << answer.reasons.front();
                if (asked.forced) {
                    EXPECT_GE(answer.calls.size(), 1u) << text;
                    EXPECT_EQ(answer.text, "") << text;
                }
                for (const ParsedAnswer::Call& call : answer.calls) {
                    const auto value = parse_json(call.arguments, "arguments");
                    ASSERT_TRUE(value.ok()) << text << ": " << value.error().message;
                    EXPECT_TRUE(value->is_object());
                    if (call.name != "strict_one") continue;
                    EXPECT_TRUE(validator.valid(*value)) << text << " gives " << call.arguments;
                    ++read[name];
                }
            }
        }
    }
    for (const ToolFormat& format : tool_formats())
        EXPECT_GT(read[std::string(format.name)], 20u)
            << format.name << ", refused " << refused[std::string(format.name)];
}

}  // namespace
}  // namespace brigada
