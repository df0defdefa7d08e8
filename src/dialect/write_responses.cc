// Writes a request of OpenAI's Responses: the first system prompt as instructions, everything else
// as items, kept by nobody unless the client asked for it.
#include <algorithm>

#include "base/concat.h"
#include "dialect/paired_calls.h"
#include "dialect/thinking_effort.h"
#include "dialect/tool_words.h"
#include "dialect/writers.h"

namespace brigada {

namespace {

// --- parts -----------------------------------------------------------------------------------

void begin_item(JsonOut& out, std::string_view type) {
    out.begin_object();
    out.plain_field("type", type);
}

void write_image(JsonOut& out, const ImageBlock& image) {
    begin_item(out, "input_image");
    out.text_field("detail", image.detail.empty() ? Escaped{"auto"} : image.detail);
    write_address(out, "image_url", image);
    out.end_object();
}

void write_file(JsonOut& out, const FileBlock& file) {
    begin_item(out, "input_file");
    if (file.url.empty())
        out.text_field("filename", file.name.empty() ? Escaped{"document"} : file.name);
    write_address(out, file.url.empty() ? "file_data" : "file_url", file);
    out.end_object();
}

void write_text(JsonOut& out, Escaped text) {
    begin_item(out, "input_text");
    out.text_field("text", text);
    out.end_object();
}

void write_part(JsonOut& out, const auto& block) {
    if (const auto text = text_in(block)) write_text(out, *text);
    if (const auto* image = std::get_if<ImageBlock>(&block)) write_image(out, *image);
    if (const auto* file = std::get_if<FileBlock>(&block)) write_file(out, *file);
}

/// A string where it is all text, else an array of parts.
void write_content(JsonOut& out, std::span<const Block> blocks) {
    out.key("content");
    if (all_text(blocks)) {
        out.begin_text();
        append_texts(out.text_so_far(), blocks);
        return out.end_text();
    }
    out.begin_array();
    for (const Block& block : blocks)
        write_part(out, block);
    out.end_array();
}

// --- items -----------------------------------------------------------------------------------

/// A message of the blocks at hand.
void write_message(JsonOut& out, std::string_view role, std::span<const Block> blocks) {
    begin_item(out, "message");
    out.plain_field("role", role);
    write_content(out, blocks);
    out.end_object();
}

void write_call(JsonOut& out, const ToolCallBlock& call) {
    begin_item(out, call.custom ? "custom_tool_call" : "function_call");
    out.text_field("call_id", call.id);
    out.text_field("name", call.name);
    if (call.custom) {
        out.text_field("input", std::get<Escaped>(call.input));
    } else {
        out.key("arguments");
        out.begin_text();
        append_arguments_text(out.text_so_far(), call);
        out.end_text();
    }
    out.end_object();
}

void write_result(JsonOut& out, const ToolResultBlock& result) {
    begin_item(out, result.custom ? "custom_tool_call_output" : "function_call_output");
    out.text_field("call_id", result.call_id);
    out.key("output");
    if (all_text(result.content)) {
        out.begin_text();
        append_result_text(out.text_so_far(), result);
        out.end_text();
    } else {
        out.begin_array();
        if (result.is_error) write_text(out, {"Error:"});
        for (const ToolResultPart& part : result.content)
            write_part(out, part);
        out.end_array();
    }
    out.end_object();
}

/// Only what can be proved: the rest would be looked up at the provider and not be found.
void write_thinking(Writing& to, const ThinkingBlock& thinking, size_t number) {
    if (thinking.signature.empty()) return to.drop(client_name(to.from.from, ClientField::thought));
    const std::string made = concat("rs_", number);
    begin_item(to.out, "reasoning");
    to.out.text_field("id", thinking.id.empty() ? Escaped{made} : thinking.id);
    to.out.key("summary");
    to.out.begin_array();
    if (!thinking.text.empty()) {
        begin_item(to.out, "summary_text");
        to.out.text_field("text", thinking.text);
        to.out.end_object();
    }
    to.out.end_array();
    to.out.text_field("encrypted_content", thinking.signature);
    to.out.end_object();
}

bool stands_alone(const Block& block) {
    return std::holds_alternative<ThinkingBlock>(block) ||
           std::holds_alternative<RedactedThinkingBlock>(block) ||
           std::holds_alternative<ToolCallBlock>(block) ||
           std::holds_alternative<ToolResultBlock>(block);
}

std::string_view role_name(Role role) {
    switch (role) {
        case Role::system:
            return "system";
        case Role::developer:
            return "developer";
        case Role::user:
            return "user";
        case Role::assistant:
            break;
    }
    return "assistant";
}

/// The items of all messages, numbered where they need a name.
class Items {
  public:
    explicit Items(Writing& to) : to_(to) {}

