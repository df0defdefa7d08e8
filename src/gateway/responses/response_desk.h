// The paths by which a client reads and deletes what is kept of its calls of /v1/responses.
#pragma once

#include <string_view>

#include "gateway/gateway.h"
#include "net/http_server.h"

namespace brigada {

inline constexpr std::string_view kResponse = "/v1/responses/{response}";
inline constexpr std::string_view kResponseInput = "/v1/responses/{response}/input_items";
inline constexpr std::string_view kResponseCancel = "/v1/responses/{response}/cancel";

/// Each 404 for what is not kept for the caller's tenant.
Task<void> show_response(Gateway& gateway, HttpRequest& request, Responder& responder);
Task<void> list_response_input(Gateway& gateway, HttpRequest& request, Responder& responder);
Task<void> delete_response(Gateway& gateway, HttpRequest& request, Responder& responder);
/// Always refused: every response is over when it is kept.
Task<void> cancel_response(Gateway& gateway, HttpRequest& request, Responder& responder);

}  // namespace brigada
