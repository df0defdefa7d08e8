#include "net/http_server.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

#include "net/http_connection.h"
#include "net/signal.h"

namespace brigada {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

constexpr auto kTuple = asio::as_tuple(asio::use_awaitable_t<LoopExecutor>{});

// When accepting fails for want of descriptors, trying again at once only burns the loop.
constexpr auto kAcceptPause = std::chrono::milliseconds(50);

using ReusePort = asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;

Result<asio::ip::address> parse_address(const std::string& text) {
    if (text == "localhost") return asio::ip::address(asio::ip::address_v4::loopback());
    boost::system::error_code error;
    const asio::ip::address address = asio::ip::make_address(text, error);
    if (!error) return address;
    return Error{Code::invalid_argument,
                 concat("'", text,
                        "' is not an IP address to listen on; use 127.0.0.1 (this machine "
                        "only), 0.0.0.0 (every IPv4 address) or :: (every address)")};
}

Error listen_error(const boost::system::error_code& error, const std::string& address,
                   uint16_t port) {
    if (error == asio::error::address_in_use)
        return {Code::unavailable,
                concat(address, ":", port, " is already in use; choose another with --port")};
    if (error == asio::error::access_denied)
        return {Code::forbidden,
                concat("no permission to listen on ", address, ":", port,
                       "; ports below 1024 need root or CAP_NET_BIND_SERVICE, choose another with "
                       "--port")};
    if (error == boost::system::errc::address_not_available)
        return {Code::invalid_argument,
                concat("this machine has no address ", address, "; use 127.0.0.1 or 0.0.0.0")};
    return {Code::io, concat("cannot listen on ", address, ":", port, ": ", error.message())};
}

boost::system::error_code open_acceptor(LoopAcceptor& acceptor, const tcp::endpoint& endpoint,
                                        bool reuse_port) {
    boost::system::error_code error;
    acceptor.open(endpoint.protocol(), error);
    if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
    if (!error && reuse_port) acceptor.set_option(ReusePort(true), error);
    if (!error) acceptor.bind(endpoint, error);
    if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
    return error;
}

}  // namespace

// --- what connections share ------------------------------------------------------------------

Task<void> HttpServerState::accept_connections() {
    const auto self = shared_from_this();
    LoopTimer pause(loop.executor());
    while (acceptor.is_open()) {
        auto [error, socket] = co_await acceptor.async_accept(kTuple);
        if (!error) {
            admit(std::move(socket));
        } else if (acceptor.is_open()) {
            pause.expires_after(kAcceptPause);
            co_await pause.async_wait(kTuple);
        }
    }
}

void HttpServerState::admit(LoopSocket socket) {
    accepted.fetch_add(1, std::memory_order_relaxed);
    if (open.size() >= options.limits.connections) return refuse_at_the_door(std::move(socket));
    auto connection = std::make_shared<HttpConnection>(shared_from_this(), std::move(socket));
    // What throws here is a lack of memory for one body; it costs that one connection.
    HttpConnection& running_one = *connection;
    asio::co_spawn(loop.executor(), running_one.serve(),
                   [connection = std::move(connection)](std::exception_ptr) {});
}

// One try, without waiting: whoever is refused for want of room must not take any.
void HttpServerState::refuse_at_the_door(LoopSocket socket) {
    refused.fetch_add(1, std::memory_order_relaxed);
    const HttpErrorBody body = format(
        {503, concat("all ", options.limits.connections, " connections are taken; try again"), {}});
    const std::string text =
        concat("HTTP/1.1 503 Service Unavailable\r\ncontent-type: ", body.content_type,
               "\r\ncontent-length: ", body.body.size(),
               "\r\nretry-after: 1\r\nconnection: close\r\n\r\n", body.body);
    boost::system::error_code ignored;
    socket.non_blocking(true, ignored);
    socket.write_some(asio::buffer(text), ignored);
    socket.shutdown(tcp::socket::shutdown_send, ignored);
    socket.read_some(asio::buffer(scratch), ignored);
}

void HttpServerState::begin_drain() {
    draining = true;
    boost::system::error_code ignored;
    acceptor.close(ignored);
    const std::vector<HttpConnection*> all(open.begin(), open.end());
    for (HttpConnection* connection : all)
        if (connection->waits_for_request()) connection->abandon();
}

