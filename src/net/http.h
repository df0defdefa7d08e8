// The values of HTTP: methods, header fields, a request read in full, the head of a response, and
// the limits on what we take from a peer. No sockets here.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace brigada {

enum class HttpMethod : uint8_t { get, head, post, put, patch, del, options };

std::string_view to_string(HttpMethod method);
/// Methods are case-sensitive. nullopt for what we do not serve (501).
std::optional<HttpMethod> parse_http_method(std::string_view word);

/// "Not Found" for 404; "Unknown" for a number without a name.
std::string_view http_reason(int status);

/// Header fields in order, several with one name kept apart. Names compare without case. The text
/// of all fields lies in one block, so a head costs two allocations however many fields it has.
class HttpHeaders {
  public:
    struct Field {
        std::string_view name;
        std::string_view value;
    };

    HttpHeaders() = default;
    HttpHeaders(std::initializer_list<Field> fields);

    /// Appends a field. Bytes that would end the line (CR, LF, NUL) become spaces in a value; a
    /// name must be a token (CHECK).
    void add(std::string_view name, std::string_view value);

    /// The first value of that name; nullopt when there is none. Views live until the next add().
    std::optional<std::string_view> get(std::string_view name) const;
    std::vector<std::string_view> get_all(std::string_view name) const;
    bool has(std::string_view name) const { return get(name).has_value(); }
    /// Whether some value of that name, read as a comma-separated list, holds `token` (without
    /// case).
    bool lists(std::string_view name, std::string_view token) const;

    size_t size() const { return spans_.size(); }
    Field operator[](size_t i) const;
    void clear();

  private:
    struct Span {
        uint32_t name_begin, name_size, value_begin, value_size;
    };

    std::string text_;
    std::vector<Span> spans_;
};

/// Bytes simdjson may read past the end of a body; every body has them as capacity.
inline constexpr size_t kBodyPadding = 64;

/// One request, whole.
struct HttpRequest {
    HttpMethod method = HttpMethod::get;
    std::string target;  // as sent, after the authority of an absolute target is taken off
    std::string path;    // percent-decoded, begins with '/' (or is "*" for OPTIONS)
    std::string query;   // after '?', not decoded
    int minor_version = 1;
    HttpHeaders headers;
    std::string body;  // capacity() >= size() + kBodyPadding when not empty
    std::string peer;  // "127.0.0.1:50312"
    bool keep_alive = true;

    /// The decoded value of the first `name=value` in the query; nullopt when absent.
    std::optional<std::string> query_value(std::string_view name) const;
};

/// Status line and fields of a response.
struct HttpResponseHead {
    int status = 200;
    int minor_version = 1;
    HttpHeaders headers;
};

/// What a peer did wrong on the wire, with the status that tells it.
struct HttpError {
    int status = 400;
    std::string message;
    std::string path;  // of the request, when that much was understood
};

/// Limits on one connection's input. Each has its status: 414, 431, 413, 408.
struct HttpLimits {
    size_t target_bytes = 8'192;  // 414 URI Too Long
    size_t head_bytes = 65'536;   // 431; start line and all fields
    size_t header_count = 128;    // 431
    size_t body_bytes =
        33'554'432;  // 413, before the body is read; 32 MB is what agents send at most

    Duration head_timeout =
        Duration::seconds(10);                    // 408; from the first byte to the end of the head
    Duration body_grace = Duration::seconds(10);  // 408; the body must arrive in this time plus
    size_t body_bytes_per_second = 16'384;        //      its bytes at this rate
    Duration idle_timeout = Duration::seconds(120);  // a kept connection without a request: closed
    Duration write_stall =
        Duration::seconds(60);               // a client that takes nothing for so long is gone
    Duration linger = Duration::seconds(2);  // for the client to read an error before we close

    size_t connections = 8'192;             // 503 beyond
    size_t buffered_bytes = 1'073'741'824;  // all bodies held at once; 503 beyond
};

/// %XX decoded. invalid_argument for a broken escape or one that hides a control character.
Result<std::string> percent_decode(std::string_view text);

}  // namespace brigada
