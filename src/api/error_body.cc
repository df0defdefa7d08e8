#include "api/error_body.h"

#include <algorithm>
#include <cctype>

#include "base/json.h"

namespace brigada {

namespace {

/// "messages[0].content" of "messages[0].content: is missing"; nothing for ordinary sentences.
std::optional<std::string> leading_field(std::string_view message) {
    const size_t colon = message.find(": ");
    if (colon == std::string_view::npos || colon == 0) return std::nullopt;
    const std::string_view field = message.substr(0, colon);
    const bool is_path = std::all_of(field.begin(), field.end(), [](unsigned char c) {
        return std::islower(c) || std::isdigit(c) || c == '_' || c == '.' || c == '[' || c == ']';
    });
    return is_path ? std::optional(std::string(field)) : std::nullopt;
}

std::string body(std::string_view message, std::string_view type, std::string_view code) {
    const auto param = leading_field(message);
    return dump_json({{"error",
                       {{"message", message},
                        {"type", type},
                        {"param", param ? Json(*param) : Json(nullptr)},
                        {"code", code.empty() ? Json(nullptr) : Json(code)}}}});
}

std::string_view type_of_status(int status) {
    if (status == 401) return "authentication_error";
    if (status == 403) return "permission_error";
    if (status == 404) return "not_found_error";
    if (status == 429) return "rate_limit_error";
    return status < 500 ? "invalid_request_error" : "server_error";
}

}  // namespace

ErrorStatus error_status(Code code) {
    switch (code) {
        case Code::invalid_argument:
            return {400, "invalid_request_error", "", {}};
        case Code::corrupt:
            return {400, "invalid_request_error", "", {}};
        case Code::unsupported:
            return {400, "invalid_request_error", "unsupported", {}};
        case Code::too_large:
            return {400, "invalid_request_error", "context_length_exceeded", {}};
        case Code::unauthenticated:
            return {401, "authentication_error", "invalid_api_key", {}};
        case Code::forbidden:
            return {403, "permission_error", "", {}};
        case Code::not_found:
            return {404, "not_found_error", "model_not_found", {}};
        case Code::exhausted:
            return {429, "rate_limit_error", "queue_full", 1};
        case Code::unavailable:
            return {503, "server_error", "unavailable", 1};
        case Code::deadline:
            return {503, "server_error", "deadline_exceeded", 1};
        case Code::cancelled:
            return {499, "server_error", "cancelled", {}};
        case Code::io:
            return {500, "server_error", "", {}};
        case Code::internal:
            return {500, "server_error", "", {}};
    }
    return {};
}

std::string error_body(const Error& error) {
    const ErrorStatus status = error_status(error.code);
    return body(error.message, status.type, status.code);
}

std::string error_body(int status, std::string_view message) {
    return body(message, type_of_status(status), "");
}

DialectError dialect_error(const Error& error) {
    const ErrorStatus known = error_status(error.code);
    return {.kind = error_kind(known.status, known.type, known.code, error.message),
            .type = std::string(known.type),
            .message = error.message,
            .code = std::string(known.code),
            .status = known.status};
}

}  // namespace brigada
