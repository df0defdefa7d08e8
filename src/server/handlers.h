// The endpoints of `brigada serve`, one function each. They read, check, hand work to a Generation
// or answer at once.
#pragma once

#include "net/http_server.h"
#include "server/service.h"

namespace brigada {

Task<void> handle_chat(Service& service, HttpRequest& request, Responder& responder);
Task<void> handle_completion(Service& service, HttpRequest& request, Responder& responder);
Task<void> handle_messages(Service& service, HttpRequest& request, Responder& responder);
Task<void> handle_count_tokens(Service& service, HttpRequest& request, Responder& responder);
Task<void> handle_responses(Service& service, HttpRequest& request, Responder& responder);
Task<void> handle_tokenize(Service& service, HttpRequest& request, Responder& responder);
Task<void> handle_detokenize(Service& service, HttpRequest& request, Responder& responder);
Task<void> handle_models(Service& service, HttpRequest& request, Responder& responder);
Task<void> handle_health(Service& service, HttpRequest& request, Responder& responder);
Task<void> handle_metrics(Service& service, HttpRequest& request, Responder& responder);
Task<void> handle_debug_state(Service& service, HttpRequest& request, Responder& responder);

}  // namespace brigada
