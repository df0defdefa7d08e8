#include "grammar/tool_call_grammar.h"

#include <string>
#include <utility>
#include <vector>

#include "base/concat.h"
#include "grammar/call_arguments.h"
#include "grammar/text_scanner.h"
#include "toolcall/harmony_parser.h"
#include "toolcall/object_call.h"
#include "toolcall/reasoning_format.h"
#include "toolcall/tool_format.h"
#include "toolcall/unread.h"

namespace brigada {

namespace {

/// Ids of calls in one answer are counted up to this many digits.
constexpr uint32_t kIdDigits = 3;

using Mode = TextScanner::Mode;

class AnswerGrammar {
  public:
    AnswerGrammar(GrammarBuilder& builder, const Json& answer, const ToolFormat& format)
        : b_(builder), arguments_(builder), answer_(answer), format_(format) {}

    Result<Expr> forced();
    Result<Expr> free();

  private:
    Result<Expr> call_of(const CallShape& shape, const Json& tool);
    Result<Expr> name_of(const CallShape& shape, const std::string& name);
    Result<Expr> any_call(const CallShape& shape);
    Result<Expr> behind_opening(const CallShape& shape);
    Expr harmony_header();

    Result<Expr> harmony_text();
    Result<Expr> marked_text();
    Result<void> watch_calls(TextScanner& scanner, Mode text, const std::vector<Mode>& starts);
    Mode behind_calls(TextScanner& scanner, const CallShape& shape, Mode text);
    Mode no_call_behind(TextScanner& scanner, const CallShape& shape, Mode text);

    bool many() const { return answer_["many"].get<bool>(); }
    bool is_harmony() const { return !format_.make_reader; }

