#include "net/http_connection.h"

#include <charconv>
#include <utility>

#include "base/append_all.h"
#include "base/check.h"
#include "base/digits.h"
#include "net/http_grammar.h"

namespace brigada {

namespace {

// A client may pipeline so much while its request is being answered; then we stop looking.
constexpr size_t kMaxCarry = 64 * 1024;

constexpr size_t kHeadBytes = 1'024;  // of a usual answer, so that it does not grow step by step

// What comes with a head is copied to its place; of a large body most had better land there.
constexpr size_t kFirstRead = 16 * 1024;

constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

iovec piece(std::string_view text) {
    return {const_cast<char*>(text.data()), text.size()};
}

// Fields that say how the message is framed are ours alone.
bool is_framing_field(std::string_view name) {
    for (std::string_view ours : {"content-length", "transfer-encoding", "connection", "date"})
        if (name.size() == ours.size() && equal_without_case(name, ours)) return true;
    return false;
}

bool body_allowed(int status) {
    return status != 204 && status != 304;
}

/// What stands around a chunk of that many bytes; nothing for none, which would end the body.
class ChunkSize {
  public:
    explicit ChunkSize(size_t bytes) {
        if (bytes == 0) return;
        char* end = std::to_chars(text_, text_ + 16, bytes, 16).ptr;
        *end++ = '\r';
        *end++ = '\n';
        size_ = static_cast<size_t>(end - text_);
    }
    ChunkSize(const ChunkSize&) = delete;
    ChunkSize& operator=(const ChunkSize&) = delete;

    std::string_view text() const { return {text_, size_}; }
    std::string_view end() const { return size_ == 0 ? "" : "\r\n"; }

