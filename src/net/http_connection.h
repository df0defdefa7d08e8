// HttpConnection: one accepted socket on the server's side, as one coroutine that reads like the
// protocol: read a request, run the handler, go on. HttpServerState is what the connections of a
// server share. Private to the server.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <condition_variable>
#include <ctime>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_set>
#include <vector>

#include "net/gone.h"
#include "net/http_parser.h"
#include "net/http_server.h"
#include "net/stream.h"

namespace brigada {

class HttpConnection;

using LoopAcceptor = boost::asio::basic_socket_acceptor<boost::asio::ip::tcp, LoopExecutor>;

/// Everything but the atomics and `idle` is the loop thread's.
struct HttpServerState : std::enable_shared_from_this<HttpServerState> {
    HttpServerState(Loop& l, HttpServerOptions o, HttpHandler h)
        : loop(l), options(std::move(o)), handler(std::move(h)), acceptor(l.executor()) {}

    Task<void> accept_connections();
    void admit(LoopSocket socket);
    void refuse_at_the_door(LoopSocket socket);
    /// Stops accepting and closes the connections that wait for a request.
    void begin_drain();
    /// Closes all connections; their handlers learn that the client is gone.
    void close_all();
    /// Waits until no connection is left, at most until `timeout` has passed.
    bool wait_until_empty(Duration timeout);

    HttpErrorBody format(const HttpError& error) const;
    /// "Sun, 06 Nov 1994 08:49:37 GMT", made once a second.
    std::string_view date();

    Loop& loop;
    const HttpServerOptions options;
    const HttpHandler handler;
    LoopAcceptor acceptor;
    uint16_t port = 0;
    bool draining = false;
    std::unordered_set<HttpConnection*> open;
    BodyPool bodies;
    size_t buffered_bytes = 0;                                 // bodies of all connections
    std::vector<char> scratch = std::vector<char>(64 * 1024);  // filled and used up without waiting
    std::time_t date_second = 0;
    std::string date_text;

    std::atomic<uint64_t> accepted = 0, requests = 0, refused = 0, gone = 0;
    std::atomic<size_t> running = 0;

    std::mutex mutex;  // guards `connections`
    std::condition_variable emptied;
    size_t connections = 0;
};

class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
  public:
    HttpConnection(std::shared_ptr<HttpServerState> server, LoopSocket socket);
    ~HttpConnection();

    /// The connection's life, until it is closed.
    Task<void> serve();

    bool waits_for_request() const { return phase_ == Phase::idle; }
    /// Nothing more is read or written; the handler learns that the client is gone.
    void abandon();

    // What Responder does, on behalf of the handler running now.
    Task<bool> send(int status, const HttpHeaders& headers, std::string_view body);
    Task<bool> start_stream(int status, const HttpHeaders& headers, std::string_view first);
    Task<bool> write(std::string_view bytes);
    void drop_body();
    Task<bool> finish(std::string_view last);
    bool started() const { return phase_ >= Phase::streaming; }
    bool client_gone() const { return gone_.happened(); }
    Gone::Watch on_gone(std::move_only_function<void()> callback);
    /// From now on the client's leaving is noticed while the handler runs.
    void watch_client();
    bool draining() const { return server_->draining; }

  private:
    enum class Phase { idle, reading, handling, streaming, answered };

    Task<bool> read_request();
    Task<IoStatus> read_more(std::span<char> room);
    void feed(std::string_view bytes);
    void set_read_deadline();
    bool account_body();
    Task<void> stop_reading(IoStatus why);
    Task<void> refuse(HttpError error);
    Task<void> run_handler();
    Task<void> settle_answer(std::string failure);
    Task<void> linger();

    void client_readable();
    void client_left();

    std::string render_head(int status, const HttpHeaders& headers,
                            std::optional<size_t> content_length);
    Task<bool> write_pieces(std::span<iovec> pieces);

    std::shared_ptr<HttpServerState> server_;
    TcpStream stream_;
    const std::string peer_;
    RequestParser parser_;
    std::string carry_;           // read, but not yet parsed: the beginning of a pipelined request
    Gone gone_;                   // of the request handled now
    size_t accounted_bytes_ = 0;  // in server_->buffered_bytes
    Instant body_began_ = Instant::never();
    Phase phase_ = Phase::idle;
    bool keep_alive_ = true;  // after this answer
    bool chunked_ = false;    // how the running stream is framed
    bool bodyless_ = false;   // the answer to HEAD, 204 or 304
    bool writing_ = false;
    bool watching_ = false;     // a callback for "readable" is on its way
    bool half_closed_ = false;  // the peer has sent its last byte
};

}  // namespace brigada
