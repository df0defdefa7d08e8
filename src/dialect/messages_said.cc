#include "dialect/messages_said.h"

#include <algorithm>

#include "dialect/paired_calls.h"
#include "dialect/tool_words.h"

namespace brigada {

namespace {

// --- text ------------------------------------------------------------------------------------

/// The bytes of the white space that `text` ends with one character of; 0 for none.
size_t blank_at_end(std::string_view text) {
    if (text.ends_with(' ')) return 1;
    const bool letter = text.ends_with('n') || text.ends_with('t') || text.ends_with('r');
    if (!letter) return 0;
    size_t slashes = 0;
    while (slashes + 1 < text.size() && text[text.size() - 2 - slashes] == '\\')
        ++slashes;
    return slashes % 2 == 1 ? 2 : 0;
}

Escaped without_blanks_at_end(Escaped text) {
    while (const size_t size = blank_at_end(text.raw))
        text.raw.remove_suffix(size);
    return text;
}

// --- blocks ----------------------------------------------------------------------------------

void write_text(JsonOut& out, Escaped text) {
    begin_block(out, "text");
    out.text_field("text", text);
    out.end_object();
}

/// Images and documents.
template <typename Media>
void write_source(JsonOut& out, const Media& media) {
    out.key("source");
    if (!media.url.empty()) {
        begin_block(out, "url");
        out.text_field("url", media.url);
    } else {
        begin_block(out, "base64");
        out.text_field("media_type", media.media_type);
        out.text_field("data", media.data);
    }
    out.end_object();
}

void write_image(JsonOut& out, const ImageBlock& image) {
    begin_block(out, "image");
    write_source(out, image);
    out.end_object();
}

void write_file(JsonOut& out, const FileBlock& file) {
    begin_block(out, "document");
    write_source(out, file);
    if (!file.name.empty()) out.text_field("title", file.name);
    out.end_object();
}

void write_call(JsonOut& out, const ToolCallBlock& call) {
    begin_block(out, "tool_use");
    out.text_field("id", call.id);
    out.text_field("name", call.name);
    out.key("input");
    write_arguments_object(out, call);
    out.end_object();
}

/// One of a message or of a result; blank texts are left out.
void write_part(JsonOut& out, const auto& block) {
    if (const auto text = text_in(block); text && !is_blank(*text)) write_text(out, *text);
    if (const auto* image = std::get_if<ImageBlock>(&block)) write_image(out, *image);
    if (const auto* file = std::get_if<FileBlock>(&block)) write_file(out, *file);
}

void write_result(JsonOut& out, const ToolResultBlock& result) {
    begin_block(out, "tool_result");
    out.text_field("tool_use_id", result.call_id);
    out.key("content");
    if (result.content.size() == 1 && text_in(result.content[0])) {
        out.text(*text_in(result.content[0]));
    } else {
        out.begin_array();
        for (const ToolResultPart& part : result.content)
            write_part(out, part);
        out.end_array();
    }
    if (result.is_error) out.boolean_field("is_error", true);
    out.end_object();
}

/// Only with its proof: without one it is refused.
void write_thinking(Writing& to, const ThinkingBlock& thinking) {
    if (thinking.signature.empty()) return to.drop(client_name(to.from.from, ClientField::thought));
    begin_block(to.out, "thinking");
    to.out.text_field("thinking", thinking.text);
    to.out.text_field("signature", thinking.signature);
    to.out.end_object();
}

void write_redacted(JsonOut& out, const RedactedThinkingBlock& thinking) {
    begin_block(out, "redacted_thinking");
    out.text_field("data", thinking.data);
    out.end_object();
}

void write_block(Writing& to, const Block& block) {
    write_part(to.out, block);
    if (const auto* thinking = std::get_if<ThinkingBlock>(&block)) write_thinking(to, *thinking);
    if (const auto* redacted = std::get_if<RedactedThinkingBlock>(&block))
        write_redacted(to.out, *redacted);
    if (const auto* call = std::get_if<ToolCallBlock>(&block)) write_call(to.out, *call);
    if (const auto* result = std::get_if<ToolResultBlock>(&block)) write_result(to.out, *result);
}

// --- turns -----------------------------------------------------------------------------------

/// A prompt of the system after the first turn: this API has no place for it that every model
/// takes, so the user says it, marked.
void write_late_system(JsonOut& out, const Message& message) {
    begin_block(out, "text");
    out.key("text");
    out.begin_text();
    out.text_so_far() += "<system>\\n";
    append_texts(out.text_so_far(), message.blocks);
    out.text_so_far() += "\\n</system>";
    out.end_text();
    out.end_object();
}

/// Messages in a row that one side speaks.
void write_turn(Writing& to, std::span<const Message> messages) {
    for (const Message& message : messages) {
        if (!message.name.empty()) to.drop("messages.name");
        if (is_system(message.role)) {
            write_late_system(to.out, message);
            continue;
        }
        for (const Block& block : message.blocks)
            write_block(to, block);
    }
}

bool is_assistant(const Message& message) {
    return message.role == Role::assistant;
}

/// What the assistant has begun to say may not end in white space.
void trim_last(std::vector<Message>& messages) {
    if (messages.empty() || !is_assistant(messages.back())) return;
    std::vector<Block>& blocks = messages.back().blocks;
    if (blocks.empty()) return;
    if (auto* text = std::get_if<TextBlock>(&blocks.back()))
        text->text = without_blanks_at_end(text->text);
}

void begin_turn(JsonOut& out, bool assistant) {
    out.begin_object();
    out.plain_field("role", assistant ? "assistant" : "user");
    out.key("content");
    out.begin_array();
}

void end_turn(JsonOut& out) {
    out.end_array();
    out.end_object();
}

/// Turns take turns; one that is empty is left out, and its neighbours are one.
void write_turns(Writing& to, std::span<const Message> messages) {
    bool open = false, assistant = false;
    std::string& text = to.out.text_so_far();
    for (const Message& message : messages) {
        const size_t before = text.size();
        const bool other = !open || assistant != is_assistant(message);
        if (other) {
            if (open) end_turn(to.out);
            begin_turn(to.out, is_assistant(message));
        }
        const size_t begun = text.size();
        write_turn(to, {&message, 1});
        if (text.size() == begun && other) {
            text.resize(before);
            continue;
        }
        open = true;
        assistant = is_assistant(message);
    }
    if (open) end_turn(to.out);
}

void write_system(JsonOut& out, std::span<const Message> messages) {
    const auto said = [](const Message& message) {
        return std::ranges::any_of(message.blocks, [](const Block& block) {
            const auto text = text_in(block);
            return text && !is_blank(*text);
        });
    };
    if (std::ranges::none_of(messages, said)) return;
    out.key("system");
    out.begin_array();
    for (const Message& message : messages)
        for (const Block& block : message.blocks)
            write_part(out, block);
    out.end_array();
}

}  // namespace

void begin_block(JsonOut& out, std::string_view type) {
    out.begin_object();
    out.plain_field("type", type);
}

bool is_blank(Escaped text) {
    return without_blanks_at_end(text).empty();
}

Result<void> write_messages_said(Writing& to) {
    PairedMessages paired = paired_calls(to.from, true);
    trim_last(paired.messages);
    const std::span<const Message> messages = paired.messages;
    const auto first = std::ranges::find_if_not(
        messages, [](const Message& message) { return is_system(message.role); });
    const size_t systems = static_cast<size_t>(first - messages.begin());
    write_system(to.out, messages.first(systems));
    to.out.key("messages");
    to.out.begin_array();
    const size_t before = to.out.text_so_far().size();
    write_turns(to, messages.subspan(systems));
    if (to.out.text_so_far().size() == before)
        return Error{Code::invalid_argument,
                     "the request says nothing: this model's upstream needs a message besides "
                     "system prompts"};
    to.out.end_array();
    return {};
}

}  // namespace brigada
