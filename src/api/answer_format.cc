#include "api/answer_format.h"

#include <array>
#include <utility>

namespace brigada {

namespace {

namespace dom = simdjson::dom;
using Kind = GrammarSpec::Kind;

/// A schema as an object, as true or false, or as the text of one, which vLLM takes, too.
Result<std::optional<GrammarSpec>> read_schema(const JsonFields& fields, std::string_view name) {
    const auto schema = fields.find(name);
    if (!schema) return std::optional<GrammarSpec>();
    GrammarSpec out{.kind = Kind::json_schema, .field = fields.path_of(name)};
    std::string_view text;
    if (schema->get(text) == simdjson::SUCCESS)
        out.text = text;
    else if (schema->is_object() || schema->is_bool())
        out.text = simdjson::minify(*schema);
    else
        return fields.wrong(name, "a JSON Schema", *schema);
    return std::optional(std::move(out));
}

Result<std::optional<GrammarSpec>> read_text(const JsonFields& fields, std::string_view name,
                                             Kind kind) {
    TRY(auto text, fields.text(name));
    if (!text) return std::optional<GrammarSpec>();
    return std::optional(
        GrammarSpec{.kind = kind, .text = *std::move(text), .field = fields.path_of(name)});
}

Result<std::optional<GrammarSpec>> read_choice(const JsonFields& fields, std::string_view name) {
    TRY(const auto choices, fields.array(name));
    if (!choices) return std::optional<GrammarSpec>();
    return std::optional(GrammarSpec{
        .kind = Kind::choice, .text = simdjson::minify(*choices), .field = fields.path_of(name)});
}

Result<std::optional<GrammarSpec>> read_json_object(const JsonFields& fields,
                                                    std::string_view name) {
    TRY(const auto wanted, fields.boolean(name));
    if (!wanted.value_or(false)) return std::optional<GrammarSpec>();
    return std::optional(GrammarSpec{.kind = Kind::json_object, .field = fields.path_of(name)});
}

Result<std::optional<GrammarSpec>> read_response_format(const JsonFields& fields) {
    TRY(auto object, fields.object("response_format"));
    if (!object) return std::optional<GrammarSpec>();
    const JsonFields format(*object, "response_format.");
    TRY(auto type, format.text("type"));
    if (!type || *type == "text") return std::optional<GrammarSpec>();
    if (*type == "json_object")
        return std::optional(
            GrammarSpec{.kind = Kind::json_object, .field = format.path_of("type")});
    if (*type != "json_schema")
        return Error{Code::unsupported,
                     concat("response_format.type: this server does \"text\", \"json_object\" and ",
                            "\"json_schema\"; got \"", *type, "\"")};
    TRY(auto inner, format.object("json_schema"));
    if (!inner) return Error{Code::invalid_argument, "response_format.json_schema: is missing"};
    TRY(auto spec, read_schema(JsonFields(*inner, "response_format.json_schema."), "schema"));
    if (!spec)
        return Error{Code::invalid_argument, "response_format.json_schema.schema: is missing"};
    return spec;
}

/// The fields that ask for a form, as `prefix` and a name. The second and later ones are refused.
Result<std::optional<GrammarSpec>> read_kinds(const JsonFields& fields, std::string_view prefix) {
    const std::string p(prefix);
    std::optional<GrammarSpec> out;
    const auto take = [&](Result<std::optional<GrammarSpec>> read) -> Result<void> {
        TRY(auto spec, std::move(read));
        if (spec && out)
            return Error{Code::invalid_argument,
                         concat(spec->field, ": cannot be combined with ", out->field)};
        if (spec) out = std::move(spec);
        return {};
    };
    TRY(take(read_schema(fields, p + "json")));
    TRY(take(read_text(fields, p + "regex", Kind::regex)));
    TRY(take(read_choice(fields, p + "choice")));
    TRY(take(read_text(fields, p + "grammar", Kind::gbnf)));
    TRY(take(read_json_object(fields, p + "json_object")));
    return out;
}

Result<std::optional<GrammarSpec>> read_structured_outputs(const JsonFields& fields) {
    TRY(auto object, fields.object("structured_outputs"));
    if (!object) return std::optional<GrammarSpec>();
    const JsonFields inner(*object, "structured_outputs.");
    for (std::string_view name : {"structural_tag", "whitespace_pattern"})
        if (inner.find(name))
            return Error{Code::unsupported, concat(inner.path_of(name),
                                                   ": this server does json, regex, choice, "
                                                   "grammar and json_object")};
    TRY(auto spec, read_kinds(inner, ""));
    TRY(const auto compact, inner.boolean("disable_any_whitespace"));
    if (spec) spec->compact = compact.value_or(false);
    return spec;
}

}  // namespace

Result<std::optional<GrammarSpec>> read_answer_format(const JsonFields& fields) {
    TRY(auto response_format, read_response_format(fields));
    TRY(auto structured, read_structured_outputs(fields));
    TRY(auto guided, read_kinds(fields, "guided_"));
    std::optional<GrammarSpec> out;
    for (std::optional<GrammarSpec>* spec : {&response_format, &structured, &guided}) {
        if (*spec && out)
            return Error{Code::invalid_argument,
                         concat((*spec)->field, ": cannot be combined with ", out->field)};
        if (*spec) out = std::move(*spec);
    }
    return out;
}

}  // namespace brigada
