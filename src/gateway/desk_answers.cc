#include "gateway/desk_answers.h"

#include <utility>

#include "gateway/client_call.h"
#include "gateway/refusal.h"

namespace brigada {

Task<void> answer(Responder& responder, int status, Json body) {
    co_await responder.send(status, {{"Content-Type", "application/json"}}, dump_json(body));
}

Task<void> say(Responder& responder, int status, std::string_view text) {
    co_await responder.send(status, {{"Content-Type", "text/plain; charset=utf-8"}}, text);
}

Task<void> refuse(Responder& responder, Denial denial) {
    co_await answer(responder, denial.status,
                    error_envelope(denial.status, denial.type, denial.message));
}

std::expected<CallerRef, Denial> caller_of(Gateway& gateway, const HttpRequest& request) {
    return gateway.directory().identify(
        key_of(request.headers, gateway.config().general.key_header), WallClock().now());
}

Denial denial_of(const Error& error) {
    const Refusal refusal = refusal_of(error);
    const bool is_wrong = error.code == Code::invalid_argument;
    return {.status = refusal.status,
            .type = is_wrong ? "bad_request_error" : refusal.type,
            .message = error.message};
}

}  // namespace brigada
