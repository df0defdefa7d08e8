#include "grammar/call_arguments.h"

#include <map>
#include <string>
#include <utility>

#include "base/check.h"
#include "grammar/code_point_dfa.h"
#include "grammar/regex_syntax.h"
#include "toolcall/schema_types.h"

namespace brigada {

namespace {

/// Texts that a reader of tags takes for a value of another type, where the schema allows that
/// type. White space around them does not count.
struct Mistakable {
    const char* regex;
    Json example;
};

const std::vector<Mistakable>& mistakable() {
    static const std::vector<Mistakable> all = {
        {R"(\s*-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?\s*)", 1},
        {R"(\s*([tT]rue|[fF]alse)\s*)", true},
        {R"(\s*(null|None)\s*)", nullptr},
        {R"(\s*\[[\s\S]*)", Json::array()},
        {R"(\s*\{[\s\S]*)", Json::object()},
    };
    return all;
}

}  // namespace

/// Values between tags: strings as they are, all else as JSON.
class CallArguments::TagPen : public MemberPen {
  public:
    TagPen(CallArguments& owner, const TagShape& shape, const Json& parameters)
        : owner_(owner), b_(owner.b_), shape_(shape), parameters_(parameters) {}

    Result<Expr> member(SchemaReader& reader, const std::string* key, Expr names,
                        const SchemaParts& value) override {
        TRY(const Expr text, reader.read_text(value));
        TRY(const bool is_anything, reader.is_anything(value));
        TRY(const Expr certain,
            owner_.text_in_tags(text, shape_.end, is_anything ? 0 : other_types(key)));
        TRY(const Expr json, reader.read_but_strings(value));
        const std::string_view before_json = shape_.json.empty() ? shape_.text : shape_.json;
        return b_.sequence({b_.literal(shape_.key), names, b_.literal(shape_.key_end),
                            b_.either({valued(shape_.text, certain), valued(before_json, json)}),
                            b_.literal(shape_.end)});
    }

    Expr separator() override { return owner_.tagged_.gap(); }

  private:
    Expr valued(std::string_view before, Expr value) {
        const Expr line = shape_.lines_of_their_own ? b_.literal("\n") : b_.empty();
        return b_.sequence({owner_.words(before), line, value, line});
    }

    /// A bit for each of mistakable() that the reader would believe of this parameter.
    uint32_t other_types(const std::string* key) const {
        const SchemaTypes types = parameter_types(parameters_, key ? *key : std::string());
        uint32_t out = 0;
        for (size_t i = 0; i < mistakable().size(); ++i)
            if (types.allow(mistakable()[i].example)) out |= 1u << i;
        return out;
    }

    CallArguments& owner_;
    GrammarBuilder& b_;
    const TagShape& shape_;
    const Json& parameters_;
};

class CallArguments::PythonPen : public MemberPen {
  public:
    explicit PythonPen(CallArguments& owner) : owner_(owner) {}

    Result<Expr> member(SchemaReader& reader, const std::string*, Expr names,
                        const SchemaParts& value) override {
        TRY(const Expr written, reader.read(value));
        return owner_.b_.sequence({names, owner_.b_.literal("="), written});
    }

    Expr separator() override { return owner_.python_.comma(); }

  private:
    CallArguments& owner_;
};

CallArguments::CallArguments(GrammarBuilder& builder)
    : b_(builder),
      json_(builder, true),
      tagged_(builder, true, JsonStyle::within_tags),
      python_(builder, true, JsonStyle::python),
      gap_(builder.either({builder.empty(), builder.literal(" "), builder.literal("\n")})) {}

Result<Expr> CallArguments::read(const CallShape& shape, const Json* schema) {
    static const Json anything = {{"type", "object"}};
    const Json& parameters = schema && !schema->is_null() ? *schema : anything;
    switch (shape.arguments) {
        case CallShape::Arguments::json:
            if (&parameters == &anything) return json_.any_object();
            return object_only(parameters);
        case CallShape::Arguments::tagged: {
            TagPen pen(*this, shape.tags, parameters);
            TRY(const Expr members,
                SchemaReader(tagged_, parameters).read_members({SchemaPart{&parameters, ""}}, pen));
            return b_.sequence({tagged_.gap(), members});
        }
        case CallShape::Arguments::python:
            break;
    }
    PythonPen pen(*this);
    return SchemaReader(python_, parameters).read_members({SchemaPart{&parameters, ""}}, pen);
}

/// Arguments are an object, whatever a schema says beside it.
Result<Expr> CallArguments::object_only(const Json& parameters) {
    static const Json object = {{"type", "object"}};
    SchemaParts parts = {{&parameters, ""}};
    const bool says_so = parameters.is_object() && parameters.value("type", Json()) == "object";
    if (!says_so) parts.push_back({&object, ""});
    return SchemaReader(json_, parameters).read(std::move(parts));
}

/// A line feed stands for white space that may be there.
Expr CallArguments::words(std::string_view text) {
    std::vector<Expr> out;
    while (!text.empty()) {
        const size_t line = text.find('\n');
        out.push_back(b_.literal(text.substr(0, line)));
        if (line == text.npos) break;
        out.push_back(gap_);
        text.remove_prefix(line + 1);
    }
    return b_.sequence(std::move(out));
}

/// Those texts of `text` in which the tag does not end and that are taken for nothing else.
Result<Expr> CallArguments::text_in_tags(Expr text, std::string_view end, uint32_t mistakes) {
    const auto [known, fresh] = texts_.try_emplace({text, std::string(end), mistakes});
    if (!fresh) return b_.call(known->second);
    const Expr any = tagged_.any_text();
    std::vector<Expr> excluded = {b_.sequence({any, b_.literal(end), any})};
    for (size_t i = 0; i < mistakable().size(); ++i) {
        if (!((mistakes >> i) & 1)) continue;
        TRY(const Expr one, read_regex(b_, mistakable()[i].regex, RegexMatch::whole));
        excluded.push_back(one);
    }
    TRY(const CodePointDfa all, CodePointDfa::from(b_, text));
    TRY(const CodePointDfa wrong, CodePointDfa::from(b_, b_.either(std::move(excluded))));
    TRY(const CodePointDfa left, CodePointDfa::without(all, wrong));
    known->second = b_.declare("text", true);
    b_.define(known->second, left.to_expr(b_));
    return b_.call(known->second);
}

}  // namespace brigada
