#include "dialect/tool_words.h"

#include "base/concat.h"
#include "dialect/json_tree.h"

namespace brigada {

namespace {

constexpr RawJson kAnything{R"({"type":"object","properties":{}})"};
constexpr RawJson kOneText{
    R"({"type":"object","properties":{"input":{"type":"string"}},"required":["input"],)"
    R"("additionalProperties":false})"};

/// Leaves room for the levels around a call's arguments in any body.
constexpr int kDeepest = 240;

/// The object that `text` is, checked; nothing where it is none.
std::optional<std::string> as_object(std::string text) {
    text.reserve(text.size() + kJsonPadding);
    const Result<JsonTree> tree = JsonTree::parse(text, kDeepest);
    if (tree.ok()) return text;
    if (tree.error().code != Code::corrupt) return std::nullopt;
    return as_object(mended_surrogates(text));
}

bool is_empty_object(RawJson value) {
    return value.text.starts_with('{') &&
           value.text.find_first_not_of(" \t\r\n", 1) == value.text.size() - 1;
}

}  // namespace

void append_arguments_text(std::string& out, const ToolCallBlock& call) {
    if (const auto* raw = std::get_if<RawJson>(&call.input)) return append_escaped(out, raw->text);
    const Escaped text = std::get<Escaped>(call.input);
    if (!call.custom) {
        out += text.empty() ? "{}" : text.raw;
        return;
    }
    append_escaped(out, concat(R"({"input":")", text.raw, R"("})"));
}

void write_arguments_object(JsonOut& out, const ToolCallBlock& call) {
    if (const auto* raw = std::get_if<RawJson>(&call.input)) return out.raw(*raw);
    const Escaped text = std::get<Escaped>(call.input);
    if (text.empty() && !call.custom) return out.raw({"{}"});
    if (!call.custom)
        if (const auto object = as_object(unescaped(text))) return out.raw({*object});
    out.begin_object();
    out.text_field(call.custom ? "input" : "arguments", text);
    out.end_object();
}

RawJson schema_of(const Tool& tool) {
    if (tool.custom) return kOneText;
    return tool.schema.empty() || is_empty_object(tool.schema) ? kAnything : tool.schema;
}

void write_description(JsonOut& out, const Tool& tool) {
    if (tool.description.empty() && tool.grammar.empty()) return;
    out.key("description");
    out.begin_text();
    std::string& text = out.text_so_far();
    text += tool.description.raw;
    if (!tool.grammar.empty()) {
        text += concat(tool.description.empty() ? "" : "\\n\\n", "The input follows this ",
                       tool.grammar_syntax.raw, " grammar:\\n", tool.grammar.raw);
    }
    out.end_text();
}

}  // namespace brigada
