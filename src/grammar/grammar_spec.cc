#include "grammar/grammar_spec.h"

#include <optional>
#include <utility>

#include "base/concat.h"
#include "base/json.h"
#include "grammar/calls_or_text.h"
#include "grammar/common_text.h"
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

Result<Expr> read_object(JsonText& json, const GrammarSpec& spec) {
    if (spec.calls.empty()) return json.any_object();
    TRY(const Json answer, parse_json(spec.calls, "calls"));
    return object_but_no_call(json, answer);
}

Result<Expr> read(GrammarBuilder& builder, JsonText& json, const GrammarSpec& spec) {
    switch (spec.kind) {
        case GrammarSpec::Kind::json_object:
            return read_object(json, spec);
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

Result<Grammar> compile_text(const GrammarSpec& spec) {
    if (spec.text.size() > kMaxGrammarText)
        return Error{Code::unsupported, concat("is ", spec.text.size(), " bytes long; at most ",
                                               kMaxGrammarText, " are read")};
    GrammarBuilder builder;
    JsonText json(builder, !spec.compact);
    TRY(const Expr root, read(builder, json, spec));
    return builder.build(root);
}

/// An answer that keeps to the form must not be read as a call.
Result<void> check_told_apart(Grammar text, const Json& answer) {
    GrammarBuilder builder;
    JsonText json(builder, true);
    const std::optional<Expr> call = read_as_call(json, answer);
    if (!call) return {};
    TRY(Grammar calls, builder.build(*call));
    const CommonText common = common_text(std::make_shared<const Grammar>(std::move(text)),
                                          std::make_shared<const Grammar>(std::move(calls)));
    if (common.found == CommonText::Found::none) return {};
    const std::string such = common.found == CommonText::Found::one
                                 ? concat(" such as ", dump_json(Json(common.text)))
                                 : std::string();
    return Error{Code::unsupported,
                 concat("beside tools an answer", such,
                        " can't be told from a call: the model writes calls as ",
                        answer["format"].get<std::string>(),
                        "; ask for another form, or with \"tool_choice\": \"none\"")};
}

Result<Grammar> with_calls(const GrammarSpec& spec, Grammar text) {
    if (spec.calls.size() > kMaxGrammarText)
        return Error{Code::unsupported,
                     concat("tools: their schemas are ", spec.calls.size(), " bytes long; at most ",
                            kMaxGrammarText, " are read beside a form of the answer")};
    TRY(const Json answer, parse_json(spec.calls, "calls"));
    auto told_apart = check_told_apart(std::move(text), answer);
    if (!told_apart.ok()) return std::move(told_apart).error().in(spec.field);
    GrammarBuilder builder;
    JsonText json(builder, !spec.compact);
    TRY(const Expr form, read(builder, json, spec));
    TRY(const Expr root, read_calls_or_text(builder, answer, form));
    return builder.build(root);
}

Result<Grammar> compile(const GrammarSpec& spec) {
    auto text = compile_text(spec);
    if (!text.ok()) return std::move(text).error().in(spec.field);
    if (spec.calls.empty()) return text;
    return with_calls(spec, std::move(text).value());
}

}  // namespace

Result<std::shared_ptr<const Grammar>> compile_grammar(const GrammarSpec& spec) {
    auto compiled = compile(spec);
    if (compiled.ok()) return std::make_shared<const Grammar>(std::move(compiled).value());
    Error error = std::move(compiled).error();
    if (error.code == Code::too_large) error.code = Code::unsupported;  // of prompts it says more
    return error;
}

}  // namespace brigada
