// From a conversation to the engine's tokens: the template renders, the tokenizer reads what it
// wrote.
#pragma once

#include <optional>
#include <string>

#include "api/chat_request.h"
#include "api/completion_request.h"
#include "api/generation_options.h"
#include "base/ids.h"
#include "base/result.h"
#include "engine/request.h"
#include "grammar/grammar_spec.h"
#include "net/http.h"
#include "server/service.h"

namespace brigada {

/// A conversation as the model reads it, and where in an answer it ends.
struct ChatPrompt {
    Tokens tokens;
    bool opens_reasoning = false;
};

/// Error::invalid_argument when the template refuses the conversation, with the template's words.
Result<ChatPrompt> chat_prompt(const LoadedModel& model, const ChatRequest& request);

/// The control tokens that answers to this request are read by.
Tokens shown_controls(const LoadedModel& model, const ChatRequest& request);

/// What the answer must be: a call where the request forces one; its form, or calls where it has
/// tools, after what the model thinks; strict tools that the model may call by itself. nullopt:
/// anything. Error::unsupported when a call is forced and nobody knows how the model writes one.
Result<std::optional<GrammarSpec>> answer_grammar(const LoadedModel& model,
                                                  const ChatRequest& request,
                                                  const ChatPrompt& prompt);

/// Text gets a BOS in front where the model wants one; ids are taken as they are.
Result<Tokens> completion_prompt(const LoadedModel& model, const CompletionPrompt& prompt);

/// An engine request with what the shared options say. `http` may name the session in a header.
EngineRequest engine_request(Tokens prompt, const GenerationOptions& options,
                             LogprobRequest logprobs, std::optional<uint32_t> max_tokens,
                             const HttpRequest& http);

}  // namespace brigada