    /// What belongs to a message as long as nothing stands between it, then what stands alone.
    void add(const Message& message) {
        if (!message.name.empty()) to_.drop("messages.name");
        const std::span<const Block> blocks = message.blocks;
        if (blocks.empty()) return write_message(to_.out, role_name(message.role), blocks);
        for (size_t at = 0; at < blocks.size();) {
            size_t next = at;
            while (next < blocks.size() && !stands_alone(blocks[next]))
                ++next;
            if (next > at)
                write_message(to_.out, role_name(message.role), blocks.subspan(at, next - at));
            else
                add_alone(blocks[next++]);
            at = next;
        }
    }

  private:
    void add_alone(const Block& block) {
        if (const auto* thinking = std::get_if<ThinkingBlock>(&block))
            write_thinking(to_, *thinking, thoughts_++);
        if (std::holds_alternative<RedactedThinkingBlock>(block))
            to_.drop("messages.redacted_thinking");
        if (const auto* call = std::get_if<ToolCallBlock>(&block)) write_call(to_.out, *call);
        if (const auto* result = std::get_if<ToolResultBlock>(&block))
            write_result(to_.out, *result);
    }

    Writing& to_;
    size_t thoughts_ = 0;
};

Result<void> write_input(Writing& to) {
    const PairedMessages paired = paired_calls(to.from, false);
    std::span<const Message> messages = paired.messages;
    if (messages.empty())
        return Error{Code::invalid_argument, "the request says nothing: it has no messages"};
    if (messages[0].role == Role::system) {
        to.out.key("instructions");
        to.out.begin_text();
        append_texts(to.out.text_so_far(), messages[0].blocks);
        to.out.end_text();
        messages = messages.subspan(1);
    }
    to.out.key("input");
    to.out.begin_array();
    Items items(to);
    for (const Message& message : messages)
        items.add(message);
    to.out.end_array();
    return {};
}

// --- tools -----------------------------------------------------------------------------------

void write_grammar(JsonOut& out, const Tool& tool) {
    if (tool.grammar.empty()) return;
    out.key("format");
    begin_item(out, "grammar");
    out.text_field("syntax", tool.grammar_syntax);
    out.text_field("definition", tool.grammar);
    out.end_object();
}

/// Strict only where it was asked for: this API would otherwise be strict by itself.
void write_tool(JsonOut& out, const Tool& tool) {
    begin_item(out, tool.custom ? "custom" : "function");
    out.text_field("name", tool.name);
    if (!tool.description.empty()) out.text_field("description", tool.description);
    if (tool.custom) {
        write_grammar(out, tool);
    } else {
        out.raw_field("parameters", schema_of(tool));
        out.boolean_field("strict", tool.strict.value_or(false));
    }
    out.end_object();
}

bool is_custom(const Conversation& from, Escaped name) {
    const auto tool = std::ranges::find(from.tools, name, &Tool::name);
    return tool != from.tools.end() && tool->custom;
}

void write_tool_choice(Writing& to) {
    const ToolChoice& choice = to.from.tool_choice;
    if (const std::string_view word = openai_choice(choice.kind); !word.empty())
        to.out.plain_field("tool_choice", word);
    if (choice.kind == ToolChoice::Kind::named) {
        to.out.key("tool_choice");
        begin_item(to.out, is_custom(to.from, choice.name) ? "custom" : "function");
        to.out.text_field("name", choice.name);
        to.out.end_object();
    }
    if (choice.parallel) to.out.boolean_field("parallel_tool_calls", *choice.parallel);
}

void write_tools(Writing& to) {
    write_tool_fields(to, write_tool, [&] { write_tool_choice(to); });
}

// --- the rest --------------------------------------------------------------------------------

/// Who thinks gives its reasoning encrypted, so that the client can bring it back.
void write_reasoning(Writing& to) {
    const ThinkingWish& wish = to.from.thinking;
    const Escaped effort = openai_effort(wish);
    const bool summary = thinks(wish) && wish.shown.value_or(false);
    if (!effort.empty() || summary) {
        to.out.key("reasoning");
        to.out.begin_object();
        if (!effort.empty()) to.out.text_field("effort", effort);
        if (summary) to.out.plain_field("summary", "auto");
        to.out.end_object();
    }
}

void write_include(Writing& to) {
    const SamplingWish& sampling = to.from.sampling;
    if (!sampling.logprobs) drop_number(to, "top_logprobs", sampling.top_logprobs);
    if (!thinks(to.from.thinking) && !sampling.logprobs) return;
    to.out.key("include");
    to.out.begin_array();
    if (thinks(to.from.thinking)) to.out.plain("reasoning.encrypted_content");
    if (sampling.logprobs) to.out.plain("message.output_text.logprobs");
    to.out.end_array();
    if (sampling.logprobs) write_number(to.out, "top_logprobs", sampling.top_logprobs);
}

void write_format(JsonOut& out, const OutputFormat& format) {
    const bool schema = format.kind == OutputFormat::Kind::json_schema;
    out.key("format");
    begin_item(out, schema ? "json_schema" : "json_object");
    if (schema) {
        out.text_field("name", format.name.empty() ? Escaped{"answer"} : format.name);
        if (!format.description.empty()) out.text_field("description", format.description);
        out.raw_field("schema", format.schema.empty() ? RawJson{"{}"} : format.schema);
        if (format.strict) out.boolean_field("strict", *format.strict);
    }
    out.end_object();
}

void write_text_config(Writing& to) {
    const bool formatted = to.from.format.kind != OutputFormat::Kind::text;
    if (!formatted && to.from.verbosity.empty()) return;
    to.out.key("text");
    to.out.begin_object();
    if (formatted) write_format(to.out, to.from.format);
    if (!to.from.verbosity.empty()) to.out.text_field("verbosity", to.from.verbosity);
    to.out.end_object();
}

void write_sampling(Writing& to) {
    const SamplingWish& sampling = to.from.sampling;
    if (sampling.max_output) to.out.number_field("max_output_tokens", *sampling.max_output);
    write_number(to.out, "temperature", sampling.temperature);
    write_number(to.out, "top_p", sampling.top_p);
    drop_number(to, "top_k", sampling.top_k);
    drop_number(to, "seed", sampling.seed);
    drop_number(to, "presence_penalty", sampling.presence_penalty);
    drop_number(to, "frequency_penalty", sampling.frequency_penalty);
    if (!sampling.stop.empty()) to.drop(client_name(to.from.from, ClientField::stop));
}

}  // namespace

Result<void> write_responses(Writing& to) {
    TRY(check_one_answer(to.from));
    TRY(check_some_output(to.from));
    TRY(write_input(to));
    write_tools(to);
    write_sampling(to);
    write_reasoning(to);
    write_include(to);
    write_text_config(to);
    write_openai_tier(to);
    write_optional(to.out, "prompt_cache_key", to.from.prompt_cache_key);
    write_openai_user(to);
    to.out.boolean_field("store", to.from.store.value_or(false));
    return {};
}

}  // namespace brigada
