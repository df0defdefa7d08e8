// The grammar of HTTP/1.1 heads, one line at a time: pure functions from text to values. They are
// strict where leniency lets two parsers disagree (request smuggling). Source: RFC 9110 and RFC
// 9112.
#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "net/http.h"

namespace brigada {

bool is_http_token(std::string_view text);
/// Whether a byte of it is below the space, or DEL.
bool has_control_char(std::string_view text);
bool equal_without_case(std::string_view a, std::string_view b);
/// Without spaces and tabs at both ends.
std::string_view trim_blanks(std::string_view text);

/// Decimal digits only, no sign, no overflow.
std::optional<uint64_t> parse_decimal(std::string_view digits);

/// `METHOD target HTTP/1.x` into request.method, .target, .path, .query and .minor_version.
std::optional<HttpError> parse_request_line(std::string_view line, const HttpLimits& limits,
                                            HttpRequest& request);

/// `HTTP/1.x 200 reason` into head.status and .minor_version. corrupt when it is none.
Result<void> parse_status_line(std::string_view line, HttpResponseHead& head);

/// `name: value` appended to `headers`. invalid_argument says what is wrong with the line.
Result<void> parse_field_line(std::string_view line, HttpHeaders& headers);

/// How long a body is.
struct BodyFraming {
    enum class Kind { none, length, chunked, until_close };
    Kind kind = Kind::none;
    uint64_t length = 0;  // for Kind::length
};

/// From a request's fields; refuses every combination that another parser may read differently, and
/// a declared length over limits.body_bytes.
std::optional<HttpError> request_framing(const HttpRequest& request, const HttpLimits& limits,
                                         BodyFraming& framing);

/// From a response's head and the method it answers. corrupt when the fields contradict each other.
Result<BodyFraming> response_framing(const HttpResponseHead& head, HttpMethod method);

/// Host fields as HTTP/1.1 wants them; 400 otherwise.
std::optional<HttpError> check_host(const HttpRequest& request);

}  // namespace brigada
