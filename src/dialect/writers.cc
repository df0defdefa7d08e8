#include "dialect/writers.h"

#include <array>

#include "base/concat.h"

namespace brigada {

std::string_view client_name(Dialect from, ClientField field) {
    struct Row {
        std::string_view chat, messages, responses;
    };
    constexpr std::array kNames{
        Row{"stop", "stop_sequences", "stop"},
        Row{"user", "metadata.user_id", "user"},
        Row{"reasoning_effort", "thinking", "reasoning"},
        Row{"messages.reasoning_content", "messages.thinking", "input.reasoning"},
        Row{"response_format", "output_config.format", "text.format"},
        Row{"logprobs", "logprobs", "include.message.output_text.logprobs"},
    };
    const Row& row = kNames[static_cast<size_t>(field)];
    if (from == Dialect::messages) return row.messages;
    return from == Dialect::responses ? row.responses : row.chat;
}

Result<void> check_one_answer(const Conversation& conversation) {
    const int64_t n = conversation.sampling.choices.value_or(1);
    if (n == 1) return {};
    return Error{Code::unsupported,
                 concat("n: this model's upstream gives one answer to a request; got ", n)};
}

Result<void> check_some_output(const Conversation& conversation) {
    if (conversation.sampling.max_output != 0) return {};
    return Error{Code::unsupported,
                 "max_tokens: 0 fills a cache of Anthropic's, which this model's upstream does not "
                 "have; send at least 1"};
}

void write_number(JsonOut& out, std::string_view name, RawJson value) {
    if (!value.empty()) out.raw_field(name, value);
}

void drop_number(Writing& to, std::string_view name, RawJson value) {
    if (!value.empty()) to.drop(name);
}

std::string_view openai_choice(ToolChoice::Kind kind) {
    switch (kind) {
        case ToolChoice::Kind::automatic:
            return "auto";
        case ToolChoice::Kind::none:
            return "none";
        case ToolChoice::Kind::required:
            return "required";
        case ToolChoice::Kind::unsaid:
        case ToolChoice::Kind::named:
            break;
    }
    return {};
}

void write_optional(JsonOut& out, std::string_view name, Escaped text) {
    if (!text.empty()) out.text_field(name, text);
}

void write_openai_tier(Writing& to) {
    const Escaped tier = to.from.service_tier;
    write_optional(to.out, "service_tier", tier.raw == "standard_only" ? Escaped{"default"} : tier);
}

void write_openai_user(Writing& to) {
    constexpr size_t kLongest = 64;
    const Escaped user = to.from.end_user;
    if (user.empty()) return;
    if (user.raw.size() > kLongest)
        to.drop(client_name(to.from.from, ClientField::end_user));
    else
        to.out.text_field("user", user);
}

std::optional<Escaped> text_in(const Block& block) {
    if (const auto* text = std::get_if<TextBlock>(&block)) return text->text;
    if (const auto* refusal = std::get_if<RefusalBlock>(&block)) return refusal->text;
    return std::nullopt;
}

std::optional<Escaped> text_in(const ToolResultPart& part) {
    const auto* text = std::get_if<TextBlock>(&part);
    return text == nullptr ? std::nullopt : std::optional(text->text);
}

void append_result_text(std::string& out, const ToolResultBlock& result) {
    constexpr std::string_view kError = "Error: ";
    const size_t begin = out.size();
    append_texts(out, result.content);
    if (result.is_error && !std::string_view(out).substr(begin).starts_with(kError))
        out.insert(begin, kError);
}

}  // namespace brigada
