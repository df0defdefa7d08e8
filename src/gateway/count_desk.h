// The paths that count a prompt's tokens without asking anybody to answer it.
#pragma once

#include "gateway/gateway.h"
#include "net/http_server.h"

namespace brigada {

/// LiteLLM's: of messages, else of a prompt, as the model's template and tokenizer have it.
Task<void> count_for_litellm(Gateway& gateway, HttpRequest& request, Responder& responder);

/// Anthropic's, here where no upstream does it; an estimate where the model's tokenizer is not
/// known. False: it is a call like any other.
Task<bool> count_for_anthropic(Gateway& gateway, HttpRequest& request, Responder& responder);

}  // namespace brigada
