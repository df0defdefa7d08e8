// CompletionRequest: the body of POST /v1/completions, understood and checked: one or several
// prompts, as text or as token ids.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/generation_options.h"
#include "base/ids.h"
#include "base/result.h"
#include "engine/request.h"

namespace brigada {

using CompletionPrompt = std::variant<std::string, Tokens>;

struct CompletionRequest {
    std::string model;                      // "" when the client names none
    std::vector<CompletionPrompt> prompts;  // at least one
    bool echo = false;                      // the prompt's text in front of the answer
    GenerationOptions options;
    LogprobRequest logprobs;
    uint32_t max_tokens = 16;  // OpenAI's default
};

/// Prompts one request may bring.
inline constexpr size_t kMaxPrompts = 64;

/// Errors as read_chat_request.
Result<CompletionRequest> read_completion_request(std::string_view body,
                                                  const SamplingDefaults& defaults,
                                                  const GenerationLimits& limits);

}  // namespace brigada
