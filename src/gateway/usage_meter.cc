#include "gateway/usage_meter.h"

#include <simdjson.h>

#include <algorithm>

#include "gateway/event_words.h"

namespace brigada {

namespace {

using simdjson::dom::element;

int64_t number(element object, std::string_view name) {
    int64_t value = 0;
    return object[name].get(value) ? 0 : std::max<int64_t>(value, 0);
}

int64_t number(element object, std::string_view inner, std::string_view name) {
    element found;
    return object[inner].get(found) ? 0 : number(found, name);
}

bool says_cached(element usage) {
    for (const char* details : {"prompt_tokens_details", "input_tokens_details"}) {
        element found;
        if (!usage[details].get(found) && found["cached_tokens"].error() == simdjson::SUCCESS)
            return true;
    }
    return usage["cache_read_input_tokens"].error() == simdjson::SUCCESS;
}

/// OpenAI counts cached tokens inside its prompt tokens; Chat Completions and Responses differ in
/// names.
Usage openai_usage(element usage) {
    const bool chat = usage["prompt_tokens"].error() == simdjson::SUCCESS;
    const int64_t prompt = number(usage, chat ? "prompt_tokens" : "input_tokens");
    const int64_t cached =
        number(usage, chat ? "prompt_tokens_details" : "input_tokens_details", "cached_tokens");
    return {.input = prompt - std::min(cached, prompt),
            .cached_input = std::min(cached, prompt),
            .output = number(usage, chat ? "completion_tokens" : "output_tokens")};
}

/// Anthropic counts the three parts of the prompt apart; message_delta repeats only some of them.
void merge_anthropic_usage(element usage, Usage& into) {
    const auto take = [&](std::string_view name, int64_t& to) {
        if (usage[name].error() == simdjson::SUCCESS) to = std::max(to, number(usage, name));
    };
    take("input_tokens", into.input);
    take("cache_read_input_tokens", into.cached_input);
    take("cache_creation_input_tokens", into.cache_write);
    take("output_tokens", into.output);
}

bool type_is(element object, std::string_view wanted) {
    std::string_view type;
    return !object["type"].get(type) && type == wanted;
}

}  // namespace

void UsageMeter::event(std::string_view data) {
    only_usage_ = false;
    if (data == "[DONE]") {
        ended_ = true;
        return;
    }
    const EventWords words = words_of(data);
    if (words.carry_output) ++output_events_;
    if (words.may_matter) read_object(data);
}

void UsageMeter::whole(std::string_view json) {
    read_object(json);
    ended_ = true;
}

void UsageMeter::read_object(std::string_view json) {
    thread_local simdjson::dom::parser parser;
    padded_.reserve(json.size() + simdjson::SIMDJSON_PADDING);
    padded_ = json;
    element top;
    if (parser.parse(padded_.data(), padded_.size(), false).get(top) || !top.is_object()) return;

    element error;
    if (!top["error"].get(error) && !error.is_null()) failed_ = true;
    if (type_is(top, "message_stop") || type_is(top, "response.completed") ||
        type_is(top, "response.incomplete"))
        ended_ = true;
    if (type_is(top, "response.failed")) failed_ = ended_ = true;

    element usage;
    for (const char* wrapper : {"", "message", "response"}) {
        element holder = top;
        if (*wrapper != '\0' && top[wrapper].get(holder)) continue;
        if (holder["usage"].get(usage) || !usage.is_object()) continue;
        said_cached_ = said_cached_ || says_cached(usage);
        if (is_anthropic(dialect_))
            merge_anthropic_usage(usage, reported_ ? *reported_ : reported_.emplace());
        else
            reported_ = openai_usage(usage);
        simdjson::dom::array choices;
        only_usage_ = !top["choices"].get(choices) && choices.size() == 0;
    }
}

}  // namespace brigada