  private:
    char text_[18];  // 16 hexadecimal digits and CRLF
    size_t size_ = 0;
};

}  // namespace

HttpConnection::HttpConnection(std::shared_ptr<HttpServerState> server, LoopSocket socket)
    : server_(std::move(server)),
      stream_(std::move(socket)),
      peer_(stream_.peer()),
      parser_(server_->options.limits, server_->bodies) {
    server_->open.insert(this);
    std::lock_guard lock(server_->mutex);
    ++server_->connections;
}

HttpConnection::~HttpConnection() {
    server_->open.erase(this);
    server_->buffered_bytes -= accounted_bytes_;
    std::lock_guard lock(server_->mutex);
    if (--server_->connections == 0) server_->emptied.notify_all();
}

Task<void> HttpConnection::serve() {
    while (co_await read_request()) {
        co_await run_handler();
        if (!keep_alive_ || client_gone()) break;
    }
    if (phase_ == Phase::streaming && !chunked_) stream_.reset();  // or it would look complete
    if (phase_ == Phase::answered && !client_gone()) co_await linger();
    stream_.close();
}

// --- reading ------------------------------------------------------------------------------------

Task<bool> HttpConnection::read_request() {
    const HttpLimits& limits = server_->options.limits;
    parser_.reset();
    account_body();
    phase_ = Phase::idle;
    keep_alive_ = true;
    body_began_ = Instant::never();
    stream_.expire_at(server_->loop.now() + limits.idle_timeout);
    feed(std::exchange(carry_, {}));
    while (!parser_.complete()) {
        if (parser_.error()) {
            co_await refuse(*parser_.error());
            co_return false;
        }
        if (phase_ == Phase::idle && server_->draining) co_return false;
        if (parser_.wants_continue()) {
            parser_.continue_sent();
            iovec pieces[] = {piece(kContinue)};
            if (!co_await write_pieces(pieces)) co_return false;
        }
        const std::span<char> room = parser_.body_room();
        if (!account_body()) {
            co_await refuse({503, "too many request bodies are being read; try again soon",
                             parser_.request().path});
            co_return false;
        }
        const IoStatus got = co_await read_more(room);
        if (got != IoStatus::ok) {
            co_await stop_reading(got);
            co_return false;
        }
    }
    co_return true;
}

// Body bytes land in the request, in `room`; with no room, what comes passes through the server's
// scratch.
Task<IoStatus> HttpConnection::read_more(std::span<char> room) {
    if (half_closed_) co_return IoStatus::end;
    std::span<char> scratch = server_->scratch;
    if (phase_ == Phase::idle) scratch = scratch.first(kFirstRead);
    const IoOutcome got = co_await stream_.read_some(room.empty() ? scratch : room);
    if (got.status != IoStatus::ok) co_return got.status;
    if (room.empty()) {
        feed({server_->scratch.data(), got.bytes});
    } else {
        parser_.body_filled(got.bytes);
        set_read_deadline();
    }
    co_return IoStatus::ok;
}

void HttpConnection::feed(std::string_view bytes) {
    const size_t used = parser_.feed(bytes);
    carry_.append(bytes.substr(used));
    if (phase_ == Phase::idle && parser_.begun()) {
        phase_ = Phase::reading;
        stream_.expire_at(server_->loop.now() + server_->options.limits.head_timeout);
    }
    set_read_deadline();
}

// The body has its grace and then the time its bytes take at the slowest rate allowed. The deadline
// is counted from the head, so that a trickle cannot renew it.
void HttpConnection::set_read_deadline() {
    if (!parser_.head_complete() || parser_.complete()) return;
    const HttpLimits& limits = server_->options.limits;
    if (body_began_ == Instant::never()) body_began_ = server_->loop.now();
    const auto received = static_cast<int64_t>(parser_.body_received());
    const auto rate = static_cast<int64_t>(std::max<size_t>(limits.body_bytes_per_second, 1));
    stream_.expire_at(body_began_ + limits.body_grace +
                      Duration::microseconds(received * 1'000'000 / rate));
}

void HttpConnection::drop_body() {
    parser_.drop_body();
    account_body();
}

// Brings the server's sum up to date. False when the body has grown and there is no memory for it:
// whoever has room already keeps it.
bool HttpConnection::account_body() {
    const size_t now = parser_.buffered_bytes();
    const size_t others = server_->buffered_bytes - accounted_bytes_;
    const bool fits =
        now <= accounted_bytes_ || others + now <= server_->options.limits.buffered_bytes;
    server_->buffered_bytes = others + now;
    accounted_bytes_ = now;
    return fits;
}

Task<void> HttpConnection::stop_reading(IoStatus why) {
    if (why != IoStatus::timed_out || phase_ == Phase::idle) co_return;
    co_await refuse({408,
                     parser_.head_complete()
                         ? concat("the body came too slowly: ", parser_.body_received(), " bytes")
                         : "the head of the request did not come in time",
                     parser_.request().path});
}

Task<void> HttpConnection::refuse(HttpError error) {
    server_->refused.fetch_add(1, std::memory_order_relaxed);
    stream_.expire_at(Instant::never());
    keep_alive_ = false;
    parser_.drop_body();
    account_body();
    const HttpErrorBody dressed = server_->format(error);
    HttpHeaders headers{{"content-type", dressed.content_type}};
    if (error.status == 503) headers.add("retry-after", "1");
    bodyless_ = parser_.request().method == HttpMethod::head;
    co_await send(error.status, headers, dressed.body);
}

// A close with unread bytes would reset the connection and take our answer with it, so we wait for
// the client to close first.
Task<void> HttpConnection::linger() {
    stream_.shutdown_send();
    stream_.expire_at(server_->loop.now() + server_->options.limits.linger);
    while ((co_await stream_.read_some(server_->scratch)).status == IoStatus::ok) {
    }
}

// --- the handler --------------------------------------------------------------------------------

Task<void> HttpConnection::run_handler() {
    HttpRequest& request = parser_.request();
    request.peer = peer_;
    phase_ = Phase::handling;
    keep_alive_ = request.keep_alive;
    bodyless_ = request.method == HttpMethod::head;
    gone_ = {};
    stream_.expire_at(Instant::never());

    server_->requests.fetch_add(1, std::memory_order_relaxed);
    server_->running.fetch_add(1, std::memory_order_relaxed);
    std::string failure;
    try {
        Responder responder(*this);
        co_await server_->handler(request, responder);
    } catch (const std::exception& thrown) {
        failure = concat("the handler failed: ", thrown.what());
    }
    server_->running.fetch_sub(1, std::memory_order_relaxed);
    if (phase_ != Phase::answered || client_gone()) co_await settle_answer(std::move(failure));
}

// What the handler left open: no answer becomes a 500, an unfinished stream is cut.
Task<void> HttpConnection::settle_answer(std::string failure) {
    if (client_gone()) {
        server_->gone.fetch_add(1, std::memory_order_relaxed);
    } else if (phase_ == Phase::handling) {
        if (failure.empty()) failure = "the handler gave no answer";
        const HttpErrorBody dressed =
            server_->format({500, std::move(failure), parser_.request().path});
        co_await send(500, {{"content-type", dressed.content_type}}, dressed.body);
    } else if (phase_ == Phase::streaming) {
        keep_alive_ = false;
    }
}

// --- the client leaves --------------------------------------------------------------------------

// Asked for by the first who wants to know, so that short answers do not pay for it.
void HttpConnection::watch_client() {
    if (watching_ || half_closed_ || client_gone() || carry_.size() >= kMaxCarry) return;
    watching_ = true;
    stream_.when_readable([weak = weak_from_this()] {
        if (const auto self = weak.lock()) self->client_readable();
    });
}

// While a request is being answered, bytes are the next request's, and an end without any is the
// client's leaving.
void HttpConnection::client_readable() {
    watching_ = false;
    if (phase_ < Phase::handling || client_gone()) return;  // the reading side sees to it
    const IoOutcome got = stream_.try_read(server_->scratch);
    if (got.status == IoStatus::ok) carry_.append(server_->scratch.data(), got.bytes);
    if (got.status == IoStatus::end) half_closed_ = true;
    if (got.status == IoStatus::failed || (half_closed_ && carry_.empty())) return client_left();
    watch_client();
}

void HttpConnection::client_left() {
    keep_alive_ = false;
    stream_.abort();
    gone_.happen();
}

void HttpConnection::abandon() {
    const auto self = shared_from_this();  // a callback may end the coroutine that owns us
    client_left();
}

Gone::Watch HttpConnection::on_gone(std::move_only_function<void()> callback) {
    watch_client();
    return gone_.watch(std::move(callback));
}

// --- answering ----------------------------------------------------------------------------------

std::string HttpConnection::render_head(int status, const HttpHeaders& headers,
                                        std::optional<size_t> content_length) {
    if (server_->draining) keep_alive_ = false;
    std::string head = "HTTP/1.1 ";
    head.reserve(kHeadBytes);
    append_decimal(head, status);
    append_all(head, " ", http_reason(status), "\r\n");
    const auto add = [&head](std::string_view name, std::string_view value) {
        append_all(head, name, ": ", value, "\r\n");
    };
    for (size_t i = 0; i < headers.size(); ++i)
        if (!is_framing_field(headers[i].name)) add(headers[i].name, headers[i].value);
    add("date", server_->date());
    if (content_length) add("content-length", std::to_string(*content_length));
    if (chunked_) add("transfer-encoding", "chunked");
    if (!keep_alive_) add("connection", "close");
    if (keep_alive_ && parser_.request().minor_version == 0) add("connection", "keep-alive");
    return head.append("\r\n");
}

Task<bool> HttpConnection::send(int status, const HttpHeaders& headers, std::string_view body) {
    CHECK(!started(), "a request is answered once");
    chunked_ = false;
    std::optional<size_t> length;
    if (body_allowed(status)) length = body.size();
    const std::string head = render_head(status, headers, length);
    phase_ = Phase::answered;
    const bool with_body = body_allowed(status) && !bodyless_;
    iovec pieces[] = {piece(head), piece(with_body ? body : std::string_view())};
    co_return co_await write_pieces(pieces);
}

// What there is of it leaves with the head, in one call of the system.
Task<bool> HttpConnection::start_stream(int status, const HttpHeaders& headers,
                                        std::string_view first) {
    CHECK(!started(), "a request is answered once");
    watch_client();
    bodyless_ = bodyless_ || !body_allowed(status);
    chunked_ = !bodyless_ && parser_.request().minor_version >= 1;
    if (!chunked_ && !bodyless_) keep_alive_ = false;  // HTTP/1.0: the end is the close
    const std::string head = render_head(status, headers, std::nullopt);
    phase_ = Phase::streaming;
    const ChunkSize size(chunked_ ? first.size() : 0);
    if (bodyless_) first = {};
    iovec pieces[] = {piece(head), piece(size.text()), piece(first), piece(size.end())};
    co_return co_await write_pieces(pieces);
}

Task<bool> HttpConnection::write(std::string_view bytes) {
    CHECK(phase_ == Phase::streaming, "no stream was started, or it is finished");
    if (bytes.empty() || bodyless_) co_return !client_gone();
    const ChunkSize size(chunked_ ? bytes.size() : 0);
    iovec pieces[] = {piece(size.text()), piece(bytes), piece(size.end())};
    co_return co_await write_pieces(pieces);
}

Task<bool> HttpConnection::finish(std::string_view last) {
    CHECK(phase_ == Phase::streaming, "no stream was started, or it is finished");
    const ChunkSize size(chunked_ ? last.size() : 0);
    if (bodyless_) last = {};
    iovec pieces[] = {piece(size.text()), piece(last), piece(size.end()),
                      piece(chunked_ ? "0\r\n\r\n" : "")};
    const bool sent = co_await write_pieces(pieces);
    if (sent) phase_ = Phase::answered;
    co_return sent;
}

// False once the client is gone. While the kernel does not take more, we look whether it still is
// there.
Task<bool> HttpConnection::write_pieces(std::span<iovec> pieces) {
    CHECK(!writing_, "one write at a time");
    if (client_gone()) co_return false;
    writing_ = true;
    const IoStatus status = co_await stream_.write_all(pieces, server_->options.limits.write_stall);
    writing_ = false;
    if (status != IoStatus::ok && !client_gone()) client_left();
    co_return status == IoStatus::ok;
}

}  // namespace brigada
