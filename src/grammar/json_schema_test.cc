#include "grammar/json_schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/file.h"
#include "base/rng.h"
#include "grammar/grammar_spec.h"
#include "grammar/naive_validator.h"
#include "grammar/toy_vocabulary.h"

namespace brigada {
namespace {

Result<std::shared_ptr<const Grammar>> compiled(const Json& schema, bool compact = false) {
    return compile_grammar({.kind = GrammarSpec::Kind::json_schema,
                            .text = dump_json(schema),
                            .compact = compact,
                            .field = "schema"});
}

std::shared_ptr<const Grammar> grammar_of(std::string_view schema) {
    auto grammar = compiled(parse_json(schema, "schema").value());
    CHECK(grammar.ok(), grammar.error().message);
    return *std::move(grammar);
}

/// Schemas and texts with the verdicts of another validator: see testdata/json-schema/ORIGIN.
const std::vector<Json>& cases() {
    static const std::vector<Json> all = [] {
        const Path path = Path(BRIGADA_TESTDATA) / "json-schema" / "cases.jsonl";
        std::istringstream lines(read_file(path, 16 << 20).value());
        std::vector<Json> out;
        for (std::string line; std::getline(lines, line);)
            out.push_back(parse_json(line, "cases.jsonl").value());
        return out;
    }();
    return all;
}

TEST(JsonSchema, accepts_and_refuses_what_another_validator_does) {
    size_t accepted = 0, refused = 0;
    for (const Json& one : cases()) {
        SCOPED_TRACE(dump_json(one["schema"]));
        const auto grammar = compiled(one["schema"]);
        if (!grammar.ok()) {  // no value satisfies it
            EXPECT_EQ(grammar.error().message, "schema: no text can match it");
            EXPECT_TRUE(one["valid"].empty());
            continue;
        }
        for (const Json& text : one["valid"]) {
            EXPECT_TRUE(accepts(*grammar, text.get<std::string>())) << text;
            ++accepted;
        }
        for (const Json& text : one["invalid"]) {
            EXPECT_FALSE(accepts(*grammar, text.get<std::string>())) << text;
            ++refused;
        }
    }
    EXPECT_GT(accepted, 3000u);
    EXPECT_GT(refused, 3000u);
}

TEST(JsonSchema, the_naive_validator_agrees_with_another) {
    for (const Json& one : cases()) {
        if (dump_json(one["schema"]).find("\"format\":") != std::string::npos) continue;
        SCOPED_TRACE(dump_json(one["schema"]));
        const NaiveValidator validator(one["schema"]);
        for (const Json& text : one["valid"])
            EXPECT_TRUE(validator.valid(parse_json(text.get<std::string>(), "").value())) << text;
        for (const Json& text : one["invalid"])
            EXPECT_FALSE(validator.valid(parse_json(text.get<std::string>(), "").value())) << text;
    }
}

/// A text made of tokens drawn from what is allowed, as a model would that knows nothing. It goes
/// on until it may end and chance says so; nullopt when that takes too long.
std::optional<std::string> random_walk(const Tokenizer& tokenizer, GrammarMasks& masks, Rng& rng) {
    Position at = masks.start(false);
    std::string text;
    for (int step = 0; step < 300; ++step) {
        const TokenMask& allowed = masks.allowed(at);
        std::vector<TokenId> choices;
        for (uint32_t id = 0; id < tokenizer.size(); ++id)
            if (allowed.contains(TokenId{id})) choices.push_back(TokenId{id});
        if (masks.may_end(at) && (choices.empty() || rng.chance(0.3))) return text;
        CHECK(!choices.empty(), "a dead end after ", text);
        // Brackets and quotation marks more often than chance would: walks have to come to an end.
        TokenId token = choices[rng.below(choices.size())];
        for (const char* closing : {"\"", "}", "]"})
            if (const auto id = tokenizer.find(closing); rng.chance(0.3) && allowed.contains(*id))
                token = *id;
        at = masks.step(at, tokenizer.bytes(token));
        text += tokenizer.bytes(token);
    }
    return std::nullopt;
}

TEST(JsonSchema, whatever_is_drawn_from_what_is_allowed_satisfies_the_schema) {
    const Tokenizer tokenizer = toy_tokenizer();
    const TokenTrie trie(tokenizer);
    size_t finished = 0;
    for (size_t i = 0; i < cases().size(); ++i) {
        const Json& schema = cases()[i]["schema"];
        SCOPED_TRACE(dump_json(schema));
        const auto grammar = compiled(schema);
        if (!grammar.ok()) continue;
        GrammarMasks masks(*grammar, trie);
        Rng rng(i);
        for (int walk = 0; walk < 6; ++walk) {
            const auto text = random_walk(tokenizer, masks, rng);
            if (!text) continue;
            ++finished;
            const auto value = parse_json(*text, "the text");
            ASSERT_TRUE(value.ok()) << *text << ": " << value.error().message;
            EXPECT_TRUE(NaiveValidator(schema).valid(*value)) << *text;
        }
    }
    EXPECT_GT(finished, 3000u);
}

TEST(JsonSchema, properties_come_in_the_order_of_the_schema_and_optional_ones_may_be_left_out) {
    const auto grammar = grammar_of(R"({"type": "object", "required": ["c"], "properties":
        {"a": {"type": "integer"}, "b": {"type": "null"}, "c": {"type": "boolean"}}})");
    for (const char* text : {R"({"c":true})", R"({"a":1,"c":true})",
                             R"({"a":1,"b":null,"c":false})", R"({"b":null,"c":true})"})
        EXPECT_TRUE(accepts(grammar, text)) << text;
    for (const char* text : {R"({})", R"({"a":1})", R"({"c":true,"a":1})", R"({"c":true,})",
                             R"({,"c":true})", R"({"a":1"c":true})", R"({"c":true,"d":1})"})
        EXPECT_FALSE(accepts(grammar, text)) << text;
}

TEST(JsonSchema, white_space_is_a_space_or_an_indented_line_or_none) {
    const Json schema = parse_json(R"({"type": "object", "properties": {"a": {"type": "array",
        "items": {"type": "integer"}}}, "required": ["a"]})",
                                   "")
                            .value();
    const auto free = compiled(schema).value();
    const auto compact = compiled(schema, true).value();
    EXPECT_TRUE(accepts(compact, R"({"a":[1,2]})"));
    for (const char* text :
         {"{\"a\": [1, 2]}", "{\n  \"a\": [\n    1,\n    2\n  ]\n}", "{ \"a\":[1 ] }"}) {
        EXPECT_TRUE(accepts(free, text)) << text;
        EXPECT_FALSE(accepts(compact, text)) << text;
    }
    for (const char* text : {"{  \"a\":[]}", "{\"a\" :[]}", "{\"a\":\n[]}", " {\"a\":[]}",
                             "{\"a\":[]} ", "{\"a\":[1 ,2]}", "{\n\n\"a\":[]}", "{\t\"a\":[]}"})
        EXPECT_FALSE(accepts(free, text)) << text;
}

