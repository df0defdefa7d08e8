#include "net/tls_stream.h"

#include <openssl/err.h>

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

#include "base/concat.h"
#include "net/record_runs.h"
#include "net/tls_wire.h"
#include "net/tls_words.h"

namespace brigada {

namespace asio = boost::asio;

namespace {

// The records of one run and one more, each with 22 bytes of its own in TLS 1.3, and 29 in 1.2.
constexpr size_t kGatherBytes = kRunBytes + kRecordBytes + 1'024;

// Half a millisecond of encrypting, then the others have a turn, also when the peer takes it all.
constexpr size_t kWriteSlice = 1024 * 1024;

Task<void> yield_to_others() {
    const auto executor = co_await asio::this_coro::executor;
    co_await asio::post(executor, asio::use_awaitable_t<LoopExecutor>{});
}

}  // namespace

// OpenSSL's callbacks point into it, so it stays where it is while the stream moves.
struct TlsStream::Inner {
    Inner(TcpStream transport, std::shared_ptr<TlsContext> shared, const std::string& host,
          uint16_t port)
        : wire(std::move(transport)),
          context(std::move(shared)),
          peer{.host = host, .name = concat(host, ":", port)},
          ssl(context->new_session(peer)) {
        BIO* bio = wire.make_bio();
        SSL_set_bio(ssl.get(), bio, bio);
    }

    IoStatus step_handshake();
    std::string left_us() const;
    IoStatus status_of(int result);

