#include "net/stream.h"

#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/concat.h"
#include "net/acknowledged_bytes.h"
#include "net/signal.h"

namespace brigada {

namespace asio = boost::asio;

namespace {

constexpr auto kTuple = asio::as_tuple(asio::use_awaitable_t<LoopExecutor>{});

std::chrono::steady_clock::time_point to_steady(Instant t) {
    return std::chrono::steady_clock::time_point(std::chrono::nanoseconds(t.ns()));
}

// One stream reads so much before the others have a turn: a 400 KB body in one go.
constexpr size_t kReadSlice = 512 * 1024;

IoOutcome receive(int descriptor, std::span<char> room) {
    CHECK(!room.empty());
    for (;;) {
        const ssize_t n = ::recv(descriptor, room.data(), room.size(), 0);
        if (n > 0) return {IoStatus::ok, static_cast<size_t>(n)};
        if (n == 0) return {IoStatus::end};
        if (errno == EAGAIN || errno == EWOULDBLOCK) return {IoStatus::not_now};
        if (errno != EINTR) return {IoStatus::failed};
    }
}

IoOutcome send_pieces(int descriptor, std::span<iovec> pieces) {
    msghdr message{};
    message.msg_iov = pieces.data();
    message.msg_iovlen = pieces.size();
    for (;;) {
        const ssize_t n = ::sendmsg(descriptor, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n >= 0) return {IoStatus::ok, static_cast<size_t>(n)};
        if (errno == EAGAIN || errno == EWOULDBLOCK) return {IoStatus::not_now};
        if (errno != EINTR) return {IoStatus::failed};
    }
}

// Takes `n` bytes off the front; what is left begins with a piece that is not empty.
std::span<iovec> skip_bytes(std::span<iovec> pieces, size_t n) {
    while (!pieces.empty() && n >= pieces.front().iov_len) {
        n -= pieces.front().iov_len;
        pieces = pieces.subspan(1);
    }
    if (n > 0) {
        pieces.front().iov_base = static_cast<char*>(pieces.front().iov_base) + n;
        pieces.front().iov_len -= n;
    }
    return pieces;
}

}  // namespace

// What the loop's callbacks share with the stream, so that a late callback finds it alive.
struct TcpStream::Inner : std::enable_shared_from_this<Inner> {
    explicit Inner(LoopSocket s) : socket(std::move(s)), timer(socket.get_executor()) {}

    std::optional<IoStatus> stopped() const {
        if (aborted) return IoStatus::aborted;
        if (timed_out) return IoStatus::timed_out;
        if (!socket.is_open()) return IoStatus::failed;
        return std::nullopt;
    }

    Task<IoStatus> wait(LoopSocket::wait_type what) {
        if (const auto status = stopped()) co_return *status;
        const auto [error] = co_await socket.async_wait(what, kTuple);
        if (const auto status = stopped()) co_return *status;
        co_return error ? IoStatus::failed : IoStatus::ok;
    }

    IoOutcome send(std::span<iovec> pieces) {
        const IoOutcome outcome = send_pieces(socket.native_handle(), pieces);
        sent += outcome.bytes;
        return outcome;
    }

    // One timer wait serves many deadlines: a later deadline only moves the number, and the timer
    // is set again when it fires too early. Per request that costs nothing.
    void expire_at(Instant t) {
        deadline = std::min(t, last);
        timed_out = false;
        if (deadline < armed) arm();
    }

    void arm() {
        armed = deadline;
        timer.expires_at(to_steady(armed));
        timer.async_wait([self = shared_from_this()](boost::system::error_code error) {
            if (!error) self->fired();
        });
    }

    void fired() {
        armed = Instant::never();
        if (!socket.is_open() || deadline == Instant::never()) return;
        if (Clock().now() < deadline) return arm();
        timed_out = true;
        socket.cancel();
    }

