// Errors as OpenAI clients read them: one table from Code to status, type and code, and the body
// {"error": {"message", "type", "param", "code"}}.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "dialect/dialect_error.h"

namespace brigada {

struct ErrorStatus {
    int status = 500;
    std::string_view type;                   // "invalid_request_error"
    std::string_view code;                   // "context_length_exceeded"; "" for none
    std::optional<int> retry_after_seconds;  // when trying again makes sense
};

ErrorStatus error_status(Code code);

/// The JSON body. `param` is taken from a message that starts with a field's path: "top_p: ...".
std::string error_body(const Error& error);

/// The same for other dialects.
DialectError dialect_error(const Error& error);

/// For errors that were born as a status: 413 from the HTTP layer, 404 of a route.
std::string error_body(int status, std::string_view message);

}  // namespace brigada