TEST(JsonSchema, recursion_ends_anywhere) {
    const auto grammar = grammar_of(R"({"$ref": "#/$defs/node", "$defs": {"node": {"type": "object",
        "properties": {"v": {"type": "integer"}, "next": {"anyOf": [{"$ref": "#/$defs/node"},
        {"type": "null"}]}}, "required": ["v", "next"], "additionalProperties": false}}})");
    EXPECT_TRUE(accepts(grammar, R"({"v":1,"next":{"v":2,"next":{"v":3,"next":null}}})"));
    EXPECT_FALSE(accepts(grammar, R"({"v":1,"next":{"v":2,"next":{"v":3,"next":null}})"));
    const auto tree = grammar_of(R"({"type": "array", "items": {"$ref": "#"}})");
    EXPECT_TRUE(accepts(tree, "[[],[[[]]]]"));
    EXPECT_FALSE(accepts(tree, "[[],[[[1]]]]"));
}

TEST(JsonSchema, strings_may_be_escaped_but_not_by_half) {
    const auto grammar = grammar_of(R"({"type": "string"})");
    for (const char* text :
         {R"("\u00e9\n\/")", R"("\ud83d\ude00")", "\"é😀\"", R"("\uD7FF\uE000")"})
        EXPECT_TRUE(accepts(grammar, text)) << text;
    for (const char* text : {R"("\ud83d")", R"("\ude00")", R"("\x41")", "\"\n\"", R"("\u12")",
                             "\"\xff\"", R"("\ud83d\u0041")"})
        EXPECT_FALSE(accepts(grammar, text)) << text;
    const auto counted = grammar_of(R"({"type": "string", "maxLength": 2})");
    EXPECT_TRUE(accepts(counted, R"("\ud83d\ude00é")"));
    EXPECT_FALSE(accepts(counted, R"("\ud83d\ude00éa")"));
}

