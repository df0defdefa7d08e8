// Reads a request of OpenAI's Chat Completions.
#include "dialect/readers.h"
#include "dialect/request_parts.h"

namespace brigada {

namespace {

// --- the parts of a message ------------------------------------------------------------------

/// An object with a URL, or, as some clients send it, the URL alone.
Result<ImageBlock> read_image(JsonNode part) {
    TRY(const JsonNode image, needed(part, "image_url", "an object with url"));
    ImageBlock out;
    if (image.is(JsonKind::string)) {
        TRY(read_address(image, out));
        return out;
    }
    TRY(const JsonNode url, needed(image, "url", "a string"));
    TRY(read_address(url, out));
    TRY(out.detail, optional_text(image, "detail"));
    return out;
}

Result<FileBlock> read_file(JsonNode part) {
    TRY(const JsonNode file, needed(part, "file", "an object with file_data"));
    if (const auto id = file.find("file_id"))
        return untranslatable(*id, "files kept by a provider can't be read; send file_data");
    TRY(const JsonNode data, needed(file, "file_data", "a data: URL"));
    FileBlock out;
    TRY(read_address(data, out));
    TRY(out.name, optional_text(file, "filename"));
    return out;
}

/// Text, images and files; `blocks` are a message's or a tool result's.
template <typename Blocks>
Result<void> read_part(JsonNode part, std::string_view type, Blocks& blocks) {
    if (type == "text") {
        TRY(const Escaped text, needed_text(part, "text"));
        blocks.push_back(TextBlock{text});
    } else if (type == "image_url") {
        TRY(ImageBlock image, read_image(part));
        blocks.push_back(image);
    } else if (type == "file") {
        TRY(FileBlock file, read_file(part));
        blocks.push_back(file);
    } else {
        return untranslatable(part, "parts of type text, image_url and file can be translated");
    }
    return {};
}

Result<void> read_assistant_part(JsonNode part, std::string_view type, Message& to) {
    if (type != "refusal") return read_part(part, type, to.blocks);
    TRY(const Escaped text, needed_text(part, "refusal"));
    to.blocks.push_back(RefusalBlock{text});
    return {};
}

// --- messages --------------------------------------------------------------------------------

Result<ToolCallBlock> read_custom_call(JsonNode call, JsonNode custom) {
    ToolCallBlock out{.custom = true};
    TRY(out.id, optional_text(call, "id"));
    TRY(out.name, needed_name(custom, "name"));
    TRY(const Escaped input, needed_text(custom, "input"));
    out.input = input;
    return out;
}

/// Arguments are text; from clients that send an object they are taken as it.
Result<ToolCallBlock> read_call(JsonNode call) {
    if (const auto custom = call.find("custom")) return read_custom_call(call, *custom);
    TRY(const JsonNode function, needed(call, "function", "an object"));
    ToolCallBlock out;
    TRY(out.id, optional_text(call, "id"));
    TRY(out.name, needed_name(function, "name"));
    const auto arguments = function.find("arguments");
    if (arguments && arguments->is(JsonKind::object)) {
        out.input = arguments->raw();
    } else if (arguments) {
        TRY(const Escaped text, text_of(*arguments));
        out.input = text;
    }
    return out;
}

/// `reasoning_content`, or `reasoning` as some engines call it now.
Result<void> read_reasoning(JsonNode message, Message& to) {
    for (const std::string_view name : {"reasoning_content", "reasoning"}) {
        TRY(const Escaped text, optional_text(message, name));
        if (text.empty()) continue;
        to.blocks.push_back(ThinkingBlock{.text = text});
        break;
    }
    return {};
}

Result<void> read_calls(JsonNode message, Message& to) {
    const auto calls = message.find("tool_calls");
    if (!calls) return {};
    TRY(array_of(*calls));
    for (const JsonNode item : *calls) {
        TRY(ToolCallBlock call, read_call(item));
        to.blocks.push_back(call);
    }
    return {};
}

Result<void> read_assistant(JsonNode message, Message& to) {
    if (const auto call = message.find("function_call"))
        return untranslatable(*call, "calls are read from tool_calls");
    TRY(read_reasoning(message, to));
    TRY(read_content(message.find("content"), to.blocks, [&](JsonNode part, std::string_view type) {
        return read_assistant_part(part, type, to);
    }));
    TRY(const Escaped refusal, optional_text(message, "refusal"));
    if (!refusal.empty()) to.blocks.push_back(RefusalBlock{refusal});
    return read_calls(message, to);
}

Result<void> read_system(JsonNode message, Message& to) {
    const auto add = [&](JsonNode part, std::string_view type) -> Result<void> {
        if (type != "text") return untranslatable(part, "a system prompt is text");
        TRY(const Escaped text, needed_text(part, "text"));
        add_system_text(to, text);
        return {};
    };
    const auto content = message.find("content");
    if (!content || !content->is(JsonKind::string)) return read_content(content, to.blocks, add);
    add_system_text(to, content->text());
    return {};
}

Result<void> read_user(JsonNode message, Message& to) {
    return read_content(
        message.find("content"), to.blocks,
        [&](JsonNode part, std::string_view type) { return read_part(part, type, to.blocks); });
}

Result<void> read_tool_result(JsonNode message, Message& to) {
    ToolResultBlock out;
    TRY(out.call_id, needed_text(message, "tool_call_id"));
    TRY(read_content(
        message.find("content"), out.content,
        [&](JsonNode part, std::string_view type) { return read_part(part, type, out.content); }));
    to.blocks.push_back(std::move(out));
    return {};
}

struct RoleRule {
    std::string_view name;
    Role role;
    Result<void> (*read)(JsonNode message, Message& to);
};

constexpr RoleRule kRoles[] = {
    {"system", Role::system, read_system},  {"developer", Role::developer, read_system},
    {"user", Role::user, read_user},        {"assistant", Role::assistant, read_assistant},
    {"tool", Role::user, read_tool_result},
};

Result<void> read_message(JsonNode message, Conversation& to) {
    TRY(const JsonNode role, needed(message, "role", "a string"));
    TRY(const Escaped name, text_of(role));
    for (const RoleRule& rule : kRoles) {
        if (rule.name != name.raw) continue;
        Message out{.role = rule.role};
        TRY(out.name, optional_text(message, "name"));
        TRY(rule.read(message, out));
        to.messages.push_back(std::move(out));
        return {};
    }
    return wrong(role, "system, developer, user, assistant or tool");
}

Result<void> read_turns(JsonNode messages, Conversation& to) {
    TRY(array_of(messages));
    for (const JsonNode message : messages)
        TRY(read_message(message, to));
    return {};
}

// --- tools -----------------------------------------------------------------------------------

Result<Tool> read_custom_tool(JsonNode custom) {
    const auto format = custom.find("format");
    return read_free_text_tool(custom, format ? format->find("grammar") : format);
}

Result<void> read_tool(JsonNode tool, Conversation& to) {
    TRY(const Escaped type, needed_text(tool, "type"));
    if (type.raw == "function") {
        TRY(const JsonNode function, needed(tool, "function", "an object"));
        TRY(Tool out, read_tool_of(function, "parameters"));
        to.tools.push_back(out);
    } else if (type.raw == "custom") {
        TRY(const JsonNode custom, needed(tool, "custom", "an object"));
        TRY(Tool out, read_custom_tool(custom));
        to.tools.push_back(out);
    } else {
        note_provider_tool(to, tool, type);
    }
    return {};
}

Result<void> read_tools(JsonNode tools, Conversation& to) {
    TRY(array_of(tools));
    for (const JsonNode tool : tools)
        TRY(read_tool(tool, to));
    return {};
}

/// {"type": "function", "function": {"name"}} or the same with "custom".
Result<Escaped> read_named_tool(JsonNode value) {
    TRY(const Escaped type, needed_text(value, "type"));
    if (type.raw != "function" && type.raw != "custom")
        return untranslatable(value, "a function or a custom tool can be named");
    TRY(const JsonNode tool, needed(value, type.raw, "an object with name"));
    return needed_name(tool, "name");
}

Result<void> read_tool_choice(JsonNode value, Conversation& to) {
    return read_openai_tool_choice(value, {read_named_tool, "allowed_tools"}, to);
}

// --- the rest --------------------------------------------------------------------------------

Result<void> read_stream_options(JsonNode value, Conversation& to) {
    TRY(const std::optional<bool> usage, optional_boolean(value, "include_usage"));
    to.include_usage = usage.value_or(false);
    return {};
}

Result<void> read_response_format(JsonNode value, Conversation& to) {
    TRY(const JsonNode type, needed(value, "type", "text, json_object or json_schema"));
    TRY(to.format.kind, read_format_kind(type));
    if (to.format.kind != OutputFormat::Kind::json_schema) return {};
    TRY(const JsonNode schema, needed(value, "json_schema", "an object with name and schema"));
    return read_schema_format(schema, to);
}

/// The older name gives way.
Result<void> read_max_tokens(JsonNode value, Conversation& to) {
    TRY(const int64_t tokens, integer_of(value, 1));
    if (!to.sampling.max_output) to.sampling.max_output = tokens;
    return {};
}

Result<void> read_n(JsonNode value, Conversation& to) {
    TRY(to.sampling.choices, integer_of(value, 1));
    return {};
}

Result<void> refuse_functions(JsonNode value, Conversation&) {
    return untranslatable(value, "functions are read from tools");
}

Result<void> read_logprobs(JsonNode value, Conversation& to) {
    TRY(to.sampling.logprobs, boolean_of(value));
    return {};
}

constexpr FieldRule kFields[] = {
    {"model", read_model},
    {"messages", read_turns},
    {"tools", read_tools},
    {"tool_choice", pass_over},  // after the tools, wherever it stands
    {"parallel_tool_calls", read_parallel},
    {"functions", refuse_functions},
    {"function_call", refuse_functions},
    {"stream", read_stream},
    {"stream_options", read_stream_options},
    {"max_tokens", read_max_tokens},
    {"max_completion_tokens", read_max_output},
    {"n", read_n},
    {"temperature", read_number<&SamplingWish::temperature>},
    {"top_p", read_number<&SamplingWish::top_p>},
    {"top_k", read_number<&SamplingWish::top_k>},
    {"seed", read_number<&SamplingWish::seed>},
    {"presence_penalty", read_number<&SamplingWish::presence_penalty>},
    {"frequency_penalty", read_number<&SamplingWish::frequency_penalty>},
    {"stop", read_stop},
    {"logprobs", read_logprobs},
    {"top_logprobs", read_number<&SamplingWish::top_logprobs>},
    {"reasoning_effort", read_effort},
    {"response_format", read_response_format},
    {"user", read_text<&Conversation::end_user>},
    {"safety_identifier", read_safety_identifier},
    {"service_tier", read_text<&Conversation::service_tier>},
    {"prompt_cache_key", read_text<&Conversation::prompt_cache_key>},
    {"verbosity", read_text<&Conversation::verbosity>},
    {"store", read_store},
};

}  // namespace

Result<void> read_chat(JsonNode body, Conversation& to) {
    TRY(needed(body, "messages", "an array"));
    TRY(read_fields(body, kFields, to));
    if (const auto choice = body.find("tool_choice")) TRY(read_tool_choice(*choice, to));
    return {};
}

}  // namespace brigada
