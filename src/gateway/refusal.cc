#include "gateway/refusal.h"

#include "api/error_body.h"
#include "base/concat.h"
#include "base/json.h"

namespace brigada {

namespace {

constexpr int kAnthropicOverloaded = 529;

std::string_view anthropic_type(const Refusal& refusal) {
    if (refusal.type == "budget_exceeded") return "billing_error";
    switch (refusal.status) {
        case 400:
            return "invalid_request_error";
        case 401:
            return "authentication_error";
        case 403:
            return "permission_error";
        case 404:
            return "not_found_error";
        case 413:
            return "request_too_large";
        case 429:
            return "rate_limit_error";
        case 503:
            return "overloaded_error";
        default:
            return "api_error";
    }
}

Json error_json(const Refusal& refusal, Dialect dialect) {
    if (is_anthropic(dialect))
        return {{"type", "error"},
                {"error",
                 {{"type", std::string(anthropic_type(refusal))}, {"message", refusal.message}}}};
    return {{"error",
             {{"message", refusal.message},
              {"type", refusal.type},
              {"param", nullptr},
              {"code", std::to_string(refusal.status)}}}};
}

}  // namespace

Refusal refusal_of(const Error& error) {
    const ErrorStatus known = error_status(error.code);
    Refusal out{.status = known.status, .type = std::string(known.type), .message = error.message};
    if (known.retry_after_seconds) out.retry_after = Duration::seconds(*known.retry_after_seconds);
    return out;
}

HttpHeaders refusal_headers(const Refusal& refusal) {
    HttpHeaders out{{"Content-Type", "application/json"}};
    if (refusal.retry_after) {
        const int64_t seconds = (refusal.retry_after->ns() + 999'999'999) / 1'000'000'000;
        out.add("Retry-After", std::to_string(std::max<int64_t>(seconds, 1)));
    }
    if (!refusal.may_retry) out.add("x-should-retry", "false");
    return out;
}

std::string refusal_body(const Refusal& refusal, Dialect dialect) {
    return dump_json(error_json(refusal, dialect));
}

int refusal_status(const Refusal& refusal, Dialect dialect) {
    return refusal.status == 503 && is_anthropic(dialect) ? kAnthropicOverloaded : refusal.status;
}

std::string refusal_event(const Refusal& refusal, Dialect dialect) {
    if (dialect == Dialect::responses)
        return concat("event: error\ndata: ",
                      dump_json({{"type", "error"},
                                 {"code", refusal.type},
                                 {"message", refusal.message},
                                 {"param", nullptr}}),
                      "\n\n");
    const std::string_view name = is_anthropic(dialect) ? "event: error\n" : "";
    return concat(name, "data: ", refusal_body(refusal, dialect), "\n\n");
}

}  // namespace brigada
