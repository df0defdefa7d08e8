// Answers that are calls or keep to a form, in all twelve ways of calling: what the grammar lets
// through its reader tells apart.
#include "grammar/calls_or_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/rng.h"
#include "grammar/drawn_answers.h"
#include "grammar/grammar_spec.h"
#include "grammar/naive_validator.h"
#include "toolcall/parsing_for_tests.h"

namespace brigada {
namespace {

struct Asked {
    std::string format = "hermes";
    bool many = true;
    std::string reasoning = "none", begins = "start";
};

Json some_called_tools() {
    return {called_tool("f", Json::parse(R"({"type": "object", "properties": {"a":
                {"type": "integer"}}, "required": ["a"], "additionalProperties": false})")),
            called_tool("free", nullptr, false)};
}

std::string calls_of(const Asked& asked, const Json& tools) {
    return dump_json({{"format", asked.format.empty() ? Json() : Json(asked.format)},
                      {"forced", false},
                      {"many", asked.many},
                      {"reasoning", asked.reasoning},
                      {"begins", asked.begins},
                      {"tools", tools}});
}

Result<std::shared_ptr<const Grammar>> compiled(const Asked& asked, const std::string& schema,
                                                const Json& tools = some_called_tools()) {
    return compile_grammar({.kind = GrammarSpec::Kind::json_schema,
                            .text = schema,
                            .field = "form",
                            .calls = calls_of(asked, tools)});
}

constexpr const char* kForm =
    R"({"type": "object", "properties": {"sum": {"type": "integer"}}, "required": ["sum"]})";

void expect(const Asked& asked, const std::vector<std::string>& good,
            const std::vector<std::string>& bad, const Json& tools = some_called_tools()) {
    const auto grammar = compiled(asked, kForm, tools);
    ASSERT_TRUE(grammar.ok()) << asked.format << ": " << grammar.error().message;
    for (const std::string& text : good)
        EXPECT_TRUE(accepts(*grammar, text)) << asked.format << ": " << text;
    for (const std::string& text : bad)
        EXPECT_FALSE(accepts(*grammar, text)) << asked.format << ": " << text;
}

TEST(CallsOrText, the_model_chooses_one_and_keeps_to_it) {
    const std::string call = R"(<tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>)";
    const std::string text = R"({"sum": 3})";
    const std::string free = R"(<tool_call>{"name": "free", "arguments": {"x": []}}</tool_call>)";
    expect({}, {text, call, "\n" + call, call + "\n" + call, free},
           {"", "Text.", text + call, call + text, "Text " + call, " " + text, R"({"sum": "3"})",
            R"(<tool_call>{"name": "f", "arguments": {}}</tool_call>)"});
    expect({.many = false}, {text, call}, {call + call});
}

TEST(CallsOrText, reasoning_comes_first_and_ends) {
    const std::string call = R"(<tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>)";
    const std::string text = R"({"sum": 3})";
    Asked asked{.reasoning = "think"};
    expect(asked, {text, call, "<think>a{</think>" + text, "\n<think>\n\n</think>\n\n" + call},
           {"<think>a", "<think>a</think>", "<think>a</think>b", "a</think>" + text});
    asked.begins = "reasoning";
    expect(asked, {"a</think>" + text, "</think>\n\n" + call}, {text, call, "a"});
    asked.begins = "text";
    expect(asked, {text}, {call, "<think></think>" + text});
}

TEST(CallsOrText, without_tools_there_is_reasoning_and_the_form) {
    const std::string text = R"({"sum": 3})";
    expect({.format = "", .reasoning = "think"}, {text, "<think>a</think>" + text}, {"<think>a"},
           Json::array());
    const std::string analysis = "<|channel|>analysis<|message|>hm<|end|><|start|>assistant";
    expect({.format = "harmony", .reasoning = "harmony"},
           {"<|channel|>final<|message|>" + text,
            analysis + analysis + "<|channel|>final <|constrain|>json<|message|>" + text},
           {text, analysis, "<|channel|>final<|message|>" + text + "<|end|>",
            "<|channel|>analysis<|message|>hm<|return|>",
            "<|channel|>commentary to=functions.f<|message|>{\"a\": 1}"},
           Json::array());
}

TEST(CallsOrText, harmony_has_a_channel_for_each) {
    const std::string text = R"({"sum": 3})";
    const std::string analysis = "<|channel|>analysis<|message|>hm<|end|><|start|>assistant";
    const std::string to = "to=functions.f <|constrain|>json<|message|>{\"a\": 1}";
    expect({.format = "harmony", .reasoning = "harmony"},
           {"<|channel|>final<|message|>" + text, analysis + "<|channel|>commentary " + to,
            "<|channel|>commentary " + to + "<|call|>",
            analysis + " to=functions.free<|channel|>commentary json<|message|>{}<|call|>"},
           {"<|channel|>commentary<|message|>I look.<|end|>", "<|channel|>commentary " + to + text,
            "<|channel|>final<|message|>so"});
}

TEST(CallsOrText, what_cannot_be_told_from_a_call_is_refused_with_an_example) {
    const auto says = [](const std::string& format, GrammarSpec spec) {
        spec.field = "form";
        spec.calls = calls_of({.format = format}, some_called_tools());
        const auto grammar = compile_grammar(spec);
        return grammar.ok() ? "" : grammar.error().message;
    };
    const auto schema = [](const char* text) {
        return GrammarSpec{.kind = GrammarSpec::Kind::json_schema, .text = text};
    };
    const GrammarSpec named = schema(R"({"properties": {"name": {"type": "string"}}})");
    for (const char* format : {"llama3_json", "json"})
        EXPECT_THAT(says(format, named),
                    testing::StartsWith(R"(form: beside tools an answer such as "{\"name\":\"f\"}")"
                                        " can't be told from a call: the model writes calls as " +
                                        std::string(format)));
    EXPECT_EQ(says("hermes", named), "");
    // One key that no call has is enough.
    EXPECT_EQ(says("json", schema(R"({"properties": {"name": {"type": "string"},
        "age": {"type": "integer"}}, "required": ["name", "age"]})")),
              "");
    const GrammarSpec list = schema(R"({"type": "array", "items": {"properties":
        {"type": {"const": "x"}, "name": {"enum": ["f", "g"]}}, "required": ["type", "name"]}})");
    EXPECT_THAT(says("json", list), testing::HasSubstr(R"([{\"type\":\"x\",\"name\":\"f\"})"));
    EXPECT_EQ(says("llama3_json", list), "");
    // An object of anything is no call where its first key is none of theirs.
    EXPECT_EQ(says("json", {.kind = GrammarSpec::Kind::json_object}), "");
    EXPECT_THAT(says("hermes", {.kind = GrammarSpec::Kind::regex, .text = "[a-z<>_]+"}),
                testing::HasSubstr(R"("<tool_call>")"));
    EXPECT_EQ(says("hermes", {.kind = GrammarSpec::Kind::regex, .text = "[a-z]+"}), "");
}

