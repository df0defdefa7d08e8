// Refusal: why the front door itself says no, and how that reads in the client's dialect.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/time.h"
#include "base/wall_time.h"
#include "dialect/dialect.h"
#include "net/http.h"

namespace brigada {

struct Refusal {
    int status = 500;
    std::string type = {};  // as LiteLLM's clients know it: "auth_error", "budget_exceeded"
    std::string message = {};
    std::optional<Duration> retry_after = {};
    bool may_retry = true;                   // false: x-should-retry tells SDKs not to
    std::optional<WallTime> resets_at = {};  // of a spent budget
};

/// By our own classes of error.
Refusal refusal_of(const Error& error);

/// Content-Type, Retry-After in whole seconds rounded up, x-should-retry; and the header in which
/// Codex looks for what to say of a spent budget.
HttpHeaders refusal_headers(const Refusal& refusal, Dialect dialect);

/// {"error": {...}} for OpenAI's clients, with `code` the status as text; Anthropic's
/// {"type": "error", "error": {...}} for its own. 503 is 529 to Anthropic's. A spent budget is
/// "usage_limit_reached" in Responses, with the time when it begins anew: Codex shows that.
std::string refusal_body(const Refusal& refusal, Dialect dialect);
int refusal_status(const Refusal& refusal, Dialect dialect);

/// The same as the last event of a stream that cannot be finished.
std::string refusal_event(const Refusal& refusal, Dialect dialect);

}  // namespace brigada