    TlsWire wire;
    std::shared_ptr<TlsContext> context;
    TlsPeer peer;
    SslHandle ssl;
    std::string failure;
    bool established = false;
    bool more = false;  // decrypted or not, OpenSSL has bytes that the socket will not announce
};

TlsStream::TlsStream(TcpStream transport, std::shared_ptr<TlsContext> context,
                     const std::string& host, uint16_t port)
    : inner_(std::make_unique<Inner>(std::move(transport), std::move(context), host, port)) {}

TlsStream::~TlsStream() {
    close();
}
TlsStream::TlsStream(TlsStream&& other) noexcept = default;
TlsStream& TlsStream::operator=(TlsStream&& other) noexcept {
    close();
    inner_ = std::move(other.inner_);
    return *this;
}

void TlsStream::offer(std::initializer_list<std::string_view> protocols) {
    std::string list;  // each name after its length (RFC 7301 §3.1)
    for (const std::string_view name : protocols) {
        list += static_cast<char>(name.size());
        list += name;
    }
    SSL_set_alpn_protos(inner_->ssl.get(), reinterpret_cast<const unsigned char*>(list.data()),
                        static_cast<unsigned>(list.size()));
}

// --- handshake --------------------------------------------------------------------------------

Task<IoStatus> TlsStream::handshake() {
    Inner& inner = *inner_;
    for (;;) {
        const IoStatus step = inner.step_handshake();
        const IoStatus sent = co_await inner.wire.flush(Duration::max());  // also an alert
        if (step == IoStatus::ok && sent == IoStatus::failed) inner.failure = inner.left_us();
        if (step == IoStatus::ok) co_return sent;
        if (step != IoStatus::not_now) co_return step;
        // When the peer takes nothing more, what it sent before may say why.
        if (sent != IoStatus::ok && sent != IoStatus::failed) co_return sent;
        const IoStatus status = co_await inner.wire.stream().readable();
        if (status == IoStatus::failed) inner.failure = inner.left_us();
        if (status != IoStatus::ok) co_return status;
    }
}

std::string TlsStream::Inner::left_us() const {
    return concat(peer.name, " closed the connection in the TLS handshake");
}

// All of it that can be done now. The queue of errors is the thread's, so that it is read before
// anything else runs on it.
IoStatus TlsStream::Inner::step_handshake() {
    ERR_clear_error();
    wire.expect_input();
    const int result = SSL_do_handshake(ssl.get());
    if (result == 1) {
        established = true;
        more = SSL_has_pending(ssl.get()) == 1;
        return IoStatus::ok;
    }
    if (SSL_get_error(ssl.get(), result) == SSL_ERROR_WANT_READ) return IoStatus::not_now;
    if (const auto stopped = wire.stream().stopped()) return *stopped;
    if (!peer.fault.empty())
        failure = peer.fault;
    else if (wire.last_read() == IoStatus::end || wire.last_read() == IoStatus::failed)
        failure = left_us();
    else
        failure = handshake_fault(peer.name);
    return IoStatus::failed;
}

// --- bytes ------------------------------------------------------------------------------------

IoOutcome TlsStream::try_read(std::span<char> room) {
    Inner& inner = *inner_;
    if (const auto stopped = inner.wire.stream().stopped()) return {*stopped};
    inner.wire.expect_input();
    ERR_clear_error();
    size_t got = 0;
    while (got < room.size()) {
        size_t more = 0;
        const int result =
            SSL_read_ex(inner.ssl.get(), room.data() + got, room.size() - got, &more);
        got += more;
        if (result == 1) continue;
        inner.more = false;
        const IoStatus status = inner.status_of(result);
        inner.wire.flush_what_fits();  // an answer to a key update
        if (got == 0) return {status};
        inner.more = status != IoStatus::not_now;  // the end is told next time
        return {IoStatus::ok, got};
    }
    inner.more = true;
    return {IoStatus::ok, got};
}

IoStatus TlsStream::Inner::status_of(int result) {
    switch (SSL_get_error(ssl.get(), result)) {
        case SSL_ERROR_WANT_READ:
            return IoStatus::not_now;
        case SSL_ERROR_ZERO_RETURN:
            return IoStatus::end;
        default:
            break;
    }
    const bool cut = wire.last_read() == IoStatus::end || wire.last_read() == IoStatus::failed;
    if (!cut && failure.empty()) failure = connection_fault(peer.name);
    return IoStatus::failed;
}

Task<IoStatus> TlsStream::readable() {
    if (const auto stopped = inner_->wire.stream().stopped()) co_return *stopped;
    if (inner_->more) co_return IoStatus::ok;
    co_return co_await inner_->wire.stream().readable();
}

Task<IoStatus> TlsStream::write_all(std::span<iovec> pieces, Duration stall) {
    Inner& inner = *inner_;
    RecordRuns runs(pieces);
    inner.wire.reserve(kGatherBytes);
    size_t in_a_row = 0;
    for (std::string_view run = runs.next(); !run.empty(); run = runs.next()) {
        if (const auto stopped = inner.wire.stream().stopped()) co_return *stopped;
        ERR_clear_error();
        size_t written = 0;  // all: the wire takes whatever comes
        if (SSL_write_ex(inner.ssl.get(), run.data(), run.size(), &written) != 1)
            co_return IoStatus::failed;
        if (inner.wire.waiting() < kRunBytes) continue;
        const IoStatus status = co_await inner.wire.flush(stall);
        if (status != IoStatus::ok) co_return status;
        in_a_row += kRunBytes;
        if (in_a_row % kWriteSlice == 0) co_await yield_to_others();
    }
    const IoStatus status = co_await inner.wire.flush(stall);
    inner.wire.release();
    co_return status;
}

// The goodbye tells the peer that nothing was cut. That we did not wait for its own must not make
// OpenSSL forget the session.
void TlsStream::close() {
    if (!inner_) return;
    Inner& inner = *inner_;
    if (inner.established && !inner.wire.stream().stopped()) {
        ERR_clear_error();
        SSL_shutdown(inner.ssl.get());
        inner.wire.flush_what_fits();
    }
    SSL_set_shutdown(inner.ssl.get(), SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
    inner.wire.stream().close();
}

TcpStream& TlsStream::transport() {
    return inner_->wire.stream();
}
const std::string& TlsStream::failure() const {
    return inner_->failure;
}

std::string_view TlsStream::protocol() const {
    const unsigned char* name = nullptr;
    unsigned size = 0;
    SSL_get0_alpn_selected(inner_->ssl.get(), &name, &size);
    return {reinterpret_cast<const char*>(name), size};
}

std::string_view TlsStream::version() const {
    return SSL_get_version(inner_->ssl.get());
}
bool TlsStream::resumed() const {
    return SSL_session_reused(inner_->ssl.get()) == 1;
}

}  // namespace brigada