TEST(JsonSchema, names_beside_the_listed_ones_are_others_however_they_are_written) {
    const auto grammar = grammar_of(R"({"type": "object", "properties": {"a": {"type": "integer"}},
        "additionalProperties": {"type": "string"}})");
    EXPECT_TRUE(accepts(grammar, R"({"a":1,"b":"x","aa":"y","":"z"})"));
    EXPECT_FALSE(accepts(grammar, R"({"a":"x"})"));
    EXPECT_FALSE(accepts(grammar, R"({"\u0061":"x"})"));
}

TEST(JsonSchema, what_older_drafts_and_openapi_wrote) {
    EXPECT_TRUE(accepts(grammar_of(R"({"type": "string", "nullable": true})"), "null"));
    const auto tuple = grammar_of(R"({"items": [{"type": "integer"}], "additionalItems": false})");
    EXPECT_TRUE(accepts(tuple, "[1]"));
    EXPECT_FALSE(accepts(tuple, "[1,2]"));
    const auto above = grammar_of(R"({"type": "integer", "minimum": 3, "exclusiveMinimum": true})");
    EXPECT_FALSE(accepts(above, "3"));
    EXPECT_TRUE(accepts(above, "4"));
    EXPECT_TRUE(accepts(grammar_of(R"({"$ref": "#/definitions/a~1b%20c",
        "definitions": {"a/b c": {"const": 7}}})"),
                        "7"));
}

TEST(JsonSchema, numbers_are_exact_at_their_bounds) {
    const auto number =
        grammar_of(R"({"type": "number", "exclusiveMinimum": 0.1, "maximum": 2.5})");
    for (const char* text : {"0.2", "0.11", "1", "2.5", "2.50", "0.1000001", "2"})
        EXPECT_TRUE(accepts(number, text)) << text;
    for (const char* text :
         {"0.1", "0", "-1", "2.51", "3", "0.10", "1e0", "2.500000000000001", "10"})
        EXPECT_FALSE(accepts(number, text)) << text;
    const auto integer = grammar_of(R"({"type": "integer", "minimum": -15, "maximum": 1200})");
    for (int64_t i = -2000; i < 2000; ++i)
        EXPECT_EQ(accepts(integer, concat(i)), i >= -15 && i <= 1200) << i;
    const auto multiple = grammar_of(R"({"type": "integer", "minimum": -15, "multipleOf": 7})");
    for (int64_t i = -100; i < 1000; ++i)
        EXPECT_EQ(accepts(multiple, concat(i)), i >= -15 && i % 7 == 0) << i;
    const auto cents = grammar_of(R"({"type": "number", "multipleOf": 0.01, "minimum": 0})");
    EXPECT_TRUE(accepts(cents, "12.34"));
    EXPECT_FALSE(accepts(cents, "12.345"));
    EXPECT_FALSE(accepts(cents, "-0.01"));
}

