#include "server/respond.h"

#include "api/error_body.h"

namespace brigada {

namespace {
constexpr std::string_view kJson = "application/json";
}

Task<void> send_json(Responder& responder, int status, std::string body) {
    co_await responder.send(status, {{"Content-Type", kJson}}, body);
}

Task<void> send_error(Responder& responder, Error error, Dialect dialect) {
    const ErrorStatus status = error_status(error.code);
    HttpHeaders headers{{"Content-Type", kJson}};
    if (status.retry_after_seconds)
        headers.add("Retry-After", std::to_string(*status.retry_after_seconds));
    if (dialect == Dialect::chat)
        co_await responder.send(status.status, headers, error_body(error));
    else
        co_await responder.send(dialect_error_status(dialect_error(error), dialect), headers,
                                dialect_error_body(dialect_error(error), dialect));
}

Task<void> send_text(Responder& responder, int status, std::string body,
                     std::string_view content_type) {
    co_await responder.send(status, {{"Content-Type", content_type}}, body);
}

HttpErrorBody dress_http_error(const HttpError& error) {
    return {std::string(kJson), error_body(error.status, error.message)};
}

}  // namespace brigada
