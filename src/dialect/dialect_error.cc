#include "dialect/dialect_error.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include "base/concat.h"
#include "dialect/json_slices.h"
#include "dialect/json_text.h"

namespace brigada {

namespace {

/// How each dialect says a kind: Anthropic's type and status, OpenAI's type, code and status.
struct KindRow {
    ErrorKind kind;
    std::string_view messages_type;
    int messages_status;
    std::string_view openai_type;
    std::string_view openai_code;
    int openai_status;
};

constexpr std::array kKinds{
    KindRow{ErrorKind::invalid_request, "invalid_request_error", 400, "invalid_request_error", "",
            400},
    KindRow{ErrorKind::context_length, "invalid_request_error", 400, "invalid_request_error",
            "context_length_exceeded", 400},
    KindRow{ErrorKind::unauthenticated, "authentication_error", 401, "authentication_error",
            "invalid_api_key", 401},
    KindRow{ErrorKind::forbidden, "permission_error", 403, "permission_error", "", 403},
    KindRow{ErrorKind::not_found, "not_found_error", 404, "not_found_error", "model_not_found",
            404},
    KindRow{ErrorKind::too_large, "request_too_large", 413, "invalid_request_error", "", 413},
    KindRow{ErrorKind::rate_limit, "rate_limit_error", 429, "rate_limit_error",
            "rate_limit_exceeded", 429},
    KindRow{ErrorKind::quota, "billing_error", 429, "insufficient_quota", "insufficient_quota",
            429},
    KindRow{ErrorKind::overloaded, "overloaded_error", kMessagesOverloaded, "server_error", "",
            503},
    KindRow{ErrorKind::timeout, "timeout_error", 504, "server_error", "timeout", 504},
    KindRow{ErrorKind::server, "api_error", 500, "server_error", "", 500},
};

const KindRow& row_of(ErrorKind kind) {
    return kKinds[static_cast<size_t>(kind)];
}

struct WordRow {
    std::string_view word;
    ErrorKind kind;
};

/// Types and codes of OpenAI, Anthropic, LiteLLM, vLLM and llama.cpp that say more than a status.
constexpr std::array kWords{
    WordRow{"context_length_exceeded", ErrorKind::context_length},
    WordRow{"exceed_context_size_error", ErrorKind::context_length},
    WordRow{"insufficient_quota", ErrorKind::quota},
    WordRow{"billing_error", ErrorKind::quota},
    WordRow{"billing_hard_limit_reached", ErrorKind::quota},
    WordRow{"usage_limit_reached", ErrorKind::quota},
    WordRow{"budget_exceeded", ErrorKind::quota},
    WordRow{"rate_limit_error", ErrorKind::rate_limit},
    WordRow{"rate_limit_exceeded", ErrorKind::rate_limit},
    WordRow{"overloaded_error", ErrorKind::overloaded},
    WordRow{"server_is_overloaded", ErrorKind::overloaded},
    WordRow{"slow_down", ErrorKind::overloaded},
    WordRow{"timeout_error", ErrorKind::timeout},
    WordRow{"authentication_error", ErrorKind::unauthenticated},
    WordRow{"invalid_api_key", ErrorKind::unauthenticated},
    WordRow{"permission_error", ErrorKind::forbidden},
    WordRow{"not_found_error", ErrorKind::not_found},
    WordRow{"model_not_found", ErrorKind::not_found},
    WordRow{"request_too_large", ErrorKind::too_large},
    WordRow{"invalid_prompt", ErrorKind::invalid_request},
    WordRow{"BadRequestError", ErrorKind::invalid_request},
};

std::optional<ErrorKind> kind_of_word(std::string_view word) {
    const auto found = std::ranges::find(kWords, word, &WordRow::word);
    return found == kWords.end() ? std::nullopt : std::optional(found->kind);
}

std::optional<ErrorKind> kind_of_status(int status) {
    switch (status) {
        case 400:
        case 422:
            return ErrorKind::invalid_request;
        case 401:
            return ErrorKind::unauthenticated;
        case 402:
            return ErrorKind::quota;
        case 403:
            return ErrorKind::forbidden;
        case 404:
            return ErrorKind::not_found;
        case 408:
        case 504:
            return ErrorKind::timeout;
        case 413:
            return ErrorKind::too_large;
        case 429:
            return ErrorKind::rate_limit;
        case 503:
        case kMessagesOverloaded:
            return ErrorKind::overloaded;
        default:
            return std::nullopt;
    }
}

/// How Anthropic, OpenAI, vLLM, SGLang and llama.cpp say that a prompt does not fit.
bool says_too_long(std::string_view message) {
    constexpr std::array<std::string_view, 6> kWordings{
        "prompt is too long",   "maximum context length", "context length (",
        "exceed context limit", "context window",         "available context size"};
    return std::ranges::any_of(
        kWordings, [&](std::string_view wording) { return message.find(wording) != message.npos; });
}

/// The whole numbers in a sentence.
std::vector<int64_t> numbers_in(std::string_view text) {
    std::vector<int64_t> out;
    const char* const end = text.data() + text.size();
    for (const char* at = text.data(); at != end;) {
        int64_t number = 0;
        const auto [after, error] = std::from_chars(at, end, number);
        if (error == std::errc() && *at != '-') out.push_back(number);
        at = after == at ? at + 1 : after;
    }
    return out;
}

/// Anthropic's wording, which Claude Code looks for before it compacts. Of the numbers in any
/// engine's sentence the largest is what was asked for (prompt, or prompt and answer), and the next
/// smaller one the limit it broke.
std::string too_long_message(const std::string& message) {
    constexpr std::string_view kWording = "prompt is too long";
    for (std::string_view own : {kWording, std::string_view("exceed context limit")})
        if (message.contains(own)) return message;
    std::vector<int64_t> numbers = numbers_in(message);
    std::ranges::sort(numbers, std::greater());
    numbers.erase(std::ranges::unique(numbers).begin(), numbers.end());
    if (numbers.size() < 2) return concat(kWording, ": ", message);
    return concat(kWording, ": ", numbers[0], " tokens > ", numbers[1], " maximum");
}

std::string text_of(SliceObject& object, std::string_view name) {
    return unescaped(object.text(name));
}

/// What a body says that is no JSON: a proxy's page, a line of text.
std::string plain_message(int status, std::string_view body) {
    constexpr size_t kMost = 300;
    const size_t first = body.find_first_not_of(" \t\r\n");
    if (first == body.npos || body[first] == '<')
        return concat("the upstream answered with status ", status);
    return unescaped({escaped(body.substr(first, kMost))});  // mends what is not UTF-8
}

}  // namespace

ErrorKind error_kind(int status, std::string_view type, std::string_view code,
                     std::string_view message) {
    const bool may_be_length = status == 0 || status == 400 || status == 413 || status == 422;
    if (may_be_length && says_too_long(message)) return ErrorKind::context_length;
    for (std::string_view word : {code, type})
        if (const auto kind = kind_of_word(word)) return *kind;
    if (const auto kind = kind_of_status(status)) return *kind;
    return type == "invalid_request_error" ? ErrorKind::invalid_request : ErrorKind::server;
}

DialectError read_dialect_error(int status, SliceObject top) {
    DialectError out{.status = status};
    SliceObject inner = top.object("error");
    SliceObject& error = inner ? inner : top;
    out.type = text_of(error, "type");
    if (out.type == "error") out.type.clear();  // Responses: the type of the event
    out.code = text_of(error, "code");
    out.message = text_of(error, "message");
    out.param = text_of(error, "param");
    int64_t number = error.integer("code").value_or(0);
    if (status == 0 && number >= 400 && number < 600) status = static_cast<int>(number);
    for (std::string_view field : {"error", "message", "detail"})
        if (out.message.empty()) out.message = text_of(top, field);
    if (out.message.empty()) out.message = "the upstream reported an error without a message";
    out.kind = error_kind(status, out.type, out.code, out.message);
    return out;
}

DialectError read_dialect_error(int status, std::string_view body) {
    SliceDocument document;
    if (const Result<SliceObject> top = document.parse(body); top.ok())
        return read_dialect_error(status, *top);
    DialectError out{.message = plain_message(status, body), .status = status};
    out.kind = error_kind(status, "", "", out.message);
    return out;
}

int dialect_error_status(const DialectError& error, Dialect to) {
    if (error.kind == ErrorKind::server && error.status >= 500) return error.status;
    const KindRow& row = row_of(error.kind);
    return is_anthropic(to) ? row.messages_status : row.openai_status;
}

std::string dialect_error_body(const DialectError& error, Dialect to) {
    const KindRow& row = row_of(error.kind);
    if (!is_anthropic(to))
        return error_json(row.openai_type, error.message,
                          row.openai_code.empty() ? error.code : row.openai_code, error.param, to);
    const bool is_length = error.kind == ErrorKind::context_length;
    return error_json(row.messages_type,
                      is_length ? too_long_message(error.message) : error.message, "", "", to);
}

std::string dialect_error_event(const DialectError& error, Dialect to) {
    return concat(is_anthropic(to) ? "event: error\n" : "", "data: ", dialect_error_body(error, to),
                  "\n\n");
}

std::string_view response_error_code(ErrorKind kind) {
    switch (kind) {
        case ErrorKind::context_length:
            return "context_length_exceeded";
        case ErrorKind::quota:
            return "insufficient_quota";
        case ErrorKind::rate_limit:
            return "rate_limit_exceeded";
        case ErrorKind::invalid_request:
        case ErrorKind::too_large:
            return "invalid_prompt";
        default:
            return "server_error";
    }
}

std::string error_json(std::string_view type, std::string_view message, std::string_view code,
                       std::string_view param, Dialect to) {
    const std::string type_text = escaped(type), message_text = escaped(message);
    std::string out;
    if (is_anthropic(to)) {
        append_json(out, R"({"type":"error","error":{"type":)", Escaped{type_text},
                    R"(,"message":)", Escaped{message_text}, "}}");
        return out;
    }
    const auto or_null = [](std::string_view text) {
        return text.empty() ? std::string("null") : concat('"', escaped(text), '"');
    };
    append_json(out, R"({"error":{"message":)", Escaped{message_text}, R"(,"type":)",
                Escaped{type_text}, R"(,"param":)", or_null(param), R"(,"code":)", or_null(code),
                "}}");
    return out;
}

std::string_view messages_error_type(ErrorKind kind) {
    return row_of(kind).messages_type;
}

}  // namespace brigada
