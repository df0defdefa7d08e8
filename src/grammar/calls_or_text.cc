#include "grammar/calls_or_text.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "grammar/code_point_dfa.h"
#include "grammar/text_scanner.h"
#include "grammar/tool_call_grammar.h"
#include "toolcall/harmony_parser.h"
#include "toolcall/object_call.h"
#include "toolcall/reasoning_format.h"
#include "toolcall/tool_format.h"

namespace brigada {

namespace {

using Mode = TextScanner::Mode;

/// White space between reasoning, calls and text, in characters.
constexpr uint32_t kMostSpace = 8;

const ToolFormat* format_of(const Json& answer) {
    if (answer["format"].is_null()) return nullptr;
    const auto found = find_tool_format(answer["format"].get<std::string>());
    return found.ok() ? *found : nullptr;
}

bool is_harmony(const ToolFormat* format) {
    return format && !format->make_reader;
}

Expr space(GrammarBuilder& b, std::optional<uint32_t> most) {
    return b.repeat(b.one_of({{'\t', '\n'}, {'\r', '\r'}, {' ', ' '}}), 0, most);
}

/// Whether calls are objects that nothing marks.
bool has_bare_objects(const ToolFormat& format) {
    return std::ranges::any_of(
        format.shapes, [](const CallShape& shape) { return shape.at_start && shape.quoted_name; });
}

// --- calls or text ------------------------------------------------------------------------------

Result<Expr> calls_alone(GrammarBuilder& b, const Json& answer) {
    if (answer["tools"].empty() || !format_of(answer)) return b.never();
    Json forced = answer;
    forced["forced"] = true;
    return read_tool_calls(b, forced);
}

/// The rest of a message that reasons, and what follows it.
Expr reasoning_then(GrammarBuilder& b, std::string_view close, Expr then) {
    TextScanner scanner(b);
    const Mode thinking = scanner.add_mode(), over = scanner.add_end();
    scanner.must_go_on(thinking);
    scanner.watch(thinking, close, then, over);
    return scanner.write(thinking);
}

Result<Expr> marked(GrammarBuilder& b, const Json& answer, Expr text) {
    TRY(const ReasoningFormat* reasoning,
        find_reasoning_format(answer["reasoning"].get<std::string>()));
    TRY(const Expr calls, calls_alone(b, answer));
    const Expr layout = space(b, kMostSpace);
    const Expr either = b.either({text, b.sequence({layout, calls})});
    if (!reasoning->has_markers()) return either;
    const Expr thinking = reasoning_then(b, reasoning->close, b.sequence({layout, either}));
    if (answer["begins"] == "reasoning") return thinking;
    return b.either({either, b.sequence({layout, b.literal(reasoning->open), thinking})});
}

/// One message in the channel of reasoning, with the beginning of the next.
Expr harmony_reasoning(GrammarBuilder& b) {
    TextScanner scanner(b);
    const Mode body = scanner.add_mode(), over = scanner.add_end();
    scanner.must_go_on(body);
    for (const std::string_view marker : kHarmonyMarkers)
        if (marker == "<|end|>")
            scanner.watch(body, marker, b.literal("<|start|>assistant"), over);
        else
            scanner.forbid(body, marker);
    return b.sequence({b.literal("<|channel|>analysis<|message|>"), scanner.write(body)});
}

Result<Expr> harmony(GrammarBuilder& b, const Json& answer, Expr text) {
    TRY(const Expr calls, calls_alone(b, answer));
    const Expr header =
        b.sequence({b.literal("<|channel|>final"), b.optional(b.literal(" ")),
                    b.optional(b.literal("<|constrain|>json")), b.literal("<|message|>")});
    return b.sequence(
        {b.repeat(harmony_reasoning(b), 0, {}), b.either({b.sequence({header, text}), calls})});
}

// --- what is read as a call ---------------------------------------------------------------------

/// An object of a call's keys, of which the name is a tool's.
Expr bare_call(JsonText& json, const Json& tools) {
    GrammarBuilder& b = json.builder();
    std::vector<Expr> keys, names;
    for (const std::string_view key : kCallKeys)
        keys.push_back(json.string_literal(key));
    for (const Json& tool : tools)
        names.push_back(json.string_literal(tool["name"].get<std::string>()));
    const Expr member = json.member(b.either(std::move(keys)), json.any_value());
    const Expr name = json.member(json.string_literal("name"), b.either(std::move(names)));
    return json.enclosed('{',
                         {.states = 4,
                          .edges = {{0, member, 1},
                                    {1, json.comma(), 0},
                                    {0, name, 2},
                                    {2, json.comma(), 3},
                                    {3, member, 2}},
                          .ends = {2}},
                         '}', false);
}

void add_call_beginnings(JsonText& json, const ToolFormat& format, const Json& answer,
                         std::vector<Expr>& out) {
    GrammarBuilder& b = json.builder();
    for (const std::string_view opening : format.openings)
        out.push_back(b.literal(opening));
    const Expr list = b.sequence({b.literal("["), space(b, {})});
    if (has_bare_objects(format)) {
        const Expr call = bare_call(json, answer["tools"]);
        out.push_back(call);
        if (format.first.contains('[')) out.push_back(b.sequence({list, call}));
    }
    if (format.shapes.front().arguments != CallShape::Arguments::python) return;
    for (const Json& tool : answer["tools"]) {
        const Expr name = b.literal(tool["name"].get<std::string>());
        out.push_back(b.sequence({list, name, space(b, {}), b.literal("(")}));
    }
}

}  // namespace

Result<Expr> read_calls_or_text(GrammarBuilder& builder, const Json& answer, Expr text) {
    if (answer["begins"] == "text") return text;
    return is_harmony(format_of(answer)) ? harmony(builder, answer, text)
                                         : marked(builder, answer, text);
}

std::optional<Expr> read_as_call(JsonText& json, const Json& answer) {
    GrammarBuilder& b = json.builder();
    const ToolFormat* format = format_of(answer);
    if (is_harmony(format)) return std::nullopt;  // channels tell them apart
    std::vector<Expr> begins;
    const auto reasoning = find_reasoning_format(answer["reasoning"].get<std::string>());
    if (reasoning.ok() && (*reasoning)->has_markers())
        begins.push_back(b.literal((*reasoning)->open));
    if (format && !answer["tools"].empty()) add_call_beginnings(json, *format, answer, begins);
    if (begins.empty()) return std::nullopt;
    const Expr anything = b.repeat(b.byte({0, 255}), 0, {});
    return b.sequence({space(b, {}), b.either(std::move(begins)), anything});
}

Result<Expr> object_but_no_call(JsonText& json, const Json& answer) {
    const ToolFormat* format = format_of(answer);
    if (!format || !has_bare_objects(*format) || answer["tools"].empty()) return json.any_object();
    GrammarBuilder& b = json.builder();
    std::vector<Expr> keys;
    for (const std::string_view key : kCallKeys)
        keys.push_back(b.literal(key));
    TRY(const CodePointDfa any,
        CodePointDfa::from(b, b.repeat(b.one_of(CodePointSet{}.complement()), 0, {})));
    TRY(const CodePointDfa taken, CodePointDfa::from(b, b.either(std::move(keys))));
    TRY(const CodePointDfa others, CodePointDfa::without(any, taken));
    const Expr first = json.member(json.string_of(others.to_expr(b)), json.any_value());
    const Expr later = json.member(json.any_string(), json.any_value());
    return json.enclosed(
        '{',
        {.states = 3, .edges = {{0, first, 1}, {1, json.comma(), 2}, {2, later, 1}}, .ends = {1}},
        '}', true);
}

}  // namespace brigada
