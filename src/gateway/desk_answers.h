// What the desks have in common: who asks, and how an answer or a no is sent.
#pragma once

#include <expected>
#include <string_view>

#include "base/json.h"
#include "gateway/directory/directory.h"
#include "gateway/gateway.h"
#include "net/http_server.h"

namespace brigada {

Task<void> answer(Responder& responder, int status, Json body);
Task<void> say(Responder& responder, int status, std::string_view text);
Task<void> refuse(Responder& responder, Denial denial);

std::expected<CallerRef, Denial> caller_of(Gateway& gateway, const HttpRequest& request);

Denial denial_of(const Error& error);

}  // namespace brigada
