// DialectError: what an upstream says when it refuses a call or its answer breaks, read from the
// bodies of all dialects and written in the client's, with the status and the words that clients
// act on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "dialect/dialect.h"

namespace brigada {

class SliceObject;

enum class ErrorKind : uint8_t {
    invalid_request,
    context_length,  // the prompt does not fit: clients compact and try again
    unauthenticated,
    forbidden,
    not_found,
    too_large,  // in bytes
    rate_limit,
    quota,  // money or credit is gone: trying again does not help
    overloaded,
    timeout,
    server,
};

struct DialectError {
    ErrorKind kind = ErrorKind::server;
    std::string type = {};  // as the upstream calls it: "overloaded_error", "server_error"
    std::string message = {};
    std::string code = {};   // OpenAI's; empty where there is none
    std::string param = {};  // OpenAI's: the field at fault
    int status = 0;          // the upstream's; 0 inside a stream
};

/// What a status and the words beside it mean; `status` 0 is unknown, words may be empty.
ErrorKind error_kind(int status, std::string_view type, std::string_view code,
                     std::string_view message);

/// The body of an upstream's 4xx or 5xx: {"error": {...}} of any dialect, {"error": "..."},
/// {"message": ...}, {"detail": ...}, or text, of which the beginning becomes the message.
DialectError read_dialect_error(int status, std::string_view body);
/// The same of an event of a stream, or of a part of one, with status 0.
DialectError read_dialect_error(int status, SliceObject top);

/// As the client's dialect numbers it: an overload is 529 to Anthropic's clients, 503 to OpenAI's.
int dialect_error_status(const DialectError& error, Dialect to);

/// The body. A prompt that does not fit reads "prompt is too long: 210000 tokens > 200000 maximum"
/// to Anthropic's clients, and has the code context_length_exceeded for OpenAI's.
std::string dialect_error_body(const DialectError& error, Dialect to);

/// The last event of a stream that breaks, framed: of chat and messages. Responses end with
/// response.failed, which their writer makes, with response_error_code().
std::string dialect_error_event(const DialectError& error, Dialect to);

/// The `code` of a failed response: Codex waits after rate_limit_exceeded, compacts after
/// context_length_exceeded, gives up after insufficient_quota and invalid_prompt, and tries again
/// after others.
std::string_view response_error_code(ErrorKind kind);

/// {"type": "error", "error": {...}} or {"error": {...}}; an empty `code` or `param` is null.
std::string error_json(std::string_view type, std::string_view message, std::string_view code,
                       std::string_view param, Dialect to);

/// Anthropic's word: "overloaded_error".
std::string_view messages_error_type(ErrorKind kind);

/// Anthropic's status for an overload.
inline constexpr int kMessagesOverloaded = 529;

}  // namespace brigada