void HttpServerState::close_all() {
    const std::vector<HttpConnection*> all(open.begin(), open.end());
    for (HttpConnection* connection : all)
        if (open.contains(connection)) connection->abandon();
}

bool HttpServerState::wait_until_empty(Duration timeout) {
    std::unique_lock lock(mutex);
    const auto empty = [this] { return connections == 0; };
    if (timeout != Duration::max()) return emptied.wait_for(lock, timeout.chrono(), empty);
    emptied.wait(lock, empty);
    return true;
}

HttpErrorBody HttpServerState::format(const HttpError& error) const {
    if (options.format_error) return options.format_error(error);
    return {"text/plain; charset=utf-8", error.message + "\n"};
}

std::string_view HttpServerState::date() {
    const std::time_t now = std::time(nullptr);
    if (now != date_second) {
        std::tm parts{};
        gmtime_r(&now, &parts);
        char text[64];
        date_text.assign(text,
                         std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts));
        date_second = now;
    }
    return date_text;
}

// --- the server ------------------------------------------------------------------------------

HttpServer::HttpServer(std::shared_ptr<HttpServerState> state) : state_(std::move(state)) {}
HttpServer::~HttpServer() {
    stop();
}

Result<std::unique_ptr<HttpServer>> HttpServer::listen(Loop& loop, const std::string& address,
                                                       uint16_t port, HttpServerOptions options,
                                                       HttpHandler handler) {
    TRY(const asio::ip::address ip, parse_address(address));
    const bool reuse_port = options.reuse_port;
    const auto state =
        std::make_shared<HttpServerState>(loop, std::move(options), std::move(handler));
    boost::system::error_code error;
    const bool ran = loop.run([&] {
        error = open_acceptor(state->acceptor, {ip, port}, reuse_port);
        boost::system::error_code ignored;
        if (error) return static_cast<void>(state->acceptor.close(ignored));
        state->port = state->acceptor.local_endpoint(ignored).port();
        asio::co_spawn(loop.executor(), state->accept_connections(), [](std::exception_ptr) {});
    });
    if (!ran) return Error{Code::unavailable, concat("the loop ", loop.name(), " has stopped")};
    if (error) return listen_error(error, address, port);
    return std::unique_ptr<HttpServer>(new HttpServer(state));
}

uint16_t HttpServer::port() const {
    return state_->port;
}

HttpServerCounts HttpServer::counts() const {
    HttpServerCounts counts;
    counts.accepted = state_->accepted.load(std::memory_order_relaxed);
    counts.requests = state_->requests.load(std::memory_order_relaxed);
    counts.refused = state_->refused.load(std::memory_order_relaxed);
    counts.gone = state_->gone.load(std::memory_order_relaxed);
    counts.running = state_->running.load(std::memory_order_relaxed);
    std::lock_guard lock(state_->mutex);
    counts.connections = state_->connections;
    return counts;
}

bool HttpServer::drain(Duration grace) {
    if (!state_->loop.run([this] { state_->begin_drain(); })) return false;
    const bool finished = state_->wait_until_empty(grace);
    stop();
    return finished;
}

void HttpServer::stop() {
    const bool ran = state_->loop.run([this] {
        state_->begin_drain();
        state_->close_all();
    });
    if (ran) state_->wait_until_empty(Duration::max());
}

// --- the responder ---------------------------------------------------------------------------

Task<bool> Responder::send(int status, const HttpHeaders& headers, std::string_view body) {
    return connection_.send(status, headers, body);
}
Task<bool> Responder::start_stream(int status, const HttpHeaders& headers, std::string_view first) {
    return connection_.start_stream(status, headers, first);
}
Task<bool> Responder::write(std::string_view bytes) {
    return connection_.write(bytes);
}
Task<bool> Responder::finish(std::string_view last) {
    return connection_.finish(last);
}
bool Responder::started() const {
    return connection_.started();
}
bool Responder::client_gone() const {
    return connection_.client_gone();
}
Gone::Watch Responder::on_gone(std::move_only_function<void()> callback) {
    return connection_.on_gone(std::move(callback));
}
void Responder::drop_body() {
    connection_.drop_body();
}
bool Responder::draining() const {
    return connection_.draining();
}

}  // namespace brigada
