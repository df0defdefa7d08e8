#include "grammar/grammar_spec.h"

#include <utility>

#include "base/concat.h"
#include "base/json.h"
#include "grammar/gbnf.h"
#include "grammar/grammar_builder.h"
#include "grammar/json_schema.h"
#include "grammar/regex_syntax.h"
#include "grammar/tool_call_grammar.h"

namespace brigada {

namespace {

Result<Expr> read_choice(GrammarBuilder& builder, const std::string& text) {
    TRY(const Json choices, parse_json(text, "choice"));
    std::vector<Expr> out;
    for (const Json& choice : choices) {
        if (!choice.is_string() || choice.get<std::string>().empty())
            return Error{
                Code::invalid_argument,
                concat("must be a list of strings, none of them empty; got ", dump_json(choice))};
        out.push_back(builder.literal(choice.get<std::string>()));
    }
    if (out.empty()) return Error{Code::invalid_argument, "must have at least one string"};
    return builder.either(std::move(out));
}

Result<Expr> read_schema(JsonText& json, const std::string& text) {
    TRY(const Json schema, parse_json(text, "schema"));
    return read_json_schema(json, schema);
}

Result<Expr> read_calls(GrammarBuilder& builder, const std::string& text) {
    TRY(const Json answer, parse_json(text, "calls"));
    return read_tool_calls(builder, answer);
}

Result<Expr> read(GrammarBuilder& builder, JsonText& json, const GrammarSpec& spec) {
    switch (spec.kind) {
        case GrammarSpec::Kind::json_object:
            return json.any_object();
        case GrammarSpec::Kind::json_schema:
            return read_schema(json, spec.text);
        case GrammarSpec::Kind::regex:
            return read_regex(builder, spec.text, RegexMatch::whole);
        case GrammarSpec::Kind::choice:
            return read_choice(builder, spec.text);
        case GrammarSpec::Kind::gbnf:
            return read_gbnf(builder, spec.text);
        case GrammarSpec::Kind::tool_calls:
            return read_calls(builder, spec.text);
    }
    return Error{Code::internal, "an unknown kind of grammar"};
}

Result<Grammar> compile(const GrammarSpec& spec) {
    if (spec.text.size() > kMaxGrammarText)
        return Error{Code::unsupported, concat("is ", spec.text.size(), " bytes long; at most ",
                                               kMaxGrammarText, " are read")};
    GrammarBuilder builder;
    JsonText json(builder, !spec.compact);
    TRY(const Expr root, read(builder, json, spec));
    return builder.build(root);
}

}  // namespace

Result<std::shared_ptr<const Grammar>> compile_grammar(const GrammarSpec& spec) {
    auto compiled = compile(spec);
    if (compiled.ok()) return std::make_shared<const Grammar>(std::move(compiled).value());
    Error error = std::move(compiled).error();
    if (error.code == Code::too_large) error.code = Code::unsupported;  // of prompts it says more
    return std::move(error).in(spec.field);
}

}  // namespace brigada
