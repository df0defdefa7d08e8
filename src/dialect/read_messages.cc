// Reads a request of Anthropic's Messages. Markers of caches (cache_control) vanish.
#include "base/concat.h"
#include "dialect/readers.h"
#include "dialect/request_parts.h"

namespace brigada {

namespace {

// --- images and documents --------------------------------------------------------------------

/// The source of an image or a document: base64 or url.
template <typename Media>
Result<void> read_source(JsonNode source, Media& to) {
    TRY(const JsonNode type, needed(source, "type", "base64 or url"));
    TRY(const Escaped name, text_of(type));
    if (name.raw == "base64") {
        TRY(to.media_type, needed_text(source, "media_type"));
        TRY(to.data, needed_text(source, "data"));
        return {};
    }
    if (name.raw != "url")
        return untranslatable(type, "sources of type base64 and url can be translated");
    TRY(const JsonNode url, needed(source, "url", "a string"));
    return read_address(url, to);
}

Result<JsonNode> source_of(JsonNode block) {
    return needed(block, "source", "an object with type");
}

template <typename Blocks>
Result<void> read_part(JsonNode part, std::string_view type, Conversation& to, Blocks& blocks);

/// A text is taken as such; so is content that is made of texts and images.
template <typename Blocks>
Result<void> read_document(JsonNode block, Conversation& to, Blocks& blocks) {
    TRY(const JsonNode source, source_of(block));
    TRY(const Escaped type, needed_text(source, "type"));
    if (type.raw == "text") {
        TRY(const Escaped text, needed_text(source, "data"));
        blocks.push_back(TextBlock{text});
        return {};
    }
    if (type.raw == "content")
        return read_content(source.find("content"), blocks,
                            [&](JsonNode part, std::string_view kind) {
                                return read_part(part, kind, to, blocks);
                            });
    FileBlock file;
    TRY(read_source(source, file));
    TRY(file.name, optional_text(block, "title"));
    blocks.push_back(file);
    return {};
}

/// Its title, its source and its texts.
template <typename Blocks>
Result<void> read_search_result(JsonNode block, Conversation& to, Blocks& blocks) {
    TRY(const Escaped title, optional_text(block, "title"));
    TRY(const Escaped source, optional_text(block, "source"));
    blocks.push_back(TextBlock{kept(to, concat(title.raw, "\\n", source.raw))});
    return read_content(block.find("content"), blocks, [&](JsonNode part, std::string_view type) {
        return read_part(part, type, to, blocks);
    });
}

/// What may stand in a user's message and in a tool's result alike.
template <typename Blocks>
Result<void> read_part(JsonNode part, std::string_view type, Conversation& to, Blocks& blocks) {
    if (type == "text") {
        TRY(const Escaped text, needed_text(part, "text"));
        blocks.push_back(TextBlock{text});
        return {};
    }
    if (type == "image") {
        TRY(const JsonNode source, source_of(part));
        ImageBlock image;
        TRY(read_source(source, image));
        blocks.push_back(image);
        return {};
    }
    if (type == "document") return read_document(part, to, blocks);
    if (type == "search_result") return read_search_result(part, to, blocks);
    return untranslatable(part,
                          "blocks of type text, image, document, search_result, tool_use, "
                          "tool_result and thinking can be translated");
}

// --- blocks ----------------------------------------------------------------------------------

Result<void> read_thinking(JsonNode block, Message& to) {
    ThinkingBlock out;
    TRY(out.text, needed_text(block, "thinking"));
    TRY(out.signature, optional_text(block, "signature"));
    to.blocks.push_back(out);
    return {};
}

Result<void> read_redacted(JsonNode block, Message& to) {
    TRY(const Escaped data, needed_text(block, "data"));
    to.blocks.push_back(RedactedThinkingBlock{data});
    return {};
}

Result<void> read_tool_use(JsonNode block, Message& to) {
    ToolCallBlock out;
    TRY(out.id, needed_text(block, "id"));
    TRY(out.name, needed_name(block, "name"));
    TRY(const RawJson input, optional_object(block, "input"));
    out.input = input.empty() ? RawJson{"{}"} : input;
    to.blocks.push_back(out);
    return {};
}

bool is_part(std::string_view type) {
    return type == "text" || type == "image" || type == "document" || type == "search_result";
}

/// Parts of other types (tool_reference, ...) become the text of their JSON: a tool said them.
Result<void> read_tool_result(JsonNode block, Conversation& conversation, Message& to) {
    ToolResultBlock out;
    TRY(out.call_id, needed_text(block, "tool_use_id"));
    TRY(const std::optional<bool> is_error, optional_boolean(block, "is_error"));
    out.is_error = is_error.value_or(false);
    TRY(read_content(block.find("content"), out.content,
                     [&](JsonNode part, std::string_view type) -> Result<void> {
                         if (is_part(type)) return read_part(part, type, conversation, out.content);
                         out.content.push_back(TextBlock{as_text(part, conversation)});
                         return {};
                     }));
    to.blocks.push_back(std::move(out));
    return {};
}

/// In an assistant's message what is unknown tells of the provider's own tools, and is left out by
/// name. In a user's it is something the model should see, and an error.
Result<void> read_block(JsonNode block, std::string_view type, Conversation& conversation,
                        Message& to) {
    if (type == "thinking") return read_thinking(block, to);
    if (type == "redacted_thinking") return read_redacted(block, to);
    if (type == "tool_use") return read_tool_use(block, to);
    if (type == "tool_result") return read_tool_result(block, conversation, to);
    if (to.role == Role::user || is_part(type))
        return read_part(block, type, conversation, to.blocks);
    note_unknown(conversation, concat("messages.", type));
    return {};
}

Result<void> read_system_content(JsonNode content, Message& to) {
    if (content.is(JsonKind::string)) {
        add_system_text(to, content.text());
        return {};
    }
    return read_content(std::optional(content), to.blocks,
                        [&](JsonNode part, std::string_view type) -> Result<void> {
                            if (type != "text")
                                return untranslatable(part, "a system prompt is text");
                            TRY(const Escaped text, needed_text(part, "text"));
                            add_system_text(to, text);
                            return {};
                        });
}

Result<void> read_turn(JsonNode message, Conversation& to) {
    TRY(const JsonNode role, needed(message, "role", "user, assistant or system"));
    TRY(const Escaped name, text_of(role));
    TRY(const JsonNode content, needed(message, "content", "a string or an array of blocks"));
    Message out;
    if (name.raw == "system") {
        out.role = Role::system;
        TRY(read_system_content(content, out));
    } else if (name.raw == "user" || name.raw == "assistant") {
        out.role = name.raw == "user" ? Role::user : Role::assistant;
        TRY(read_content(std::optional(content), out.blocks,
                         [&](JsonNode block, std::string_view type) {
                             return read_block(block, type, to, out);
                         }));
    } else {
        return wrong(role, "user, assistant or system");
    }
    to.messages.push_back(std::move(out));
    return {};
}

Result<void> read_turns(JsonNode messages, Conversation& to) {
    TRY(array_of(messages));
    for (const JsonNode message : messages)
        TRY(read_turn(message, to));
    return {};
}

/// Before the messages, wherever the field stands.
Result<void> read_system(JsonNode system, Conversation& to) {
    Message out{.role = Role::system};
    TRY(read_system_content(system, out));
    if (!out.blocks.empty()) to.messages.insert(to.messages.begin(), std::move(out));
    return {};
}

// --- tools -----------------------------------------------------------------------------------

Result<void> read_tool(JsonNode tool, Conversation& to) {
    if (!tool.is(JsonKind::object)) return wrong(tool, "an object");
    TRY(const Escaped type, optional_text(tool, "type"));
    if (!type.empty() && type.raw != "custom") {
        note_provider_tool(to, tool, type);
        return {};
    }
    TRY(Tool out, read_tool_of(tool, "input_schema"));
    to.tools.push_back(out);
    return {};
}

Result<void> read_tools(JsonNode tools, Conversation& to) {
    TRY(array_of(tools));
    for (const JsonNode tool : tools)
        TRY(read_tool(tool, to));
    return {};
}

Result<void> read_tool_choice(JsonNode value, Conversation& to) {
    using Kind = ToolChoice::Kind;
    constexpr std::pair<std::string_view, Kind> kKinds[] = {{"auto", Kind::automatic},
                                                            {"any", Kind::required},
                                                            {"tool", Kind::named},
                                                            {"none", Kind::none}};
    TRY(const JsonNode type, needed(value, "type", "auto, any, tool or none"));
    TRY(const Escaped name, text_of(type));
    for (const auto& [word, kind] : kKinds)
        if (name.raw == word) to.tool_choice.kind = kind;
    if (to.tool_choice.kind == Kind::unsaid) return wrong(type, "auto, any, tool or none");
    if (to.tool_choice.kind == Kind::named) {
        TRY(to.tool_choice.name, needed_name(value, "name"));
    }
    TRY(const std::optional<bool> alone, optional_boolean(value, "disable_parallel_tool_use"));
    if (alone) to.tool_choice.parallel = !*alone;
    return {};
}

// --- the rest --------------------------------------------------------------------------------

Result<void> read_thinking_wish(JsonNode value, Conversation& to) {
    using Kind = ThinkingWish::Kind;
    TRY(const JsonNode type, needed(value, "type", "enabled, adaptive or disabled"));
    TRY(const Escaped name, text_of(type));
    if (name.raw == "disabled")
        to.thinking.kind = Kind::off;
    else if (name.raw == "adaptive" || name.raw == "between_tools")
        to.thinking.kind = Kind::adaptive;
    else if (name.raw == "enabled")
        to.thinking.kind = Kind::on;
    else
        return wrong(type, "enabled, adaptive or disabled");
    if (to.thinking.kind == Kind::on) {
        TRY(const JsonNode budget, needed(value, "budget_tokens", "a whole number"));
        TRY(to.thinking.budget_tokens, integer_of(budget, 1));
    }
    TRY(const Escaped display, optional_text(value, "display"));
    if (!display.empty()) to.thinking.shown = display.raw != "omitted";
    return {};
}

Result<void> read_output_format(JsonNode value, Conversation& to) {
    TRY(const JsonNode type, needed(value, "type", "json_schema"));
    TRY(to.format.kind, read_format_kind(type));
    TRY(const JsonNode schema, needed(value, "schema", "an object"));
    TRY(to.format.schema, object_of(schema));
    return {};
}

Result<void> read_output_config(JsonNode value, Conversation& to) {
    TRY(to.thinking.effort, optional_text(value, "effort"));
    if (const auto format = value.find("format")) return read_output_format(*format, to);
    return {};
}

Result<void> read_metadata(JsonNode value, Conversation& to) {
    TRY(to.end_user, optional_text(value, "user_id"));
    return {};
}

/// 0 is asked to fill a cache.
Result<void> read_max_tokens(JsonNode value, Conversation& to) {
    TRY(to.sampling.max_output, integer_of(value, 0));
    return {};
}

constexpr FieldRule kFields[] = {
    {"model", read_model},
    {"messages", read_turns},
    {"system", pass_over},  // after the messages
    {"tools", read_tools},
    {"tool_choice", read_tool_choice},
    {"max_tokens", read_max_tokens},
    {"stream", read_stream},
    {"temperature", read_number<&SamplingWish::temperature>},
    {"top_p", read_number<&SamplingWish::top_p>},
    {"top_k", read_number<&SamplingWish::top_k>},
    {"stop_sequences", read_stop},
    {"thinking", read_thinking_wish},
    {"output_config", read_output_config},
    {"output_format", read_output_format},  // as it was called at first
    {"metadata", read_metadata},
    {"service_tier", read_text<&Conversation::service_tier>},
    {"cache_control", pass_over},
};

}  // namespace

Result<void> read_messages(JsonNode body, Conversation& to) {
    TRY(needed(body, "messages", "an array"));
    TRY(read_fields(body, kFields, to));
    if (const auto system = body.find("system")) return read_system(*system, to);
    return {};
}

}  // namespace brigada
