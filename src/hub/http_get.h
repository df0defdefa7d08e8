// HttpGet: one GET over libcurl, followed through redirects, its answer handed over piece by piece.
// What the network or the server did wrong comes back as an Error that says what to do about it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace brigada {

struct HttpGet {
    std::string url;
    std::string token;  // sent as a bearer token to this host only, not where it redirects to
    uint64_t from = 0;  // first byte wanted; 0 asks without a Range
};

/// The final answer's status, and the headers of all answers on the way to it: where several carry
/// the same header the first wins, so that a hub's x-linked-etag outlives the redirect to its
/// storage.
struct HttpHead {
    int status = 0;
    std::map<std::string, std::string, std::less<>> first;  // names in lower case
    std::map<std::string, std::string, std::less<>> last;   // of the final answer alone
};

/// What an attempt came to. `again` says that the same request may succeed: the connection broke,
/// or the server is overloaded.
struct HttpFailure {
    Error error;
    bool again = false;
};

/// Called once before any byte of a 200 or 206 arrives, then with the bytes. An Error ends the
/// transfer.
using OnHead = std::function<Result<void>(const HttpHead&)>;
using OnBody = std::function<Result<void>(std::string_view)>;

/// Nothing when the answer was 200 or 206 and arrived whole. Other statuses are failures:
/// 401 unauthenticated, 403 forbidden, 404 not_found, 416 corrupt, 429 and 5xx unavailable.
std::optional<HttpFailure> http_get(const HttpGet& get, const OnHead& on_head,
                                    const OnBody& on_body);

/// The whole answer as text, at most `max_bytes`.
Result<std::string> http_get_text(const HttpGet& get, size_t max_bytes);

}  // namespace brigada
