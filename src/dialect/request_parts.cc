#include "dialect/request_parts.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "base/concat.h"
#include "dialect/volatile_block.h"

namespace brigada {

namespace {

Result<void> read_allowed_tools(JsonNode allowed, const ToolChoiceShape& shape, Conversation& to) {
    TRY(const JsonNode mode, needed(allowed, "mode", "auto or required"));
    TRY(read_tool_choice_word(mode, to));
    TRY(const JsonNode tools, needed(allowed, "tools", "an array"));
    TRY(array_of(tools));
    std::vector<Escaped> names;
    for (const JsonNode tool : tools) {
        TRY(const Escaped name, shape.read_name(tool));
        names.push_back(name);
    }
    keep_tools(to, names);
    return {};
}

/// How the readers note a tool of the provider.
std::string provider_tool(Escaped name) {
    return concat("tools.", name.raw);
}

}  // namespace

Result<void> read_model(JsonNode value, Conversation& to) {
    TRY(const Escaped model, text_of(value));
    to.model = unescaped(model);
    return {};
}

Result<void> read_stream(JsonNode value, Conversation& to) {
    TRY(to.stream, boolean_of(value));
    return {};
}

Result<void> read_effort(JsonNode value, Conversation& to) {
    TRY(const Escaped effort, text_of(value));
    const bool off = effort.raw == "none";
    to.thinking.kind = off ? ThinkingWish::Kind::off : ThinkingWish::Kind::on;
    to.thinking.effort = off ? Escaped() : effort;
    return {};
}

Result<void> read_stop(JsonNode value, Conversation& to) {
    if (value.is(JsonKind::string)) {
        to.sampling.stop = {value.text()};
        return {};
    }
    if (!value.is(JsonKind::array)) return wrong(value, "a string or an array of strings");
    to.sampling.stop.clear();
    for (const JsonNode item : value) {
        TRY(const Escaped text, text_of(item));
        to.sampling.stop.push_back(text);
    }
    return {};
}

Result<void> read_max_output(JsonNode value, Conversation& to) {
    TRY(to.sampling.max_output, integer_of(value, 1));
    return {};
}

Result<void> read_safety_identifier(JsonNode value, Conversation& to) {
    TRY(const Escaped text, text_of(value));
    if (to.end_user.empty()) to.end_user = text;
    return {};
}

Result<void> read_store(JsonNode value, Conversation& to) {
    TRY(to.store, boolean_of(value));
    return {};
}

Result<void> read_parallel(JsonNode value, Conversation& to) {
    TRY(to.tool_choice.parallel, boolean_of(value));
    return {};
}

Result<void> read_tool_choice_word(JsonNode value, Conversation& to) {
    using Kind = ToolChoice::Kind;
    constexpr std::pair<std::string_view, Kind> kWords[] = {
        {"none", Kind::none}, {"auto", Kind::automatic}, {"required", Kind::required}};
    for (const auto& [word, kind] : kWords) {
        if (!value.is(JsonKind::string) || value.text().raw != word) continue;
        to.tool_choice.kind = kind;
        return {};
    }
    return wrong(value, "none, auto, required or an object that names a tool");
}

Result<void> read_openai_tool_choice(JsonNode value, const ToolChoiceShape& shape,
                                     Conversation& to) {
    if (value.is(JsonKind::string)) return read_tool_choice_word(value, to);
    TRY(const Escaped type, needed_text(value, "type"));
    if (type.raw == "allowed_tools") {
        if (shape.allowed_in.empty()) return read_allowed_tools(value, shape, to);
        TRY(const JsonNode allowed,
            needed(value, shape.allowed_in, "an object with mode and tools"));
        return read_allowed_tools(allowed, shape, to);
    }
    TRY(to.tool_choice.name, shape.read_name(value));
    to.tool_choice.kind = ToolChoice::Kind::named;
    return {};
}

Result<Tool> read_tool_of(JsonNode function, std::string_view schema_name) {
    Tool out;
    TRY(out.name, needed_name(function, "name"));
    TRY(out.description, optional_text(function, "description"));
    TRY(out.schema, optional_object(function, schema_name));
    TRY(out.strict, optional_boolean(function, "strict"));
    return out;
}

Result<Tool> read_free_text_tool(JsonNode tool, const std::optional<JsonNode>& grammar) {
    Tool out{.custom = true};
    TRY(out.name, needed_name(tool, "name"));
    TRY(out.description, optional_text(tool, "description"));
    if (!grammar) return out;
    TRY(out.grammar, optional_text(*grammar, "definition"));
    TRY(out.grammar_syntax, optional_text(*grammar, "syntax"));
    return out;
}

Result<OutputFormat::Kind> read_format_kind(JsonNode type) {
    using Kind = OutputFormat::Kind;
    constexpr std::pair<std::string_view, Kind> kKinds[] = {{"text", Kind::text},
                                                            {"json_object", Kind::json_object},
                                                            {"json_schema", Kind::json_schema}};
    for (const auto& [word, kind] : kKinds)
        if (type.is(JsonKind::string) && type.text().raw == word) return kind;
    return wrong(type, "text, json_object or json_schema");
}

Result<void> read_schema_format(JsonNode format, Conversation& to) {
    TRY(to.format.name, optional_text(format, "name"));
    TRY(to.format.description, optional_text(format, "description"));
    TRY(to.format.schema, optional_object(format, "schema"));
    TRY(to.format.strict, optional_boolean(format, "strict"));
    return {};
}

Result<std::optional<DataUrl>> split_data_url(JsonNode url) {
    constexpr std::string_view kScheme = "data:", kBase64 = ";base64,";
    constexpr std::string_view kExpected = "an address, or base64 as data:TYPE;base64,DATA";
    TRY(const Escaped text, text_of(url));
    if (text.empty()) return wrong(url, kExpected);
    if (!text.raw.starts_with(kScheme)) return std::optional<DataUrl>();
    const size_t mark = text.raw.find(kBase64);
    if (mark == text.raw.npos) return wrong(url, kExpected);
    const std::string_view type = text.raw.substr(kScheme.size(), mark - kScheme.size());
    return std::optional(DataUrl{.media_type = {type.substr(0, type.find(';'))},
                                 .data = {text.raw.substr(mark + kBase64.size())}});
}

Escaped kept(Conversation& to, std::string text) {
    return {to.made.emplace_back(std::move(text))};
}

Escaped as_text(JsonNode value, Conversation& to) {
    return value.is(JsonKind::string) ? value.text() : kept(to, escaped(value.raw().text));
}

void add_system_text(Message& to, Escaped text) {
    text = without_volatile_line(text);
    if (!text.empty()) to.blocks.push_back(TextBlock{text});
}

void note_provider_tool(Conversation& to, JsonNode tool, Escaped type) {
    const auto name = tool.find("name");
    const bool named = name && name->is(JsonKind::string);
    note_unknown(to, provider_tool(named ? name->text() : type));
}

Result<void> check_tool_choice(const Conversation& conversation) {
    const ToolChoice& choice = conversation.tool_choice;
    if (choice.kind == ToolChoice::Kind::required && conversation.tools.empty())
        return Error{Code::invalid_argument,
                     "tool_choice: requires a tool, and this request has none that can be "
                     "translated; send tools, or choose \"auto\""};
    if (choice.kind != ToolChoice::Kind::named) return {};
    if (std::ranges::find(conversation.tools, choice.name, &Tool::name) != conversation.tools.end())
        return {};
    if (std::ranges::find(conversation.unknown, provider_tool(choice.name)) !=
        conversation.unknown.end())
        return Error{Code::unsupported, concat("tool_choice: '", choice.name.raw,
                                               "' is a tool of the provider, which "
                                               "no upstream of another dialect has")};
    return Error{Code::invalid_argument,
                 concat("tool_choice: names '", choice.name.raw, "', which is none of tools")};
}

void keep_tools(Conversation& to, const std::vector<Escaped>& allowed) {
    std::unordered_set<std::string_view> names;
    for (const Escaped name : allowed)
        names.insert(name.raw);
    std::erase_if(to.tools, [&](const Tool& tool) { return !names.contains(tool.name.raw); });
}

}  // namespace brigada
