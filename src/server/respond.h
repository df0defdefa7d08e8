// The few ways our handlers answer: JSON, an error in OpenAI's shape, a line of text.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "dialect/dialect.h"
#include "net/http_server.h"

namespace brigada {

Task<void> send_json(Responder& responder, int status, std::string body);

/// Status, body and Retry-After by api's table, in the client's dialect.
Task<void> send_error(Responder& responder, Error error, Dialect dialect = Dialect::chat);

Task<void> send_text(Responder& responder, int status, std::string body,
                     std::string_view content_type = "text/plain; charset=utf-8");

/// How the HTTP layer's own errors are dressed.
HttpErrorBody dress_http_error(const HttpError& error);

}  // namespace brigada
