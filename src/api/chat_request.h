// ChatRequest: the body of POST /v1/chat/completions, understood and checked. Messages and tools
// stay JSON in the form chat templates read; everything else becomes typed.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/generation_options.h"
#include "base/json.h"
#include "base/result.h"
#include "engine/request.h"

namespace brigada {

struct ChatRequest {
    std::string model;        // "" when the client names none
    Json messages;            // at least one; text parts joined by newlines into one string
    Json tools;               // null: none
    Json template_arguments;  // chat_template_kwargs; null: none
    bool add_generation_prompt = true;
    bool continue_final_message = false;
    bool parallel_tool_calls = true;
    bool include_reasoning = true;
    std::optional<std::string> forced_tool;  // its name; "": any of them
    GenerationOptions options;
    LogprobRequest logprobs;
    std::optional<uint32_t> max_tokens;
};

/// Error::invalid_argument names the field and its value; Error::unsupported a feature this server
/// does not have.
Result<ChatRequest> read_chat_request(std::string_view body, const SamplingDefaults& defaults,
                                      const GenerationLimits& limits);

/// The same, of a body that is parsed already.
Result<ChatRequest> read_chat_request(const JsonFields& fields, const SamplingDefaults& defaults,
                                      const GenerationLimits& limits);

}  // namespace brigada
