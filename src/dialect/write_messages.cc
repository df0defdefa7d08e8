// Writes a request of Anthropic's Messages: system prompts first, then turns of user and assistant,
// results before anything else the user says, and no text that is blank.
#include <algorithm>
#include <array>
#include <charconv>

#include "dialect/paired_calls.h"
#include "dialect/thinking_effort.h"
#include "dialect/tool_words.h"
#include "dialect/writers.h"

namespace brigada {

namespace {

/// Where the client gave no limit, which this API demands: within what current models give, and
/// more than files are long.
constexpr int64_t kDefaultMaxTokens = 16'384;

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

bool is_blank(Escaped text) {
    return without_blanks_at_end(text).empty();
}

// --- blocks ----------------------------------------------------------------------------------

void begin_block(JsonOut& out, std::string_view type) {
    out.begin_object();
    out.plain_field("type", type);
}

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

Result<void> write_conversation_fields(Writing& to) {
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

// --- tools -----------------------------------------------------------------------------------

void write_tool(JsonOut& out, const Tool& tool) {
    out.begin_object();
    out.text_field("name", tool.name);
    write_description(out, tool);
    out.raw_field("input_schema", schema_of(tool));
    if (tool.strict.value_or(false)) out.boolean_field("strict", true);
    out.end_object();
}

std::string_view choice_type(ToolChoice::Kind kind) {
    switch (kind) {
        case ToolChoice::Kind::none:
            return "none";
        case ToolChoice::Kind::required:
            return "any";
        case ToolChoice::Kind::named:
            return "tool";
        case ToolChoice::Kind::unsaid:
        case ToolChoice::Kind::automatic:
            break;
    }
    return "auto";
}

void write_tool_choice(JsonOut& out, const ToolChoice& choice) {
    const bool alone = choice.parallel == false && choice.kind != ToolChoice::Kind::none;
    if (choice.kind == ToolChoice::Kind::unsaid && !alone) return;
    out.key("tool_choice");
    begin_block(out, choice_type(choice.kind));
    if (choice.kind == ToolChoice::Kind::named) out.text_field("name", choice.name);
    if (alone) out.boolean_field("disable_parallel_tool_use", true);
    out.end_object();
}

void write_tools(Writing& to) {
    write_tool_fields(to, write_tool, [&] { write_tool_choice(to.out, to.from.tool_choice); });
}

// --- thinking and sampling -------------------------------------------------------------------

bool forces_a_tool(const Conversation& from) {
    return !from.tools.empty() && (from.tool_choice.kind == ToolChoice::Kind::required ||
                                   from.tool_choice.kind == ToolChoice::Kind::named);
}

/// A budget as it was given; otherwise the model decides, led by the effort.
void write_thinking_wish(JsonOut& out, const ThinkingWish& wish) {
    if (wish.kind == ThinkingWish::Kind::unsaid) return;
    out.key("thinking");
    if (!thinks(wish)) {
        begin_block(out, "disabled");
    } else if (wish.budget_tokens) {
        begin_block(out, "enabled");
        out.number_field("budget_tokens", *wish.budget_tokens);
    } else {
        begin_block(out, "adaptive");
    }
    if (thinks(wish) && wish.shown)
        out.plain_field("display", *wish.shown ? "summarized" : "omitted");
    out.end_object();
}

/// Effort and the form of the answer.
void write_output_config(Writing& to, bool with_effort) {
    const OutputFormat& format = to.from.format;
    const Escaped effort = with_effort ? anthropic_effort(to.from.thinking) : Escaped();
    const bool schema = format.kind == OutputFormat::Kind::json_schema && !format.schema.empty();
    if (format.kind != OutputFormat::Kind::text && !schema)
        to.drop(client_name(to.from.from, ClientField::format));
    if (effort.empty() && !schema) return;
    to.out.key("output_config");
    to.out.begin_object();
    if (!effort.empty()) to.out.text_field("effort", effort);
    if (schema) {
        to.out.key("format");
        begin_block(to.out, "json_schema");
        to.out.raw_field("schema", format.schema);
        to.out.end_object();
    }
    to.out.end_object();
}

/// Thinking is refused together with a tool that must be called: the tool is what was asked for.
/// Returns whether the model thinks.
bool write_thinking(Writing& to) {
    const bool refused = thinks(to.from.thinking) && forces_a_tool(to.from);
    if (refused)
        to.drop(client_name(to.from.from, ClientField::thinking));
    else
        write_thinking_wish(to.out, to.from.thinking);
    write_output_config(to, !refused);
    return thinks(to.from.thinking) && !refused;
}

/// From 0 to 1, where others go to 2.
void write_temperature(Writing& to, RawJson temperature) {
    double value = 0;
    const std::string_view text = temperature.text;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && value <= 1) return to.out.raw_field("temperature", temperature);
    to.out.number_field("temperature", 1);
}

/// A model that thinks takes none of these, and temperature and top_p exclude each other.
void write_sampling(Writing& to, bool thinking) {
    const SamplingWish& sampling = to.from.sampling;
    const bool cold = thinking || !sampling.temperature.empty();
    if (thinking)
        drop_number(to, "temperature", sampling.temperature);
    else if (!sampling.temperature.empty())
        write_temperature(to, sampling.temperature);
    if (cold)
        drop_number(to, "top_p", sampling.top_p);
    else
        write_number(to.out, "top_p", sampling.top_p);
    if (thinking)
        drop_number(to, "top_k", sampling.top_k);
    else
        write_number(to.out, "top_k", sampling.top_k);
    drop_number(to, "seed", sampling.seed);
    drop_number(to, "presence_penalty", sampling.presence_penalty);
    drop_number(to, "frequency_penalty", sampling.frequency_penalty);
}

/// Those that are blank are refused.
void write_stop(Writing& to) {
    std::vector<Escaped> stop = to.from.sampling.stop;
    if (to.from.sampling.logprobs) to.drop(client_name(to.from.from, ClientField::logprobs));
    drop_number(to, "top_logprobs", to.from.sampling.top_logprobs);
    if (std::erase_if(stop, is_blank) > 0) to.drop(client_name(to.from.from, ClientField::stop));
    if (stop.empty()) return;
    to.out.key("stop_sequences");
    to.out.begin_array();
    for (const Escaped text : stop)
        to.out.text(text);
    to.out.end_array();
}

// --- the rest --------------------------------------------------------------------------------

void write_service_tier(Writing& to) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kTiers{
        {{"auto", "auto"}, {"default", "standard_only"}, {"standard_only", "standard_only"}}};
    if (to.from.service_tier.empty()) return;
    const auto found = std::ranges::find(kTiers, to.from.service_tier.raw,
                                         &std::pair<std::string_view, std::string_view>::first);
    if (found == kTiers.end())
        to.drop("service_tier");
    else
        to.out.plain_field("service_tier", found->second);
}

void write_end_user(JsonOut& out, Escaped user) {
    if (user.empty()) return;
    out.key("metadata");
    out.begin_object();
    out.text_field("user_id", user);
    out.end_object();
}

int64_t max_tokens(const Conversation& from) {
    const int64_t thinking = from.thinking.budget_tokens.value_or(0);
    return from.sampling.max_output.value_or(kDefaultMaxTokens + thinking);
}

}  // namespace

Result<void> write_messages(Writing& to) {
    TRY(check_one_answer(to.from));
    to.out.number_field("max_tokens", max_tokens(to.from));
    TRY(write_conversation_fields(to));
    write_tools(to);
    const bool thinking = write_thinking(to);
    write_sampling(to, thinking);
    write_stop(to);
    write_service_tier(to);
    write_end_user(to.out, to.from.end_user);
    if (!to.from.prompt_cache_key.empty()) to.drop("prompt_cache_key");
    if (!to.from.verbosity.empty()) to.drop("verbosity");
    return {};
}

}  // namespace brigada
