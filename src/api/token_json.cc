#include "api/token_json.h"

#include <array>

namespace brigada {

namespace {

Json bytes_json(std::string_view bytes) {
    Json out = Json::array();
    for (unsigned char byte : bytes)
        out.push_back(byte);
    return out;
}

Json logprob_json(const Tokenizer& tokenizer, const TokenLogprob& logprob) {
    return {{"token", token_text(tokenizer, logprob.token)},
            {"logprob", logprob.logprob},
            {"bytes", bytes_json(tokenizer.bytes(logprob.token))}};
}

double milliseconds(Duration duration) {
    return duration.seconds() * 1e3;
}

double per_second(uint32_t count, Duration duration) {
    return duration > Duration() ? count / duration.seconds() : 0.0;
}

}  // namespace

std::string token_text(const Tokenizer& tokenizer, TokenId token) {
    const std::array ids{token};
    std::string text = tokenizer.decode(ids, false);
    // decode() drops SentencePiece's first space; a token inside a text keeps it.
    if (tokenizer.strips_first_space() && tokenizer.bytes(token).starts_with(' '))
        text = ' ' + text;
    return text;
}

Json chat_logprob(const Tokenizer& tokenizer, const TokenEvent& event) {
    Json out = logprob_json(tokenizer, event.logprob);
    out["top_logprobs"] = Json::array();
    for (const TokenLogprob& other : event.top)
        out["top_logprobs"].push_back(logprob_json(tokenizer, other));
    return out;
}

void CompletionLogprobs::add(const Tokenizer& tokenizer, const TokenEvent& event) {
    const std::string text = token_text(tokenizer, event.token);
    tokens_.push_back(text);
    token_logprobs_.push_back(event.logprob.logprob);
    Json top = Json::object();
    for (const TokenLogprob& other : event.top)
        top[token_text(tokenizer, other.token)] = other.logprob;
    top_logprobs_.push_back(std::move(top));
    text_offsets_.push_back(offset_);
    offset_ += text.size();
}

Json CompletionLogprobs::json() const {
    return {{"tokens", tokens_},
            {"token_logprobs", token_logprobs_},
            {"top_logprobs", top_logprobs_},
            {"text_offset", text_offsets_}};
}

Json usage_json(const EngineUsage& usage, std::optional<uint32_t> reasoning_tokens) {
    Json out = {{"prompt_tokens", usage.prompt_tokens},
                {"completion_tokens", usage.completion_tokens},
                {"total_tokens", usage.prompt_tokens + usage.completion_tokens},
                {"prompt_tokens_details",
                 {{"cached_tokens", usage.cached_tokens}, {"reread_tokens", usage.reread_tokens}}}};
    if (reasoning_tokens)
        out["completion_tokens_details"] = {{"reasoning_tokens", *reasoning_tokens}};
    return out;
}

Json timings_json(const EngineUsage& usage) {
    const uint32_t computed = usage.prompt_tokens - usage.cached_tokens;
    return {{"queue_ms", milliseconds(usage.queued)},
            {"cache_n", usage.cached_tokens},
            {"prompt_n", computed},
            {"prompt_ms", milliseconds(usage.prefill)},
            {"prompt_per_second", per_second(computed, usage.prefill)},
            {"predicted_n", usage.completion_tokens},
            {"predicted_ms", milliseconds(usage.decode)},
            {"predicted_per_second", per_second(usage.completion_tokens, usage.decode)}};
}

std::string closing_body(Json frame, Json choices, const EngineUsage& usage,
                         std::optional<uint32_t> reasoning_tokens) {
    frame["choices"] = std::move(choices);
    frame["usage"] = usage_json(usage, reasoning_tokens);
    frame["timings"] = timings_json(usage);
    return dump_json(frame);
}

std::string_view finish_reason(FinishReason reason) {
    return reason == FinishReason::stop ? "stop" : "length";
}

}  // namespace brigada
