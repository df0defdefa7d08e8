// The paths that tell which models there are, and what they cost.
#pragma once

#include <string_view>

#include "gateway/gateway.h"
#include "net/http_server.h"

namespace brigada {

inline constexpr std::string_view kModel = "/v1/models/{model}";

/// Those that the key may call, in the dialect of the client.
Task<void> list_models(Gateway& gateway, HttpRequest& request, Responder& responder);
Task<void> show_model(Gateway& gateway, HttpRequest& request, Responder& responder);
/// Deployments and their prices, as LiteLLM's /model/info has them.
Task<void> show_models(Gateway& gateway, HttpRequest& request, Responder& responder);

}  // namespace brigada
