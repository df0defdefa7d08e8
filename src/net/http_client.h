// HttpClient: HTTP to upstreams on one loop: HTTP/1.1, plain or by TLS, with a pool of kept
// connections, and HTTP/2 where a server of TLS chooses it. One call is an HttpExchange: start()
// sends the request and returns the response's head, read() returns the body piece by piece as it
// arrives, abort() ends it from anywhere on the loop.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "net/http.h"
#include "net/loop.h"

namespace brigada {

class TlsContext;

/// How long each phase of a call may take. What runs out is a Code::deadline that names the phase.
struct HttpTimeouts {
    Duration connect = Duration::seconds(5);       // with the TLS handshake
    Duration first_byte = Duration::seconds(600);  // from the request sent to the response's head
    Duration between_bytes = Duration::seconds(120);  // of the body; also of a stalled upload
    Duration total = Duration::max();
};

/// A request to an upstream. Host, Content-Length and Connection are added here.
struct HttpCall {
    HttpMethod method = HttpMethod::get;
    std::string host;  // a name or an IP address (IPv6 without brackets)
    uint16_t port = 80;
    std::shared_ptr<TlsContext> tls = {};  // null: plain HTTP
    std::string target = "/";              // path and query, percent-encoded
    HttpHeaders headers = {};
    std::vector<std::string_view> body = {};  // in pieces; borrowed until start() returns
    HttpTimeouts timeouts = {};
};

struct HttpClientOptions {
    size_t idle_per_host = 64;  // kept connections; the oldest goes when one more comes
    /// A kept connection is not used when older: below the upstream's own limit (uvicorn: 5 s).
    Duration idle_timeout = Duration::milliseconds(4'500);
    size_t head_bytes = 65'536;
    size_t header_count = 256;
    bool offers_http2 = true;  // to servers of TLS, which choose
};

struct HttpClientState;
struct HttpExchangeState;

/// Loop thread only.
class HttpClient {
  public:
    explicit HttpClient(Loop& loop, HttpClientOptions options = {});
    /// Closes the kept connections. Exchanges under way go on and then close theirs.
    ~HttpClient();

    /// Connections kept now, all hosts, and connections opened since the start.
    size_t idle_connections() const;
    uint64_t opened_connections() const;

  private:
    friend class HttpExchange;
    std::shared_ptr<HttpClientState> state_;
};

/// One call. Destroyed before the end of its body it closes the connection, or resets its stream of
/// HTTP/2, which is how an upstream learns that nobody listens. Loop thread only.
class HttpExchange {
  public:
    explicit HttpExchange(HttpClient& client);
    ~HttpExchange();
    HttpExchange(const HttpExchange&) = delete;
    HttpExchange& operator=(const HttpExchange&) = delete;

    /// Sends `call` and returns the head of the final response. A kept connection that the upstream
    /// had closed is replaced once: for methods that may be repeated (not POST or PATCH), and for
    /// all when the upstream can't have looked at the call (it says so, or had closed before a byte
    /// reached it). `call` must live until this returns; may be called once. Errors: unavailable
    /// (no address, refused, no TLS as it should be, broken before the head), deadline, cancelled,
    /// corrupt (not HTTP), invalid_argument (a target that is none).
    Task<Result<HttpResponseHead>> start(const HttpCall& call);

    /// The next bytes of the body, as they came; empty at its end. The view lives until the next
    /// read(). No read from the upstream happens between calls: that is the back-pressure. Errors:
    /// unavailable (closed before the end), deadline, cancelled, corrupt.
    Task<Result<std::string_view>> read();

    /// The rest of the body; too_large when it is over `max_bytes`.
    Task<Result<std::string>> read_all(size_t max_bytes);

    /// Ends the call now: what waits in start() or read() returns cancelled, later calls too.
    void abort();

    /// When the last byte of the request was handed to the kernel, by whichever try came last;
    /// never() while some is still here.
    Instant sent_at() const;

  private:
    std::shared_ptr<HttpExchangeState> state_;
};

}  // namespace brigada