    GrammarBuilder& b_;
    CallArguments arguments_;
    const Json& answer_;
    const ToolFormat& format_;
};

// --- one call -----------------------------------------------------------------------------------

Error of_tool(const std::string& name, Error error) {
    return std::move(error).in(concat("tools '", name, "' parameters"));
}

Result<Expr> AnswerGrammar::name_of(const CallShape& shape, const std::string& name) {
    if (shape.quoted_name) {
        const std::string quoted = dump_json(Json(name));
        return b_.literal(std::string_view(quoted).substr(1, quoted.size() - 2));
    }
    if (!is_name(name))
        return Error{
            Code::unsupported,
            concat("tools '", name, "': the model's way of calling, ", format_.name,
                   ", can't write this name; it takes letters, digits, and any of _-.:/@$")};
    return b_.literal(name);
}

Result<Expr> AnswerGrammar::call_of(const CallShape& shape, const Json& tool) {
    const std::string name = tool["name"];
    const bool is_strict = tool["strict"].get<bool>();
    std::vector<Expr> parts;
    TRY(const Expr written_name, name_of(shape, name));
    parts.push_back(written_name);
    if (shape.numbered_name)
        parts.insert(parts.end(),
                     {b_.literal(":"), b_.repeat(b_.one_of({{'0', '9'}}), 1, kIdDigits)});
    if (!shape.id.empty()) {
        const Expr letter = b_.one_of({{'0', '9'}, {'A', 'Z'}, {'a', 'z'}});
        parts.push_back(b_.optional(b_.sequence({b_.literal(shape.id), b_.repeat(letter, 9, 9)})));
    }
    parts.push_back(is_harmony() ? harmony_header() : arguments_.words(shape.before_arguments));
    auto arguments = arguments_.read(shape, is_strict ? &tool["parameters"] : nullptr);
    if (!arguments.ok()) return of_tool(name, std::move(arguments).error());
    parts.push_back(*arguments);
    parts.push_back(arguments_.words(shape.end));
    return b_.sequence(std::move(parts));
}

/// What may stand between the name of a function and its arguments.
Expr AnswerGrammar::harmony_header() {
    const auto maybe = [&](std::string_view text) { return b_.optional(b_.literal(text)); };
    const Expr channel =
        b_.optional(b_.sequence({b_.literal("<|channel|>"),
                                 b_.either({b_.literal("commentary"), b_.literal("analysis")})}));
    return b_.sequence(
        {channel, maybe(" "), maybe("<|constrain|>"), maybe("json"), b_.literal("<|message|>")});
}

/// One call of any tool, from its name on.
Result<Expr> AnswerGrammar::any_call(const CallShape& shape) {
    std::vector<Expr> each;
    for (const Json& tool : answer_["tools"]) {
        TRY(const Expr call, call_of(shape, tool));
        each.push_back(call);
    }
    const Rule rule = b_.declare("call", true);
    b_.define(rule, b_.either(std::move(each)));
    return b_.call(rule);
}

/// All calls that the opening opens.
Result<Expr> AnswerGrammar::behind_opening(const CallShape& shape) {
    TRY(const Expr call, any_call(shape));
    std::vector<Expr> parts = {arguments_.words(shape.first), call};
    if (many() && !shape.between.empty())
        parts.push_back(b_.repeat(b_.sequence({arguments_.words(shape.between), call}), 0, {}));
    parts.push_back(arguments_.words(shape.close));
    return b_.sequence(std::move(parts));
}

// --- calls and nothing else ---------------------------------------------------------------------

Result<Expr> AnswerGrammar::forced() {
    std::vector<Expr> each, marked;
    for (const CallShape& shape : format_.shapes) {
        TRY(const Expr rest, behind_opening(shape));
        const Expr section = b_.sequence({b_.literal(shape.opening), rest});
        (shape.at_start || is_harmony() ? each : marked).push_back(section);
    }
    if (!marked.empty()) {
        const Expr section = b_.either(marked);
        const Expr more = b_.sequence({arguments_.gap(), section});
        each.push_back(
            b_.sequence({section, b_.repeat(more, 0, many() ? std::nullopt : std::optional(0u))}));
    }
    const Expr calls = b_.either(std::move(each));
    if (!is_harmony()) return calls;
    return b_.sequence({b_.optional(b_.literal("<|channel|>commentary")), b_.literal(" "), calls,
                        b_.optional(b_.literal("<|call|>"))});
}

// --- calls in free text -------------------------------------------------------------------------

Result<Expr> AnswerGrammar::free() {
    return is_harmony() ? harmony_text() : marked_text();
}

/// Messages in channels: headers, in which a call is addressed to its function, and bodies.
Result<Expr> AnswerGrammar::harmony_text() {
    TextScanner scanner(b_);
    const Mode header = scanner.add_mode(), body = scanner.add_mode(), end = scanner.add_end();
    const CallShape& shape = format_.shapes.front();
    TRY(const Expr call, behind_opening(shape));
    const Expr over = b_.either({b_.literal("<|call|>"), b_.literal("<|end|>")});
    scanner.watch(header, shape.opening, call, end);
    scanner.watch(header, shape.opening, b_.sequence({call, over}), header);
    scanner.watch(header, "<|message|>", b_.empty(), body);
    for (const std::string_view marker : kHarmonyMarkers)
        if (marker != "<|message|>" && marker != "<|constrain|>")
            scanner.watch(body, marker, b_.empty(), header);
    return scanner.write(answer_["begins"] == "text" ? body : header);
}

/// One text with markers in it. Reasoning stands at the start, and so do calls that nothing marks.
Result<Expr> AnswerGrammar::marked_text() {
    TRY(const ReasoningFormat* reasoning,
        find_reasoning_format(answer_["reasoning"].get<std::string>()));
    TextScanner scanner(b_);
    const Mode start = scanner.add_mode(), thinking = scanner.add_mode(),
               thought = scanner.add_mode(), text = scanner.add_mode();
    if (reasoning->has_markers()) {
        scanner.watch_start(start, concat("\n", reasoning->open), b_.empty(), thinking);
        scanner.watch(thinking, reasoning->close, b_.empty(), thought);
    }
    scanner.otherwise(start, text);
    scanner.otherwise(thought, text);
    TRY(watch_calls(scanner, text, {start, thought}));
    const std::string begins = answer_["begins"];
    return scanner.write(begins == "text" ? text : begins == "reasoning" ? thinking : start);
}

Result<void> AnswerGrammar::watch_calls(TextScanner& scanner, Mode text,
                                        const std::vector<Mode>& starts) {
    std::vector<Mode> all = starts, behind;
    all.push_back(text);
    for (const CallShape& shape : format_.shapes) {
        behind.push_back(behind_calls(scanner, shape, text));
        if (behind.back() != text) all.push_back(behind.back());
    }
    for (size_t i = 0; i < behind.size(); ++i) {
        const CallShape& shape = format_.shapes[i];
        if (!shape.at_start) continue;
        TRY(const Expr calls, behind_opening(shape));
        all.push_back(no_call_behind(scanner, shape, text));
        for (const Mode start : starts) {
            scanner.watch_start(start, concat("\n", shape.opening), calls, behind[i]);
            scanner.watch_start(start, concat("\n", shape.opening), b_.empty(), all.back());
        }
    }
    for (size_t i = 0; i < behind.size(); ++i) {
        const CallShape& shape = format_.shapes[i];
        if (shape.at_start) continue;
        TRY(const Expr calls, behind_opening(shape));
        for (const Mode mode : all)
            scanner.watch(mode, shape.opening, calls, behind[i]);
    }
    return {};
}

/// Text behind calls. Where nothing closes objects, a separator would make the reader go on with
/// what follows as a call.
Mode AnswerGrammar::behind_calls(TextScanner& scanner, const CallShape& shape, Mode text) {
    if (!shape.quoted_name || !shape.close.empty()) return text;
    const Mode mode = scanner.add_mode();
    scanner.otherwise(mode, text);
    for (const std::string_view separator : {"\n;", "\n,"})
        scanner.forbid_start(mode, separator);
    return mode;
}

/// A text that goes on behind an opening that nothing marks, and is no call: its first key is none
/// of a call's, or its first word no tool's name.
Mode AnswerGrammar::no_call_behind(TextScanner& scanner, const CallShape& shape, Mode text) {
    const Mode mode = scanner.add_mode();
    scanner.otherwise(mode, text);
    if (shape.arguments == CallShape::Arguments::python) {
        for (const Json& tool : answer_["tools"])
            scanner.forbid_start(mode, concat("\n", tool["name"].get<std::string>(), "\n("));
        return mode;
    }
    const std::string_view object = shape.opening == "[" ? "\n{\n\"" : "\n\"";
    for (const std::string_view key : kCallKeys) {
        scanner.forbid_start(mode, concat(object, key, '"'));
        for (size_t size = 0; size < key.size(); ++size)  // a letter may be written as an escape
            scanner.forbid_start(mode, concat(object, key.substr(0, size), '\\'));
    }
    return mode;
}

}  // namespace

Result<Expr> read_tool_calls(GrammarBuilder& builder, const Json& answer) {
    TRY(const ToolFormat* format, find_tool_format(answer["format"].get<std::string>()));
    AnswerGrammar grammar(builder, answer, *format);
    return answer["forced"].get<bool>() ? grammar.forced() : grammar.free();
}

}  // namespace brigada