    LoopSocket socket;
    LoopTimer timer;
    Instant deadline = Instant::never();
    Instant last = Instant::never();
    Instant armed = Instant::never();
    uint64_t sent = 0;     // bytes
    size_t in_a_row = 0;   // bytes read since the loop had its turn
    bool drained = false;  // the last read took all there was: asking again is a call for nothing
    bool timed_out = false;
    bool aborted = false;
};

TcpStream::TcpStream(LoopSocket socket) : inner_(std::make_shared<Inner>(std::move(socket))) {
    set_options();
}

TcpStream::TcpStream(LoopExecutor executor)
    : inner_(std::make_shared<Inner>(LoopSocket(executor))) {}

void TcpStream::set_options() {
    boost::system::error_code ignored;
    inner_->socket.native_non_blocking(true, ignored);
    inner_->socket.set_option(asio::ip::tcp::no_delay(true), ignored);
}

TcpStream::~TcpStream() {
    close();
}
TcpStream::TcpStream(TcpStream&& other) noexcept = default;
TcpStream& TcpStream::operator=(TcpStream&& other) noexcept {
    close();
    inner_ = std::move(other.inner_);
    return *this;
}

Task<IoStatus> TcpStream::connect(asio::ip::tcp::endpoint endpoint, std::string& failure) {
    boost::system::error_code ignored;
    inner_->socket.close(ignored);
    inner_->socket.open(endpoint.protocol(), ignored);
    if (const auto status = inner_->stopped()) co_return *status;
    const auto [error] = co_await inner_->socket.async_connect(endpoint, kTuple);
    if (const auto status = inner_->stopped()) co_return *status;
    if (error) {
        failure = error.message();
        co_return IoStatus::failed;
    }
    set_options();
    co_return IoStatus::ok;
}

IoOutcome TcpStream::try_read(std::span<char> room) {
    if (const auto status = inner_->stopped()) return {*status};
    const IoOutcome outcome = receive(inner_->socket.native_handle(), room);
    inner_->drained = outcome.bytes < room.size();
    inner_->in_a_row += outcome.bytes;
    return outcome;
}

Task<IoOutcome> TcpStream::read_some(std::span<char> room) {
    Inner& inner = *inner_;
    if (inner.in_a_row >= kReadSlice) {
        inner.in_a_row = 0;
        co_await asio::post(inner.socket.get_executor(), asio::use_awaitable_t<LoopExecutor>{});
    }
    if (!inner.drained) {
        const IoOutcome outcome = try_read(room);
        if (outcome.status != IoStatus::not_now) co_return outcome;
    }
    for (;;) {
        const IoStatus status = co_await inner.wait(LoopSocket::wait_read);
        if (status != IoStatus::ok) co_return IoOutcome{status};
        const IoOutcome outcome = try_read(room);
        if (outcome.status != IoStatus::not_now) co_return outcome;
    }
}

Task<IoStatus> TcpStream::readable() {
    return inner_->wait(LoopSocket::wait_read);
}

Task<IoStatus> TcpStream::write_all(std::span<iovec> pieces, Duration stall) {
    pieces = skip_bytes(pieces, 0);
    while (!pieces.empty()) {
        if (const auto status = inner_->stopped()) co_return *status;
        const IoOutcome sent = inner_->send(pieces);
        if (sent.status == IoStatus::failed) co_return IoStatus::failed;
        pieces = skip_bytes(pieces, sent.bytes);
        if (sent.status == IoStatus::ok) continue;
        if (stall != Duration::max()) expire_at(Clock().now() + stall);
        const IoStatus status = co_await inner_->wait(LoopSocket::wait_write);
        if (status != IoStatus::ok) co_return status;
    }
    co_return IoStatus::ok;
}

IoOutcome TcpStream::try_write(std::string_view bytes) {
    if (const auto status = stopped()) return {*status};
    iovec piece{const_cast<char*>(bytes.data()), bytes.size()};
    return inner_->send({&piece, 1});
}

void TcpStream::when_readable(std::move_only_function<void()> callback) {
    inner_->socket.async_wait(
        LoopSocket::wait_read,
        [inner = inner_, callback = std::move(callback)](boost::system::error_code) mutable {
            if (inner->socket.is_open()) callback();
        });
}

void TcpStream::expire_at(Instant deadline) {
    inner_->expire_at(deadline);
}

void TcpStream::limit(Instant last) {
    inner_->last = last;
    inner_->expire_at(inner_->deadline);
}

std::optional<IoStatus> TcpStream::stopped() const {
    return inner_->stopped();
}

void TcpStream::abort() {
    inner_->aborted = true;
    boost::system::error_code ignored;
    inner_->socket.cancel(ignored);
}

void TcpStream::shutdown_send() {
    boost::system::error_code ignored;
    inner_->socket.shutdown(LoopSocket::shutdown_send, ignored);
}

void TcpStream::reset() {
    boost::system::error_code ignored;
    inner_->socket.set_option(asio::socket_base::linger(true, 0), ignored);
    close();
}

void TcpStream::close() {
    if (!inner_) return;
    boost::system::error_code ignored;
    inner_->socket.close(ignored);
    inner_->timer.cancel();
}

uint64_t TcpStream::sent() const {
    return inner_->sent;
}

bool TcpStream::acknowledged_beyond(uint64_t bytes) const {
    const auto acknowledged = acknowledged_bytes(inner_->socket.native_handle());
    return !acknowledged || *acknowledged > bytes;
}

bool TcpStream::open() const {
    return inner_ && inner_->socket.is_open();
}

std::string TcpStream::peer() const {
    boost::system::error_code error;
    const auto endpoint = inner_->socket.remote_endpoint(error);
    if (error) return "unknown";
    const auto address = endpoint.address();
    return address.is_v6() ? concat("[", address.to_string(), "]:", endpoint.port())
                           : concat(address.to_string(), ":", endpoint.port());
}

}  // namespace brigada
