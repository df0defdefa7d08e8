// Tokens, logprobs and usage as JSON, in the shapes OpenAI's clients read.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "base/json.h"
#include "engine/request.h"
#include "tokens/tokenizer.h"

namespace brigada {

/// The token's text; bytes that are no character of their own show as U+FFFD, never as nothing.
std::string token_text(const Tokenizer& tokenizer, TokenId token);

/// {"token", "logprob", "bytes", "top_logprobs": [...]} of one position of a chat answer.
Json chat_logprob(const Tokenizer& tokenizer, const TokenEvent& event);

/// The four parallel lists of /v1/completions' logprobs, grown token by token.
class CompletionLogprobs {
  public:
    void add(const Tokenizer& tokenizer, const TokenEvent& event);
    Json json() const;

  private:
    Json tokens_ = Json::array();
    Json token_logprobs_ = Json::array();
    Json top_logprobs_ = Json::array();
    Json text_offsets_ = Json::array();
    size_t offset_ = 0;
};

/// {"prompt_tokens", ..., "prompt_tokens_details": {"cached_tokens", "reread_tokens"}}, and with
/// `reasoning_tokens` "completion_tokens_details".
Json usage_json(const EngineUsage& usage, std::optional<uint32_t> reasoning_tokens);

/// llama.cpp's names: {"cache_n", "prompt_n", "prompt_ms", "predicted_n", "predicted_ms", ...}.
Json timings_json(const EngineUsage& usage);

/// `frame` with its choices, the usage and the timings: how every answer of this API ends.
std::string closing_body(Json frame, Json choices, const EngineUsage& usage,
                         std::optional<uint32_t> reasoning_tokens = {});

std::string_view finish_reason(FinishReason reason);

}  // namespace brigada