TEST(JsonSchema, what_cannot_be_honoured_is_named) {
    const std::pair<const char*, const char*> bad[] = {
        {R"j({"properties": {"a": {"not": {}}}})j",
         "schema: /properties/a/not: cannot be honoured"},
        {R"j({"if": true})j", "/if: cannot be honoured"},
        {R"j({"dependentRequired": {}})j", "/dependentRequired: cannot"},
        {R"j({"type": "array", "uniqueItems": true})j", "/uniqueItems: cannot be honoured"},
        {R"j({"type": "text"})j", "/type: must be null, boolean"},
        {R"j({"type": "string", "pattern": "(?=a)"})j", "/pattern: character 3"},
        {R"j({"type": "string", "pattern": "a\\b"})j",
         "/pattern: character 4: \\b is not understood"},
        {R"j({"type": "string", "format": "regex"})j", "/format: \"regex\" is not understood"},
        {R"j({"type": "string", "maxLength": 1000000})j", "/maxLength: at most 8192"},
        {R"j({"type": "string", "minLength": -1})j", "/minLength: must be a whole number"},
        {R"j({"type": "array", "items": {"$ref": "#/$defs/x"}})j",
         "/items/$ref: \"#/$defs/x\" points at"},
        {R"j({"$ref": "other.json"})j", "/$ref: \"other.json\" is outside"},
        {R"j({"oneOf": [{"type": "integer"}, {"type": "number"}]})j",
         "/oneOf: a value of branch 0 may"},
        {R"j({"oneOf": [{"required": ["a"]}, {"required": ["b"]}], "properties":
             {"a": {}, "b": {}}})j",
         "/oneOf: a value of branch"},
        {R"j({"anyOf": []})j", "/anyOf: must have at least one"},
        {R"j({"anyOf": {}})j", "/anyOf: must be an array"},
        {R"j({"enum": []})j", "/enum: must have at least one"},
        {R"j({"properties": {"a": 5}})j", "/properties/a: a schema must be an object"},
        {R"j({"properties": []})j", "/properties: must be an object"},
        {R"j({"required": "a"})j", "/required: must be an array"},
        {R"j({"type": "integer", "minimum": "1"})j", "/minimum: must be a number"},
        {R"j({"type": "integer", "multipleOf": 0.3})j", "/multipleOf: multiples of 0.3"},
        {R"j({"type": "integer", "multipleOf": 0})j", "/multipleOf: must be above 0"},
        {R"j({"type": "integer", "minimum": 5, "maximum": 4})j", "no text can match"},
        {R"j({"type": "object", "required": ["a"], "properties": {"a": false}})j",
         "no text can match"},
        {R"j({"patternProperties": {"^a": {}, "b$": {}}})j",
         ": a name may match another of the patterns"},
        {R"j({"type": "object", "minProperties": 2})j", "/minProperties: is counted up to"},
        {R"j([])j", "/: a schema must be an object"},
    };
    for (const auto& [schema, says] : bad) {
        const auto grammar = compiled(parse_json(schema, "schema").value());
        ASSERT_FALSE(grammar.ok()) << schema;
        EXPECT_THAT(grammar.error().message, testing::HasSubstr(says)) << schema;
        EXPECT_TRUE(grammar.error().code == Code::unsupported ||
                    grammar.error().code == Code::invalid_argument);
    }
}

TEST(JsonSchema, nesting_without_end_is_refused) {
    Json schema = {{"type", "integer"}};
    for (int i = 0; i < 200; ++i)
        schema = {{"type", "array"}, {"items", schema}};
    EXPECT_THAT(compiled(schema).error().message, testing::HasSubstr("nested deeper than"));
}

}  // namespace
}  // namespace brigada