TEST(CallsOrText, errors_name_what_they_are_about) {
    EXPECT_THAT(compiled({}, R"({"not": {}})").error().message,
                testing::StartsWith("form: /not: cannot be honoured"));
    EXPECT_THAT(compiled({}, R"({"type": "integer", "minimum": 5, "maximum": 4})").error().message,
                testing::StartsWith("form: no text can match"));
    const Json tools = Json::array({called_tool("f", {{"not", Json::object()}})});
    EXPECT_THAT(compiled({}, kForm, tools).error().message,
                testing::StartsWith("tools 'f' parameters: /not: cannot be honoured"));
}

TEST(CallsOrText, an_object_of_anything_begins_with_none_of_a_calls_keys_where_those_are_bare) {
    const auto grammar = [](const std::string& format) {
        return *compile_grammar({.kind = GrammarSpec::Kind::json_object,
                                 .calls = calls_of({.format = format}, some_called_tools())});
    };
    for (const char* text : {"{}", R"({"n": 1})", R"({"sum": {"name": "f"}, "name": "f"})"})
        EXPECT_TRUE(accepts(grammar("json"), text)) << text;
    EXPECT_FALSE(accepts(grammar("json"), R"({"name": "f"})"));
    EXPECT_FALSE(accepts(grammar("json"), R"({"n\u0061me": "f"})"));
    EXPECT_TRUE(accepts(grammar("hermes"), R"({"name": "f"})"));
}

