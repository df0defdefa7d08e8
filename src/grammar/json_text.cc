#include "grammar/json_text.h"

#include <utility>

#include "base/check.h"
#include "base/concat.h"

namespace brigada {

namespace {

using Node = GrammarBuilder::Node;

/// Spaces that may follow a new line: five levels of four.
constexpr uint32_t kMaxIndentation = 20;

constexpr uint32_t kMaxFractionDigits = 20;

/// 10^99 is within a double; a number that is not would be read as infinity.
constexpr uint32_t kMaxExponentDigits = 2;

/// The escapes of two characters, by what they stand for.
constexpr std::pair<char32_t, std::string_view> kShortEscapes[] = {
    {'"', "\\\""}, {'\\', "\\\\"}, {'\b', "\\b"}, {'\f', "\\f"},
    {'\n', "\\n"}, {'\r', "\\r"},  {'\t', "\\t"},
};

CodePointSet hex_digits_of(char32_t first, const CodePointSet& set) {
    CodePointSet out;
    for (char32_t digit = 0; digit < 16; ++digit)
        if (set.contains(first + digit))
            out.add(CodePointSet::of(digit < 10 ? '0' + digit : 'a' + digit - 10));
    return out;
}

/// "<" can only stand within strings.
void escape_angles(std::string& json) {
    for (size_t at = json.find('<'); at != json.npos; at = json.find('<', at))
        json.replace(at, 1, "\\u003c");
}

/// Strings are written alike.
std::string as_python(const Json& value) {
    if (value.is_null()) return "None";
    if (value.is_boolean()) return value.get<bool>() ? "True" : "False";
    if (!value.is_structured()) return dump_json(value);
    std::string out(value.is_array() ? "[" : "{");
    for (const auto& [key, inner] : value.items()) {
        if (out.size() > 1) out += ", ";
        if (value.is_object()) out += dump_json(Json(key)) + ": ";
        out += as_python(inner);
    }
    return out + (value.is_array() ? "]" : "}");
}

}  // namespace

JsonText::JsonText(GrammarBuilder& builder, bool free_space, JsonStyle style)
    : builder_(builder), style_(style) {
    const Expr space = builder.literal(" ");
    const Expr line =
        builder.sequence({builder.literal("\n"), builder.repeat(space, 0, kMaxIndentation)});
    gap_ = free_space ? builder.either({builder.empty(), space, line}) : builder.empty();
    colon_ = free_space ? builder.sequence({builder.literal(":"), builder.optional(space)})
                        : builder.literal(":");

    escape_ = builder.declare("escape", true);
    const CodePointSet hex{{'0', '9'}, {'A', 'F'}, {'a', 'f'}};
    const auto hexes = [&](uint32_t n) { return builder.repeat(builder.one_of(hex), n, n); };
    const CodePointSet d{{'D', 'D'}, {'d', 'd'}};
    const Expr surrogates =
        builder.sequence({builder.one_of(d), builder.one_of({{'8', '9'}, {'A', 'B'}, {'a', 'b'}}),
                          hexes(2), builder.literal("\\u"), builder.one_of(d),
                          builder.one_of({{'C', 'F'}, {'c', 'f'}}), hexes(2)});
    const Expr others = builder.either(
        {builder.sequence({builder.one_of(hex.minus(d)), hexes(3)}),
         builder.sequence({builder.one_of(d), builder.one_of({{'0', '7'}}), hexes(2)})});
    CodePointSet letters;
    for (char32_t letter : U"\"\\/bfnrt")
        if (letter != 0 && !(letter == '/' && style == JsonStyle::python))
            letters.add(CodePointSet::of(letter));
    builder.define(escape_,
                   builder.either({builder.one_of(letters),
                                   builder.sequence({builder.literal("u"),
                                                     builder.either({others, surrogates})})}));

    string_ = builder.declare("string", true);
    builder.define(string_, style == JsonStyle::within_tags ? string_within_tags()
                                                            : any_string(0, std::nullopt));

    value_ = builder.declare("value", true);
    object_ = builder.declare("object", true);
    array_ = builder.declare("array", true);
    builder.define(value_, builder.either({any_object(), any_array(), any_string(), any_number(),
                                           boolean(true), boolean(false), null()}));
    const auto list_of = [&](Expr item) {
        return ExprGraph{.states = 2, .edges = {{0, item, 1}, {1, comma(), 0}}, .ends = {1}};
    };
    builder.define(object_, enclosed('{', list_of(member(any_string(), any_value())), '}', true));
    builder.define(array_, enclosed('[', list_of(any_value()), ']', true));
}

Expr JsonText::any_string() {
    return builder_.call(string_);
}

Expr JsonText::any_string(uint32_t least, std::optional<uint32_t> most) {
    const Expr quote = builder_.literal("\"");
    return builder_.sequence({quote, builder_.repeat(any_character(), least, most), quote});
}

/// Behind "<" no "/" stands as it is.
Expr JsonText::string_within_tags() {
    const CodePointSet angle = CodePointSet::of('<');
    const Expr escape = builder_.sequence({builder_.literal("\\"), builder_.call(escape_)});
    const CodePointSet others = must_be_escaped().complement();
    const Expr behind_angle =
        builder_.either({builder_.one_of(others.minus(CodePointSet::of('/'))), escape});
    const Expr quote = builder_.literal("\"");
    return builder_.sequence(
        {quote,
         builder_.graph({.states = 2,
                         .edges = {{0, builder_.either({builder_.one_of(others), escape}), 0},
                                   {0, builder_.one_of(angle), 1},
                                   {1, builder_.one_of(angle), 1},
                                   {1, behind_angle, 0}},
                         .ends = {0, 1}}),
         quote});
}

CodePointSet JsonText::must_be_escaped() const {
    CodePointSet out{{0, 0x1f}, {'"', '"'}, {'\\', '\\'}};
    if (style_ == JsonStyle::within_tags) out.add(CodePointSet::of('<'));
    return out;
}

Expr JsonText::any_character() {
    return builder_.either({builder_.one_of(must_be_escaped().complement()),
                            builder_.sequence({builder_.literal("\\"), builder_.call(escape_)})});
}

Expr JsonText::any_text() {
    if (!any_text_)
        any_text_ = builder_.repeat(builder_.one_of(CodePointSet::all()), 0, std::nullopt);
    return *any_text_;
}

Expr JsonText::string_of(Expr content) {
    const Expr quote = builder_.literal("\"");
    return builder_.sequence({quote, escaped(content), quote});
}

Expr JsonText::string_literal(std::string_view text) {
    return string_of(builder_.literal(text));
}

Expr JsonText::boolean(bool value) {
    return literal(value);
}

Expr JsonText::null() {
    return literal(nullptr);
}

std::string JsonText::written(const Json& value) const {
    if (style_ == JsonStyle::python) return as_python(value);
    std::string out = dump_json(value);
    if (style_ == JsonStyle::within_tags) escape_angles(out);
    return out;
}

Expr JsonText::any_integer() {
    return builder_.sequence(
        {builder_.optional(builder_.literal("-")),
         builder_.either(
             {builder_.literal("0"), builder_.sequence({builder_.one_of({{'1', '9'}}),
                                                        digits(0, kMaxIntegerDigits - 1)})})});
}

Expr JsonText::any_number() {
    const Expr fraction = builder_.sequence({builder_.literal("."), digits(1, kMaxFractionDigits)});
    const Expr exponent =
        builder_.sequence({builder_.one_of({{'E', 'E'}, {'e', 'e'}}),
                           builder_.optional(builder_.one_of({{'+', '+'}, {'-', '-'}})),
                           digits(1, kMaxExponentDigits)});
    return builder_.sequence(
        {any_integer(), builder_.optional(fraction), builder_.optional(exponent)});
}

Expr JsonText::any_value() {
    return builder_.call(value_);
}

Expr JsonText::any_object() {
    return builder_.call(object_);
}

Expr JsonText::any_array() {
    return builder_.call(array_);
}

Expr JsonText::digits(uint32_t least, uint32_t most) {
    return builder_.repeat(builder_.one_of({{'0', '9'}}), least, most);
}

Expr JsonText::enclosed(char open, ExprGraph inside, char close, bool may_be_empty) {
    const Expr opened = builder_.literal(std::string(1, open));
    const Expr closed = builder_.literal(std::string(1, close));
    const Expr full =
        builder_.sequence({opened, gap_, builder_.graph(std::move(inside)), gap_, closed});
    if (!may_be_empty) return full;
    return builder_.either({builder_.sequence({opened, closed}), full});
}

// --- one way to write each character ------------------------------------------------------------

Expr JsonText::escaped(Expr content) {
    const Node node = builder_.node(content);  // a copy: nodes are added below
    std::vector<Expr> parts;
    for (Expr part : node.parts)
        parts.push_back(escaped(part));
    switch (node.kind) {
        case Node::Kind::literal: {
            const std::string quoted = written(node.bytes);
            return builder_.literal(std::string_view(quoted).substr(1, quoted.size() - 2));
        }
        case Node::Kind::one_of:
            return escaped_set(node.set);
        case Node::Kind::sequence:
            return builder_.sequence(std::move(parts));
        case Node::Kind::either:
            return builder_.either(std::move(parts));
        case Node::Kind::repeat:
            return builder_.repeat(parts.front(), node.least, node.most);
        case Node::Kind::graph: {
            ExprGraph graph = node.expr_graph;
            for (ExprGraph::Edge& edge : graph.edges)
                edge.on = escaped(edge.on);
            return builder_.graph(std::move(graph));
        }
        case Node::Kind::byte:
        case Node::Kind::call:
            break;
    }
    CHECK(false, "a call or a lone byte inside of a string's content");
}

Expr JsonText::escaped_set(const CodePointSet& set) {
    CodePointSet left = set.intersect(must_be_escaped());
    if (left.empty()) return builder_.one_of(set);
    std::vector<Expr> out = {builder_.one_of(set.minus(must_be_escaped()))};
    for (const auto& [code, escape] : kShortEscapes) {
        if (!left.contains(code)) continue;
        out.push_back(builder_.literal(escape));
        left = left.minus(CodePointSet::of(code));
    }
    for (const uint32_t high : {0u, 1u, 3u})
        if (CodePointSet low = hex_digits_of(16 * high, left); !low.empty())
            out.push_back(builder_.sequence(
                {builder_.literal(concat("\\u00", high)), builder_.one_of(std::move(low))}));
    return builder_.either(std::move(out));
}

}  // namespace brigada
