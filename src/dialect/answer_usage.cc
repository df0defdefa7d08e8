#include "dialect/answer_usage.h"

#include <algorithm>

#include "dialect/json_text.h"

namespace brigada {

namespace {

struct OpenAiNames {
    std::string_view prompt, prompt_details, output, output_details;
};

constexpr OpenAiNames kChatNames{"prompt_tokens", "prompt_tokens_details", "completion_tokens",
                                 "completion_tokens_details"};
constexpr OpenAiNames kResponsesNames{"input_tokens", "input_tokens_details", "output_tokens",
                                      "output_tokens_details"};

constexpr const OpenAiNames& names_of(Dialect dialect) {
    return dialect == Dialect::responses ? kResponsesNames : kChatNames;
}

/// Never below 0, and no more than a four-thousandth of what fits, so that sums do not overflow.
std::optional<int64_t> count(SliceObject& object, std::string_view name) {
    const std::optional<int64_t> value = object.integer(name);
    return value ? std::optional(std::clamp<int64_t>(*value, 0, int64_t{1} << 50)) : std::nullopt;
}

void merge_openai(SliceObject& usage, const OpenAiNames& names, UsageTold& into) {
    const int64_t prompt = count(usage, names.prompt).value_or(into.usage.prompt());
    into.usage.output = count(usage, names.output).value_or(into.usage.output);
    int64_t cached = 0, written = 0;
    if (SliceObject details = usage.object(names.prompt_details)) {
        cached = std::min(count(details, "cached_tokens").value_or(0), prompt);
        written = std::min(count(details, "cache_write_tokens").value_or(0), prompt - cached);
    }
    into.usage.input = prompt - cached - written;
    into.usage.cached_input = cached;
    into.usage.cache_write = written;
    if (SliceObject details = usage.object(names.output_details))
        if (const auto reasoning = count(details, "reasoning_tokens"))
            into.reasoning_tokens = reasoning;
}

void merge_messages(SliceObject& usage, UsageTold& into) {
    const auto take = [&](std::string_view name, int64_t& to) {
        to = std::max(to, count(usage, name).value_or(0));
    };
    take("input_tokens", into.usage.input);
    take("cache_read_input_tokens", into.usage.cached_input);
    take("cache_creation_input_tokens", into.usage.cache_write);
    take("output_tokens", into.usage.output);
    if (SliceObject details = usage.object("output_tokens_details"))
        if (const auto thinking = count(details, "thinking_tokens"))
            into.reasoning_tokens = thinking;
}

void append_openai(std::string& out, const UsageTold& told, const OpenAiNames& names) {
    const Usage& usage = told.usage;
    append_json(out, "{", Escaped{names.prompt}, ":", usage.prompt(), ",",
                Escaped{names.prompt_details}, R"(:{"cached_tokens":)", usage.cached_input,
                R"(,"cache_write_tokens":)", usage.cache_write, "},", Escaped{names.output}, ":",
                usage.output, ",", Escaped{names.output_details}, R"(:{"reasoning_tokens":)",
                told.reasoning_tokens.value_or(0), R"(},"total_tokens":)", usage.total(), "}");
}

void append_messages(std::string& out, const UsageTold& told) {
    const Usage& usage = told.usage;
    append_json(out, R"({"input_tokens":)", usage.input, R"(,"cache_creation_input_tokens":)",
                usage.cache_write, R"(,"cache_read_input_tokens":)", usage.cached_input,
                R"(,"output_tokens":)", usage.output);
    if (told.reasoning_tokens)
        append_json(out, R"(,"output_tokens_details":{"thinking_tokens":)", *told.reasoning_tokens,
                    "}");
    out += '}';
}

}  // namespace

void merge_usage(SliceObject usage, Dialect from, UsageTold& into) {
    if (!usage) return;
    if (is_anthropic(from)) return merge_messages(usage, into);
    merge_openai(usage, names_of(from), into);
}

void append_usage(std::string& out, const UsageTold& told, Dialect to) {
    if (is_anthropic(to)) return append_messages(out, told);
    append_openai(out, told, names_of(to));
}

}  // namespace brigada
