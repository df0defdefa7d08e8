#include "gateway/refusal.h"

#include <algorithm>

#include "api/error_body.h"
#include "base/concat.h"
#include "base/json.h"
#include "dialect/dialect_error.h"

namespace brigada {

namespace {

std::string_view anthropic_type(const Refusal& refusal) {
    return messages_error_type(error_kind(refusal.status, refusal.type, "", ""));
}

/// What Codex takes for the end of an allowance, not for a moment's haste.
bool is_usage_limit(const Refusal& refusal, Dialect dialect) {
    return dialect == Dialect::responses && refusal.status == 429 &&
           refusal.type == "budget_exceeded";
}

/// Names of teams and people are in it; a header takes what is printable in ASCII.
std::string header_text(std::string text) {
    std::ranges::replace_if(text, [](char c) { return c < ' ' || c > '~'; }, '?');
    return text;
}

std::string usage_limit_body(const Refusal& refusal) {
    Json error = {{"message", refusal.message},
                  {"type", "usage_limit_reached"},
                  {"param", nullptr},
                  {"code", refusal.type}};
    if (refusal.resets_at) error["resets_at"] = refusal.resets_at->ns / 1'000'000'000;
    return dump_json({{"error", std::move(error)}});
}

}  // namespace

Refusal refusal_of(const Error& error) {
    const ErrorStatus known = error_status(error.code);
    Refusal out{.status = known.status, .type = std::string(known.type), .message = error.message};
    if (known.retry_after_seconds) out.retry_after = Duration::seconds(*known.retry_after_seconds);
    return out;
}

HttpHeaders refusal_headers(const Refusal& refusal, Dialect dialect) {
    HttpHeaders out{{"Content-Type", "application/json"}};
    if (refusal.retry_after) {
        const int64_t seconds = (refusal.retry_after->ns() + 999'999'999) / 1'000'000'000;
        out.add("Retry-After", std::to_string(std::max<int64_t>(seconds, 1)));
    }
    if (!refusal.may_retry) out.add("x-should-retry", "false");
    if (is_usage_limit(refusal, dialect))
        out.add("x-codex-promo-message", header_text(refusal.message));
    return out;
}

std::string refusal_body(const Refusal& refusal, Dialect dialect) {
    if (is_anthropic(dialect))
        return error_json(anthropic_type(refusal), refusal.message, "", "", dialect);
    if (is_usage_limit(refusal, dialect)) return usage_limit_body(refusal);
    return error_json(refusal.type, refusal.message, std::to_string(refusal.status), "", dialect);
}

int refusal_status(const Refusal& refusal, Dialect dialect) {
    return refusal.status == 503 && is_anthropic(dialect) ? kMessagesOverloaded : refusal.status;
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
