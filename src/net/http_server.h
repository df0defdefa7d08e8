// HttpServer: HTTP/1.1 on one loop. A connection is one coroutine: it reads a request whole, hands
// it to the handler with a Responder, and goes on to the next. What a peer does wrong is answered
// here, in the words of HttpServerOptions::format_error; handlers only ever see well-formed
// requests.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "net/gone.h"
#include "net/http.h"
#include "net/loop.h"

namespace brigada {

class HttpConnection;
struct HttpServerState;

/// Answers one request. Lives as long as the handler's call. Loop thread only.
///
/// Every call that sends returns false once the client is gone: stop working then. What the handler
/// leaves unanswered becomes a 500; a stream it leaves unfinished is cut, so that the client sees
/// it broke. Back-pressure: a sending call returns when the kernel has taken every byte.
class Responder {
  public:
    Responder(const Responder&) = delete;
    Responder& operator=(const Responder&) = delete;

    /// A whole response. Content-Length, Date and Connection are added here; give Content-Type.
    Task<bool> send(int status, const HttpHeaders& headers, std::string_view body);

    /// Begins a response of unknown length: chunked, or ended by close for HTTP/1.0 clients. Its
    /// `first` bytes leave with the head.
    Task<bool> start_stream(int status, const HttpHeaders& headers, std::string_view first = {});
    /// The next bytes of a started stream; they leave at once (TCP_NODELAY), in one chunk.
    Task<bool> write(std::string_view bytes);
    /// The `last` bytes and the proper end of a started stream.
    Task<bool> finish(std::string_view last = {});

    /// Whether the head of a response has been sent: an error must then go in-band.
    bool started() const;
    bool client_gone() const;
    /// Calls back, at once, when the client has disconnected: also while the handler waits for
    /// something else. A client that half-closed after pipelining more requests is not gone.
    ///
    ///   auto watch = responder.on_gone([&] { signal.notify(); });
    [[nodiscard]] Gone::Watch on_gone(std::move_only_function<void()> callback);

    /// The request's body is not needed any more: its memory is for others.
    void drop_body();

    /// Whether the server is draining: a long answer may choose to say so.
    bool draining() const;

  private:
    friend class HttpConnection;
    explicit Responder(HttpConnection& connection) : connection_(connection) {}

    HttpConnection& connection_;
};

using HttpHandler = std::function<Task<void>(HttpRequest&, Responder&)>;

struct HttpErrorBody {
    std::string content_type;
    std::string body;
};

struct HttpServerOptions {
    HttpLimits limits;
    /// Dresses an error the server itself answers with (400, 408, 413, 414, 431, 500, 501, 503,
    /// 505). Unset: the message as text/plain. Loop thread.
    std::function<HttpErrorBody(const HttpError&)> format_error = {};
    /// Several listeners, one per loop, share the port (SO_REUSEPORT).
    bool reuse_port = false;
};

struct HttpServerCounts {
    uint64_t accepted = 0;   // connections since the start
    uint64_t requests = 0;   // handed to the handler
    uint64_t refused = 0;    // answered with an error by the server itself
    uint64_t gone = 0;       // clients that left before their answer was complete
    size_t connections = 0;  // open now
    size_t running = 0;      // handlers running now
};

class HttpServer {
  public:
    /// Binds `address` (an IP address or "localhost") and `port` (0: one the kernel chooses) and
    /// starts accepting on `loop`, which must outlive the server. The handler runs on the loop's
    /// thread. Errors: invalid_argument (bad address), unavailable (port in use), forbidden, io.
    static Result<std::unique_ptr<HttpServer>> listen(Loop& loop, const std::string& address,
                                                      uint16_t port, HttpServerOptions options,
                                                      HttpHandler handler);
    /// stop().
    ~HttpServer();

    uint16_t port() const;
    /// Any thread.
    HttpServerCounts counts() const;

    /// Stops accepting, closes idle connections, lets running requests finish for at most `grace`,
    /// then stops. True when all finished. Any thread but the loop's; waits.
    bool drain(Duration grace);

    /// Closes every connection and waits until the last handler has returned: handlers learn by
    /// on_gone(). Any thread but the loop's.
    void stop();

  private:
    explicit HttpServer(std::shared_ptr<HttpServerState> state);

    std::shared_ptr<HttpServerState> state_;
};

}  // namespace brigada