// --- whatever is drawn --------------------------------------------------------------------------

std::string beginning_of_call(const ToolFormat& format, Rng& rng) {
    const CallShape& shape = format.shapes[rng.below(format.shapes.size())];
    const std::string before = format.make_reader ? "" : "<|channel|>commentary ";
    return concat(before, shape.opening, Walk::bare(shape.first), "strict_one");
}

TEST(CallsOrText, whatever_is_drawn_is_read_back_as_calls_or_as_the_form) {
    const Tokenizer tokenizer = toy_tokenizer();
    const TokenTrie trie(tokenizer);
    const std::vector<Json> schemas = known_schemas();
    const Json tools = {called_tool("strict_one", Json::parse(R"({"type": "object", "properties":
        {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": false})")),
                        called_tool("other", nullptr, false)};
    const ToolList list(as_openai(tools));
    std::map<std::string, size_t> texts, calls, refused;
    for (size_t i = 0; i < schemas.size(); ++i) {
        const ToolFormat& format = tool_formats()[i % tool_formats().size()];
        const std::string name(format.name);
        const bool thinks = format.make_reader && i % 3 == 0;
        SCOPED_TRACE(concat(name, " ", dump_json(schemas[i])));
        const Asked asked{.format = name, .reasoning = thinks ? "think" : "none"};
        const auto grammar = compiled(asked, dump_json(schemas[i]), tools);
        if (!grammar.ok()) {
            EXPECT_TRUE(grammar.error().message.contains("no text can match") ||
                        grammar.error().message.contains("can't be told from a call"))
                << grammar.error().message;
            ++refused[name];
            continue;
        }
        AnswerFormat read_as = format_named(name);
        if (thinks) read_as.reasoning = find_reasoning_format("think").value();
        GrammarMasks masks(*grammar, trie);
        Rng rng(i);
        for (int walk = 0; walk < 6; ++walk) {
            const bool wants_call = walk % 2 == 0;
            std::string wish = thinks && walk > 2 ? "<think>Hm. <tool_call></think>" : "";
            if (wants_call)
                wish += beginning_of_call(format, rng);
            else if (!format.make_reader)
                wish += "<|channel|>final<|message|>";
            const auto text = Walk(tokenizer, masks, format.shapes.front()).run(wish, rng);
            if (!text) continue;
            const ParsedAnswer answer =
                parse_answer(read_as, {.calls_or_text = true}, list, {*text});
            if (!answer.calls.empty()) {
                EXPECT_EQ(answer.text, "") << *text;
                EXPECT_TRUE(answer.reasons.empty()) << *text;
                for (const ParsedAnswer::Call& call : answer.calls) {
                    const auto value = parse_json(call.arguments, "arguments");
                    ASSERT_TRUE(value.ok()) << *text;
                    EXPECT_TRUE(call.name == "other" || (*value)["n"].is_number_integer()) << *text;
                }
                ++calls[name];
                continue;
            }
            const auto value = parse_json(answer.text, "the text");
            ASSERT_TRUE(value.ok()) << *text << ": " << value.error().message;
            EXPECT_TRUE(NaiveValidator(schemas[i]).valid(*value)) << *text;
            ++texts[name];
        }
    }
    for (const ToolFormat& format : tool_formats()) {
        const std::string name(format.name);
        EXPECT_GT(texts[name], 15u) << name << ", refused " << refused[name];
        EXPECT_GT(calls[name], 40u) << name << ", refused " << refused[name];
    }
}

}  // namespace
}  // namespace brigada
