#include "gateway/count/prompt_source.h"

#include <simdjson.h>

#include <string>
#include <utility>

#include "api/json_fields.h"
#include "base/concat.h"
#include "base/json.h"

namespace brigada {

namespace {

Error wrong(std::string_view what, std::string_view expected) {
    return {Code::invalid_argument, concat(what, ": must be ", expected)};
}

Error not_text(std::string_view type) {
    return {Code::unsupported,
            concat("\"", type, "\" parts have tokens that no tokenizer of text counts")};
}

Result<Json> parsed(std::string_view raw, std::string_view what) {
    thread_local simdjson::dom::parser parser;
    simdjson::dom::element element;
    if (auto error = parser.parse(raw.data(), raw.size(), false).get(element))
        return wrong(what, concat("JSON: ", simdjson::error_message(error)));
    return to_json(element);
}

Result<Json> parsed_or_null(std::string_view raw, std::string_view what) {
    if (raw.empty()) return Json(nullptr);
    return parsed(raw, what);
}

/// A field's value, out of its object; null where there is none.
Json take(Json& object, const char* name) {
    const auto found = object.find(name);
    return found == object.end() ? Json(nullptr) : std::move(*found);
}

std::string take_text(Json& object, const char* name) {
    Json value = take(object, name);
    return value.is_string() ? std::move(value.get_ref<std::string&>()) : std::string();
}

// --- content ----------------------------------------------------------------------------------

void add_line(std::string& out, bool is_first, std::string text) {
    if (!is_first) out += '\n';
    out += text;
}

/// Text, or its parts joined. Of a message that only calls tools it is empty, as engines have it.
Result<Json> joined_text(Json content) {
    if (content.is_null()) return Json("");
    if (content.is_string()) return content;
    if (!content.is_array()) return wrong("content", "text or parts");
    std::string out;
    bool is_first = true;
    for (Json& part : content) {
        if (!part.is_object()) return wrong("content", "text or parts");
        const std::string type = take_text(part, "type");
        if (type != "text" && type != "input_text" && type != "refusal") return not_text(type);
        add_line(out, std::exchange(is_first, false),
                 take_text(part, type == "refusal" ? "refusal" : "text"));
    }
    return Json(std::move(out));
}

// --- chat completions -------------------------------------------------------------------------

Result<void> append_chat_message(Json message, Json& out) {
    if (!message.is_object()) return wrong("messages", "objects");
    std::string role = take_text(message, "role");
    if (role.empty()) return wrong("role", "the role of a message");
    if (role == "developer") role = "system";
    TRY(Json content, joined_text(take(message, "content")));
    Json read = {{"role", std::move(role)}, {"content", std::move(content)}};
    if (Json calls = take(message, "tool_calls"); calls.is_array() && !calls.empty())
        read["tool_calls"] = std::move(calls);
    for (const char* name : {"name", "tool_call_id", "reasoning_content"})
        if (Json value = take(message, name); value.is_string()) read[name] = std::move(value);
    out.push_back(std::move(read));
    return {};
}

// --- Anthropic --------------------------------------------------------------------------------

/// What one message gathers while its blocks are read.
struct Blocks {
    std::string text;
    bool has_text = false;
    std::string thinking;
    Json calls = Json::array();
    Json results = Json::array();
};

Json function_call(Json& block) {
    return {
        {"id", take_text(block, "id")},
        {"type", "function"},
        {"function", {{"name", take_text(block, "name")}, {"arguments", take(block, "input")}}}};
}

Result<void> add_block(Json& block, Blocks& out) {
    if (!block.is_object()) return wrong("content", "text or blocks");
    const std::string type = take_text(block, "type");
    if (type == "text") {
        add_line(out.text, !std::exchange(out.has_text, true), take_text(block, "text"));
    } else if (type == "thinking") {
        out.thinking += take_text(block, "thinking");
    } else if (type == "tool_use") {
        out.calls.push_back(function_call(block));
    } else if (type == "tool_result") {
        TRY(Json content, joined_text(take(block, "content")));
        out.results.push_back({{"role", "tool"},
                               {"tool_call_id", take_text(block, "tool_use_id")},
                               {"content", std::move(content)}});
    } else {
        return not_text(type);
    }
    return {};
}

/// Results come first: they answer the calls of the message before.
void append_blocks(std::string role, Blocks blocks, Json& out) {
    const bool has_results = !blocks.results.empty();
    for (Json& result : blocks.results)
        out.push_back(std::move(result));
    if (has_results && !blocks.has_text) return;
    Json message = {{"role", std::move(role)}, {"content", std::move(blocks.text)}};
    if (!blocks.thinking.empty()) message["reasoning_content"] = std::move(blocks.thinking);
    if (!blocks.calls.empty()) message["tool_calls"] = std::move(blocks.calls);
    out.push_back(std::move(message));
}

Result<void> append_anthropic_message(Json message, Json& out) {
    if (!message.is_object()) return wrong("messages", "objects");
    std::string role = take_text(message, "role");
    if (role.empty()) return wrong("role", "the role of a message");
    Json content = take(message, "content");
    if (content.is_string()) {
        out.push_back({{"role", std::move(role)}, {"content", std::move(content)}});
        return {};
    }
    if (!content.is_array()) return wrong("content", "text or blocks");
    Blocks blocks;
    for (Json& block : content)
        TRY(add_block(block, blocks));
    append_blocks(std::move(role), std::move(blocks), out);
    return {};
}

/// {name, description, input_schema} as {"type": "function", "function": {...}}.
Result<Json> anthropic_tools(Json tools) {
    if (tools.is_null()) return tools;
    Json out = Json::array();
    for (Json& tool : tools) {
        if (!tool.is_object() || !tool.contains("input_schema"))
            return Error{Code::unsupported, "tools of the provider's own have unknown tokens"};
        Json function = {{"name", take_text(tool, "name")}};
        if (Json about = take(tool, "description"); about.is_string())
            function["description"] = std::move(about);
        function["parameters"] = take(tool, "input_schema");
        out.push_back({{"type", "function"}, {"function", std::move(function)}});
    }
    return out;
}

Result<void> add_system(std::string_view raw, ChatInput& out) {
    TRY(Json system, parsed_or_null(raw, "system"));
    if (system.is_null()) return {};
    TRY(Json text, joined_text(std::move(system)));
    out.messages.push_back({{"role", "system"}, {"content", std::move(text)}});
    return {};
}

}  // namespace

bool has_tools(const PromptSource& source) {
    if (source.tool_choice == "\"none\"" || !source.tools.starts_with('[')) return false;
    const size_t first = source.tools.find_first_not_of(kJsonBlanks, 1);
    return first != source.tools.npos && source.tools[first] != ']';
}

Result<ChatInput> read_around(const PromptSource& source) {
    ChatInput out{.messages = Json::array()};
    if (has_tools(source)) {
        TRY(out.tools, parsed(source.tools, "tools"));
    }
    if (is_anthropic(source.dialect)) {
        TRY(out.tools, anthropic_tools(std::move(out.tools)));
        TRY(add_system(source.system, out));
    }
    TRY(out.extra, parsed_or_null(source.template_arguments, "chat_template_kwargs"));
    out.add_generation_prompt = source.add_generation_prompt != "false";
    out.continue_final_message = source.continue_final_message == "true";
    return out;
}

Result<void> append_message(std::string_view raw, Dialect dialect, Json& out) {
    TRY(Json message, parsed(raw, "messages"));
    return is_anthropic(dialect) ? append_anthropic_message(std::move(message), out)
                                 : append_chat_message(std::move(message), out);
}

}  // namespace brigada
