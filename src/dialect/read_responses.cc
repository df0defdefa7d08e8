// Reads a request of OpenAI's Responses. Its items are pieces of turns: an assistant's text,
// reasoning and calls stand one by one, and are put together to the message they make.
#include "base/concat.h"
#include "dialect/readers.h"
#include "dialect/redacted_mark.h"
#include "dialect/request_parts.h"

namespace brigada {

namespace {

// --- parts -----------------------------------------------------------------------------------

Result<void> refuse_kept_file(JsonNode part) {
    if (const auto id = part.find("file_id"))
        return untranslatable(*id, "files kept by a provider can't be read; send their data");
    return {};
}

Result<ImageBlock> read_image(JsonNode part) {
    TRY(refuse_kept_file(part));
    TRY(const JsonNode url, needed(part, "image_url", "an address or a data: URL"));
    ImageBlock out;
    TRY(read_address(url, out));
    TRY(out.detail, optional_text(part, "detail"));
    return out;
}

Result<FileBlock> read_file(JsonNode part) {
    TRY(refuse_kept_file(part));
    FileBlock out;
    TRY(out.name, optional_text(part, "filename"));
    if (const auto url = part.find("file_url")) {
        TRY(read_address(*url, out));
        return out;
    }
    TRY(const JsonNode data, needed(part, "file_data", "a data: URL"));
    TRY(read_address(data, out));
    return out;
}

bool is_text(std::string_view type) {
    return type == "input_text" || type == "output_text" || type == "text";
}

bool is_part(std::string_view type) {
    return is_text(type) || type == "input_image" || type == "input_file";
}

template <typename Blocks>
Result<void> read_part(JsonNode part, std::string_view type, Blocks& blocks) {
    if (is_text(type)) {
        TRY(const Escaped text, needed_text(part, "text"));
        blocks.push_back(TextBlock{text});
    } else if (type == "input_image") {
        TRY(ImageBlock image, read_image(part));
        blocks.push_back(image);
    } else if (type == "input_file") {
        TRY(FileBlock file, read_file(part));
        blocks.push_back(file);
    } else {
        return untranslatable(
            part,
            "parts of type input_text, output_text, input_image and input_file can be "
            "translated");
    }
    return {};
}

Result<void> read_message_part(JsonNode part, std::string_view type, Message& to) {
    const bool system = to.role == Role::system || to.role == Role::developer;
    if (type == "refusal") {
        TRY(const Escaped text, needed_text(part, "refusal"));
        to.blocks.push_back(RefusalBlock{text});
        return {};
    }
    if (!system) return read_part(part, type, to.blocks);
    if (!is_text(type)) return untranslatable(part, "a system prompt is text");
    TRY(const Escaped text, needed_text(part, "text"));
    add_system_text(to, text);
    return {};
}

// --- items -----------------------------------------------------------------------------------

/// The assistant's message that is being put together.
Message& assistant_turn(Conversation& to) {
    if (to.messages.empty() || to.messages.back().role != Role::assistant)
        to.messages.push_back({.role = Role::assistant});
    return to.messages.back();
}

/// The user's message that holds the results being put together.
Message& result_turn(Conversation& to) {
    const bool open = !to.messages.empty() && !to.messages.back().blocks.empty() &&
                      std::holds_alternative<ToolResultBlock>(to.messages.back().blocks.back());
    if (!open) to.messages.push_back({.role = Role::user});
    return to.messages.back();
}

Result<Role> read_role(JsonNode role) {
    constexpr std::pair<std::string_view, Role> kRoles[] = {{"user", Role::user},
                                                            {"assistant", Role::assistant},
                                                            {"system", Role::system},
                                                            {"developer", Role::developer}};
    for (const auto& [word, out] : kRoles)
        if (role.is(JsonKind::string) && role.text().raw == word) return out;
    return wrong(role, "user, assistant, system or developer");
}

Result<void> read_message(JsonNode item, Conversation& to) {
    TRY(const JsonNode role_value, needed(item, "role", "user, assistant, system or developer"));
    TRY(const Role role, read_role(role_value));
    TRY(const JsonNode content, needed(item, "content", "a string or an array of parts"));
    Message fresh{.role = role};
    Message& message = role == Role::assistant ? assistant_turn(to) : fresh;
    const bool system = role == Role::system || role == Role::developer;
    if (system && content.is(JsonKind::string))
        add_system_text(message, content.text());
    else
        TRY(read_content(std::optional(content), message.blocks,
                         [&](JsonNode part, std::string_view type) {
                             return read_message_part(part, type, message);
                         }));
    if (role != Role::assistant) to.messages.push_back(std::move(fresh));
    return {};
}

/// The texts of an array of {"text"}, with a blank line between them.
Result<Escaped> joined_texts(const std::optional<JsonNode>& parts, Conversation& to) {
    if (!parts) return Escaped();
    TRY(array_of(*parts));
    std::vector<Escaped> texts;
    for (const JsonNode part : *parts) {
        TRY(const Escaped text, needed_text(part, "text"));
        texts.push_back(text);
    }
    if (texts.size() < 2) return texts.empty() ? Escaped() : texts[0];
    std::string out;
    for (const Escaped text : texts)
        out += concat(out.empty() ? "" : "\\n\\n", text.raw);
    return kept(to, std::move(out));
}

/// What was sealed by us for this client is taken out again.
Result<void> read_reasoning(JsonNode item, Conversation& to) {
    ThinkingBlock out;
    TRY(out.id, optional_text(item, "id"));
    TRY(out.signature, optional_text(item, "encrypted_content"));
    if (out.signature.raw.starts_with(kRedactedMark)) {
        out.signature.raw.remove_prefix(kRedactedMark.size());
        assistant_turn(to).blocks.push_back(RedactedThinkingBlock{out.signature});
        return {};
    }
    TRY(out.text, joined_texts(item.find("content"), to));
    if (out.text.empty()) {
        TRY(out.text, joined_texts(item.find("summary"), to));
    }
    assistant_turn(to).blocks.push_back(out);
    return {};
}

/// The name of a tool, or of its call, for dialects without namespaces.
Escaped name_in(Escaped space, Escaped name, Conversation& to) {
    return space.empty() ? name : kept(to, concat(space.raw, kSpaceJoint, name.raw));
}

Result<void> read_function_call(JsonNode item, Conversation& to) {
    ToolCallBlock out;
    TRY(out.id, needed_text(item, "call_id"));
    TRY(const Escaped name, needed_name(item, "name"));
    TRY(const Escaped space, optional_text(item, "namespace"));
    out.name = name_in(space, name, to);
    TRY(const Escaped arguments, optional_text(item, "arguments"));
    out.input = arguments;
    assistant_turn(to).blocks.push_back(out);
    return {};
}

Result<void> read_custom_call(JsonNode item, Conversation& to) {
    ToolCallBlock out{.custom = true};
    TRY(out.id, needed_text(item, "call_id"));
    TRY(out.name, needed_name(item, "name"));
    TRY(const Escaped input, optional_text(item, "input"));
    out.input = input;
    assistant_turn(to).blocks.push_back(out);
    return {};
}

bool is_parts(JsonNode output) {
    if (!output.is(JsonKind::array)) return false;
    for (const JsonNode part : output) {
        const auto type = part.find("type");
        if (!type || !type->is(JsonKind::string) || !is_part(type->text().raw)) return false;
    }
    return true;
}

/// Text, parts, or JSON of any other kind, which is taken as its text.
Result<void> read_output(JsonNode item, bool custom, Conversation& to) {
    ToolResultBlock out{.custom = custom};
    TRY(out.call_id, needed_text(item, "call_id"));
    const auto output = item.find("output");
    if (output && !is_parts(*output))
        out.content.push_back(TextBlock{as_text(*output, to)});
    else
        TRY(read_content(output, out.content, [&](JsonNode part, std::string_view type) {
            return read_part(part, type, out.content);
        }));
    result_turn(to).blocks.push_back(std::move(out));
    return {};
}

Result<void> read_function_output(JsonNode item, Conversation& to) {
    return read_output(item, false, to);
}

Result<void> read_custom_output(JsonNode item, Conversation& to) {
    return read_output(item, true, to);
}

Result<void> refuse_kept(JsonNode item, Conversation&) {
    return untranslatable(item, "stands for what a provider keeps; send the items themselves");
}

constexpr FieldRule kItems[] = {
    {"message", read_message},
    {"reasoning", read_reasoning},
    {"function_call", read_function_call},
    {"function_call_output", read_function_output},
    {"custom_tool_call", read_custom_call},
    {"custom_tool_call_output", read_custom_output},
    {"item_reference", refuse_kept},
    {"compaction", refuse_kept},
};

/// A message may leave its type out. Items of other types tell of the provider's own tools, and
/// are left out by name.
Result<void> read_item(JsonNode item, Conversation& to) {
    if (!item.is(JsonKind::object)) return wrong(item, "an object");
    TRY(const Escaped type, optional_text(item, "type"));
    if (type.empty()) return item.find("role") ? read_message(item, to) : refuse_kept(item, to);
    for (const FieldRule& rule : kItems)
        if (rule.name == type.raw) return rule.read(item, to);
    note_unknown(to, concat("input.", type.raw));
    return {};
}

Result<void> read_input(JsonNode input, Conversation& to) {
    if (input.is(JsonKind::string)) {
        to.messages.push_back({.role = Role::user, .blocks = {TextBlock{input.text()}}});
        return {};
    }
    if (!input.is(JsonKind::array)) return wrong(input, "a string or an array of items");
    for (const JsonNode item : input)
        TRY(read_item(item, to));
    return {};
}

/// Before the input, wherever the field stands.
Result<void> read_instructions(JsonNode instructions, Conversation& to) {
    TRY(const Escaped text, text_of(instructions));
    Message out{.role = Role::system};
    add_system_text(out, text);
    if (!out.blocks.empty()) to.messages.insert(to.messages.begin(), std::move(out));
    return {};
}

// --- tools -----------------------------------------------------------------------------------

Result<void> read_tool(JsonNode tool, Escaped space, Conversation& to);

/// Tools that stand together under a name.
Result<void> read_namespace(JsonNode tool, Conversation& to) {
    TRY(const Escaped space, needed_name(tool, "name"));
    TRY(const JsonNode tools, needed(tool, "tools", "an array"));
    TRY(array_of(tools));
    for (const JsonNode inner : tools)
        TRY(read_tool(inner, space, to));
    return {};
}

Result<void> read_tool(JsonNode tool, Escaped space, Conversation& to) {
    TRY(const Escaped type, needed_text(tool, "type"));
    if (type.raw == "function") {
        TRY(Tool out, read_tool_of(tool, "parameters"));
        out.name = name_in(space, out.name, to);
        out.space = space;
        to.tools.push_back(out);
    } else if (type.raw == "namespace" && space.empty()) {
        return read_namespace(tool, to);
    } else if (type.raw == "custom") {
        TRY(Tool out, read_free_text_tool(tool, tool.find("format")));
        to.tools.push_back(out);
    } else {
        note_provider_tool(to, tool, type);
    }
    return {};
}

Result<void> read_tools(JsonNode tools, Conversation& to) {
    TRY(array_of(tools));
    for (const JsonNode tool : tools)
        TRY(read_tool(tool, {}, to));
    return {};
}

Result<Escaped> read_named_tool(JsonNode value) {
    TRY(const Escaped type, needed_text(value, "type"));
    if (type.raw != "function" && type.raw != "custom")
        return untranslatable(value, "a function or a custom tool can be named");
    return needed_name(value, "name");
}

Result<void> read_tool_choice(JsonNode value, Conversation& to) {
    return read_openai_tool_choice(value, {read_named_tool, ""}, to);
}

// --- the rest --------------------------------------------------------------------------------

Result<void> read_reasoning_wish(JsonNode value, Conversation& to) {
    if (const auto effort = value.find("effort")) TRY(read_effort(*effort, to));
    TRY(const Escaped summary, optional_text(value, "summary"));
    if (!summary.empty()) to.thinking.shown = true;
    return {};
}

Result<void> read_text_config(JsonNode value, Conversation& to) {
    TRY(to.verbosity, optional_text(value, "verbosity"));
    const auto format = value.find("format");
    if (!format) return {};
    TRY(const JsonNode type, needed(*format, "type", "text, json_object or json_schema"));
    TRY(to.format.kind, read_format_kind(type));
    return read_schema_format(*format, to);
}

/// Encrypted reasoning is told anyway, where there is any.
Result<void> read_include(JsonNode value, Conversation& to) {
    TRY(array_of(value));
    for (const JsonNode item : value) {
        TRY(const Escaped name, text_of(item));
        if (name.raw == "message.output_text.logprobs")
            to.sampling.logprobs = true;
        else if (name.raw != "reasoning.encrypted_content")
            note_unknown(to, concat("include.", name.raw));
    }
    return {};
}

Result<void> read_background(JsonNode value, Conversation&) {
    TRY(const bool background, boolean_of(value));
    if (background) return untranslatable(value, "only the provider answers later; send false");
    return {};
}

Result<void> read_truncation(JsonNode value, Conversation& to) {
    TRY(const Escaped word, text_of(value));
    if (word.raw != "disabled") note_unknown(to, "truncation");
    return {};
}

constexpr FieldRule kFields[] = {
    {"model", read_model},
    {"input", read_input},
    {"instructions", pass_over},  // after the input
    {"previous_response_id", read_text<&Conversation::previous_response_id>},
    {"store", read_store},
    {"conversation", refuse_kept},
    {"prompt", refuse_kept},
    {"background", read_background},
    {"tools", read_tools},
    {"tool_choice", pass_over},  // after the tools
    {"parallel_tool_calls", read_parallel},
    {"stream", read_stream},
    {"stream_options", pass_over},  // padding of events, which ends at the front door
    {"max_output_tokens", read_max_output},
    {"temperature", read_number<&SamplingWish::temperature>},
    {"top_p", read_number<&SamplingWish::top_p>},
    {"top_logprobs", read_number<&SamplingWish::top_logprobs>},
    {"reasoning", read_reasoning_wish},
    {"text", read_text_config},
    {"include", read_include},
    {"truncation", read_truncation},
    {"user", read_text<&Conversation::end_user>},
    {"safety_identifier", read_safety_identifier},
    {"service_tier", read_text<&Conversation::service_tier>},
    {"prompt_cache_key", read_text<&Conversation::prompt_cache_key>},
};

}  // namespace

Result<void> read_responses(JsonNode body, Conversation& to) {
    TRY(read_fields(body, kFields, to));
    if (const auto choice = body.find("tool_choice")) TRY(read_tool_choice(*choice, to));
    if (const auto instructions = body.find("instructions"))
        return read_instructions(*instructions, to);
    return {};
}

}  // namespace brigada
