// What the readers of the three dialects have in common: fields of one meaning, the parts of a
// message, addresses of images, and the checks of what was read.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "dialect/conversation.h"
#include "dialect/json_fields.h"

namespace brigada {

/// Rules for fields that every dialect has.
Result<void> read_model(JsonNode value, Conversation& to);
Result<void> read_stream(JsonNode value, Conversation& to);

template <RawJson SamplingWish::* member>
Result<void> read_number(JsonNode value, Conversation& to) {
    TRY(to.sampling.*member, number_of(value));
    return {};
}

template <Escaped Conversation::* member>
Result<void> read_text(JsonNode value, Conversation& to) {
    TRY(to.*member, text_of(value));
    return {};
}

/// reasoning_effort and its like: "none" is off, anything else on.
Result<void> read_effort(JsonNode value, Conversation& to);

/// A string, or an array of strings.
Result<void> read_stop(JsonNode value, Conversation& to);

Result<void> read_store(JsonNode value, Conversation& to);
Result<void> read_parallel(JsonNode value, Conversation& to);

/// The most tokens of an answer, at least 1.
Result<void> read_max_output(JsonNode value, Conversation& to);

/// Gives way to `user`.
Result<void> read_safety_identifier(JsonNode value, Conversation& to);

/// How a dialect of OpenAI's names tools in tool_choice.
struct ToolChoiceShape {
    Result<Escaped> (*read_name)(JsonNode tool);
    std::string_view allowed_in;  // where mode and tools of allowed_tools are; "": beside the type
};
Result<void> read_openai_tool_choice(JsonNode value, const ToolChoiceShape& shape,
                                     Conversation& to);

/// "none", "auto" or "required".
Result<void> read_tool_choice_word(JsonNode value, Conversation& to);

/// A function; its schema is called `schema_name`.
Result<Tool> read_tool_of(JsonNode function, std::string_view schema_name);
/// A tool that takes free text, of a grammar with syntax and definition where there is one.
Result<Tool> read_free_text_tool(JsonNode tool, const std::optional<JsonNode>& grammar);

Result<OutputFormat::Kind> read_format_kind(JsonNode type);
/// name, description, schema and strict.
Result<void> read_schema_format(JsonNode format, Conversation& to);

/// A string is one text; of an array `read_part(JsonNode part, Escaped type)` reads every part.
/// Nothing where it is absent.
template <typename Blocks, typename ReadPart>
Result<void> read_content(const std::optional<JsonNode>& content, Blocks& blocks,
                          const ReadPart& read_part) {
    if (!content) return {};
    if (content->is(JsonKind::string)) {
        blocks.push_back(TextBlock{content->text()});
        return {};
    }
    if (!content->is(JsonKind::array)) return wrong(*content, "a string or an array of parts");
    for (const JsonNode part : *content) {
        TRY(const Escaped type, needed_text(part, "type"));
        TRY(read_part(part, type.raw));
    }
    return {};
}

/// An address, or a data: URL taken apart. Error::invalid_argument for one that is not base64.
template <typename Media>
Result<void> read_address(JsonNode url, Media& to);

/// `text` for as long as the conversation lives.
Escaped kept(Conversation& to, std::string text);

/// The value as text: a string's, or the JSON of anything else.
Escaped as_text(JsonNode value, Conversation& to);

/// Text of the system, without volatile lines; nothing where nothing is left.
void add_system_text(Message& to, Escaped text);

/// Notes a tool that only the provider's own servers have.
void note_provider_tool(Conversation& to, JsonNode tool, Escaped type);

/// What only the whole request shows: a tool that is named or required must be there.
Result<void> check_tool_choice(const Conversation& conversation);

/// Leaves the tools that `allowed` names.
void keep_tools(Conversation& to, const std::vector<Escaped>& allowed);

struct DataUrl {
    Escaped media_type = {}, data = {};
};

/// Nothing where it is another address.
Result<std::optional<DataUrl>> split_data_url(JsonNode url);

template <typename Media>
Result<void> read_address(JsonNode url, Media& to) {
    TRY(const std::optional<DataUrl> data, split_data_url(url));
    if (data) {
        to.media_type = data->media_type;
        to.data = data->data;
        return {};
    }
    TRY(to.url, text_of(url));
    return {};
}

}  // namespace brigada
