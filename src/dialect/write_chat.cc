// Writes a request of OpenAI's Chat Completions, in the form that engines take, too: system prompts
// of the role "system", texts in one string, custom tools as functions.
#include <algorithm>

#include "dialect/paired_calls.h"
#include "dialect/thinking_effort.h"
#include "dialect/tool_words.h"
#include "dialect/writers.h"

namespace brigada {

namespace {

// --- messages --------------------------------------------------------------------------------

void write_image(JsonOut& out, const ImageBlock& image) {
    out.begin_object();
    out.plain_field("type", "image_url");
    out.key("image_url");
    out.begin_object();
    write_address(out, "url", image);
    if (!image.detail.empty()) out.text_field("detail", image.detail);
    out.end_object();
    out.end_object();
}

/// A file by address is a text that names it: this API takes only data.
void write_file(JsonOut& out, const FileBlock& file) {
    out.begin_object();
    if (!file.url.empty()) {
        out.plain_field("type", "text");
        out.text_field("text", file.url);
    } else {
        out.plain_field("type", "file");
        out.key("file");
        out.begin_object();
        out.text_field("filename", file.name.empty() ? Escaped{"document"} : file.name);
        write_address(out, "file_data", file);
        out.end_object();
    }
    out.end_object();
}

void write_text_part(JsonOut& out, Escaped text) {
    out.begin_object();
    out.plain_field("type", "text");
    out.text_field("text", text);
    out.end_object();
}

/// Texts, images and files; whatever else a message holds stands elsewhere.
void write_part(JsonOut& out, const auto& block) {
    if (const auto text = text_in(block)) write_text_part(out, *text);
    if (const auto* image = std::get_if<ImageBlock>(&block)) write_image(out, *image);
    if (const auto* file = std::get_if<FileBlock>(&block)) write_file(out, *file);
}

/// As far as a tool's message can say it: text alone.
void write_tool_message(JsonOut& out, const ToolResultBlock& result) {
    out.begin_object();
    out.plain_field("role", "tool");
    out.text_field("tool_call_id", result.call_id);
    out.key("content");
    out.begin_text();
    append_result_text(out.text_so_far(), result);
    out.end_text();
    out.end_object();
}

/// What a tool gave besides text, for the user's message that follows.
void write_other_parts(JsonOut& out, const ToolResultBlock& result) {
    if (all_text(result.content)) return;
    out.begin_object();
    out.plain_field("type", "text");
    out.key("text");
    out.begin_text();
    out.text_so_far() += "Of the result of ";
    out.text_so_far() += result.call_id.raw;
    out.text_so_far() += ':';
    out.end_text();
    out.end_object();
    for (const ToolResultPart& part : result.content)
        if (!text_in(part)) write_part(out, part);
}

void begin_message(JsonOut& out, std::string_view role, Escaped name) {
    out.begin_object();
    out.plain_field("role", role);
    if (!name.empty()) out.text_field("name", name);
}

struct UserParts {
    bool any = false;   // besides results of text
    bool plain = true;  // and these are texts alone
};

UserParts parts_of(const Message& message) {
    UserParts out;
    for (const Block& block : message.blocks) {
        const auto* result = std::get_if<ToolResultBlock>(&block);
        if (result != nullptr && all_text(result->content)) continue;
        out.any = true;
        out.plain = out.plain && text_in(block).has_value();
    }
    return out;
}

/// Results first, each a message of its own, then what the user says.
void write_user(JsonOut& out, const Message& message) {
    for (const Block& block : message.blocks)
        if (const auto* result = std::get_if<ToolResultBlock>(&block))
            write_tool_message(out, *result);
    const UserParts parts = parts_of(message);
    if (!parts.any && !message.blocks.empty()) return;
    begin_message(out, "user", message.name);
    out.key("content");
    if (parts.plain) {
        out.begin_text();
        append_texts(out.text_so_far(), message.blocks);
        out.end_text();
    } else {
        out.begin_array();
        for (const Block& block : message.blocks)
            if (const auto* result = std::get_if<ToolResultBlock>(&block))
                write_other_parts(out, *result);
            else
                write_part(out, block);
        out.end_array();
    }
    out.end_object();
}

void write_call(JsonOut& out, const ToolCallBlock& call) {
    out.begin_object();
    out.text_field("id", call.id);
    out.plain_field("type", "function");
    out.key("function");
    out.begin_object();
    out.text_field("name", call.name);
    out.key("arguments");
    out.begin_text();
    append_arguments_text(out.text_so_far(), call);
    out.end_text();
    out.end_object();
    out.end_object();
}

template <typename Kind>
bool has(const Message& message) {
    return std::ranges::any_of(
        message.blocks, [](const Block& block) { return std::holds_alternative<Kind>(block); });
}

/// An assistant's texts; null where it only calls.
void write_content(JsonOut& out, const Message& message) {
    const bool said = std::ranges::any_of(
        message.blocks, [](const Block& block) { return text_in(block).has_value(); });
    out.key("content");
    if (!said && has<ToolCallBlock>(message)) return out.raw({"null"});
    out.begin_text();
    append_texts(out.text_so_far(), message.blocks);
    out.end_text();
}

void write_thought(JsonOut& out, const Message& message) {
    out.key("reasoning_content");
    out.begin_text();
    bool first = true;
    for (const Block& block : message.blocks) {
        const auto* thinking = std::get_if<ThinkingBlock>(&block);
        if (thinking == nullptr) continue;
        if (!first) out.text_so_far() += "\\n";
        out.text_so_far() += thinking->text.raw;
        first = false;
    }
    out.end_text();
}

/// What was thought passes in the turn that goes on; chat templates leave that of earlier ones out.
void write_assistant(Writing& to, const Message& message, bool current_turn) {
    JsonOut& out = to.out;
    begin_message(out, "assistant", message.name);
    write_content(out, message);
    if (current_turn && has<ThinkingBlock>(message)) write_thought(out, message);
    if (has<RedactedThinkingBlock>(message)) to.drop("messages.redacted_thinking");
    if (has<ToolCallBlock>(message)) {
        out.key("tool_calls");
        out.begin_array();
        for (const Block& block : message.blocks)
            if (const auto* call = std::get_if<ToolCallBlock>(&block)) write_call(out, *call);
        out.end_array();
    }
    out.end_object();
}

/// System prompts in a row are one message: many chat templates take no second one.
void write_system(JsonOut& out, std::span<const Message> messages) {
    begin_message(out, "system", messages[0].name);
    out.key("content");
    out.begin_text();
    for (const Message& message : messages)
        append_texts(out.text_so_far(), message.blocks, &message == messages.data());
    out.end_text();
    out.end_object();
}

/// The first message after the user last said something.
size_t current_turn(const std::vector<Message>& messages) {
    size_t out = messages.size();
    while (out > 0 && (messages[out - 1].role != Role::user || !parts_of(messages[out - 1]).any))
        --out;
    return out;
}

Result<void> write_messages_field(Writing& to) {
    const PairedMessages paired = paired_calls(to.from, false);
    const std::vector<Message>& messages = paired.messages;
    if (messages.empty())
        return Error{Code::invalid_argument, "the request says nothing: it has no messages"};
    const size_t turn = current_turn(messages);
    to.out.key("messages");
    to.out.begin_array();
    for (size_t at = 0; at < messages.size();) {
        size_t next = at + 1;
        if (is_system(messages[at].role)) {
            while (next < messages.size() && is_system(messages[next].role))
                ++next;
            write_system(to.out, {&messages[at], next - at});
        } else if (messages[at].role == Role::user) {
            write_user(to.out, messages[at]);
        } else {
            write_assistant(to, messages[at], at >= turn);
        }
        at = next;
    }
    to.out.end_array();
    return {};
}

// --- tools -----------------------------------------------------------------------------------

void write_tool(JsonOut& out, const Tool& tool) {
    out.begin_object();
    out.plain_field("type", "function");
    out.key("function");
    out.begin_object();
    out.text_field("name", tool.name);
    write_description(out, tool);
    out.raw_field("parameters", schema_of(tool));
    if (tool.strict) out.boolean_field("strict", *tool.strict);
    out.end_object();
    out.end_object();
}

void write_tool_choice(JsonOut& out, const ToolChoice& choice) {
    if (const std::string_view word = openai_choice(choice.kind); !word.empty())
        out.plain_field("tool_choice", word);
    if (choice.kind == ToolChoice::Kind::named) {
        out.key("tool_choice");
        out.begin_object();
        out.plain_field("type", "function");
        out.key("function");
        out.begin_object();
        out.text_field("name", choice.name);
        out.end_object();
        out.end_object();
    }
    if (choice.parallel) out.boolean_field("parallel_tool_calls", *choice.parallel);
}

void write_tools(Writing& to) {
    write_tool_fields(to, write_tool, [&] { write_tool_choice(to.out, to.from.tool_choice); });
}

// --- the rest --------------------------------------------------------------------------------

void write_format(JsonOut& out, const OutputFormat& format) {
    if (format.kind == OutputFormat::Kind::text) return;
    const bool schema = format.kind == OutputFormat::Kind::json_schema;
    out.key("response_format");
    out.begin_object();
    out.plain_field("type", schema ? "json_schema" : "json_object");
    if (schema) {
        out.key("json_schema");
        out.begin_object();
        out.text_field("name", format.name.empty() ? Escaped{"answer"} : format.name);
        if (!format.description.empty()) out.text_field("description", format.description);
        if (!format.schema.empty()) out.raw_field("schema", format.schema);
        if (format.strict) out.boolean_field("strict", *format.strict);
        out.end_object();
    }
    out.end_object();
}

void write_stop(JsonOut& out, const std::vector<Escaped>& stop) {
    if (stop.empty()) return;
    out.key("stop");
    out.begin_array();
    for (const Escaped text : stop)
        out.text(text);
    out.end_array();
}

void write_sampling(Writing& to) {
    const SamplingWish& sampling = to.from.sampling;
    JsonOut& out = to.out;
    if (sampling.max_output) out.number_field("max_completion_tokens", *sampling.max_output);
    if (sampling.choices) out.number_field("n", *sampling.choices);
    write_number(out, "temperature", sampling.temperature);
    write_number(out, "top_p", sampling.top_p);
    write_number(out, "seed", sampling.seed);
    write_number(out, "presence_penalty", sampling.presence_penalty);
    write_number(out, "frequency_penalty", sampling.frequency_penalty);
    write_stop(out, sampling.stop);
    if (sampling.logprobs) {
        out.boolean_field("logprobs", true);
        write_number(out, "top_logprobs", sampling.top_logprobs);
    } else {
        drop_number(to, "top_logprobs", sampling.top_logprobs);
    }
    drop_number(to, "top_k", sampling.top_k);
}

}  // namespace

Result<void> write_chat(Writing& to) {
    TRY(check_some_output(to.from));
    TRY(write_messages_field(to));
    write_tools(to);
    write_sampling(to);
    write_optional(to.out, "reasoning_effort", openai_effort(to.from.thinking));
    write_format(to.out, to.from.format);
    write_optional(to.out, "verbosity", to.from.verbosity);
    write_openai_tier(to);
    write_optional(to.out, "prompt_cache_key", to.from.prompt_cache_key);
    write_openai_user(to);
    if (to.from.stream) {
        to.out.key("stream_options");
        to.out.raw({R"({"include_usage":true})"});  // the front door counts, whoever asked
    }
    return {};
}

}  // namespace brigada
