// TcpStream: a connected socket as a connection's coroutine sees it: read into given room, write
// all pieces, one deadline for whatever waits, abort from outside. It calls recv and sendmsg itself
// and asks the loop only when the kernel says "not now": nothing is copied, nothing buffered. TLS
// is a second class with the same calls (tls_stream.h), on top of this one.
#pragma once

#include <sys/uio.h>

#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/time.h"
#include "net/loop.h"

namespace brigada {

using LoopSocket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, LoopExecutor>;

enum class IoStatus {
    ok,
    not_now,    // only from try_read(): nothing there
    end,        // the peer has sent its last byte
    timed_out,  // the deadline has passed
    aborted,    // abort() was called
    failed,     // reset, or another failure of the connection
};

struct IoOutcome {
    IoStatus status = IoStatus::ok;
    size_t bytes = 0;
};

/// Loop thread only. Destroying it closes the socket.
class TcpStream {
  public:
    explicit TcpStream(LoopSocket socket);
    /// Not connected yet.
    explicit TcpStream(LoopExecutor executor);
    ~TcpStream();
    TcpStream(TcpStream&& other) noexcept;
    TcpStream& operator=(TcpStream&& other) noexcept;

    /// Connects; the error says what the system said. `failed` with a text, timed_out or aborted.
    Task<IoStatus> connect(boost::asio::ip::tcp::endpoint endpoint, std::string& failure);

    /// What is there, at most room.size() bytes, without waiting.
    IoOutcome try_read(std::span<char> room);

    /// Waits until something can be read (or the peer has ended), then reads it. A peer that always
    /// has more gives the loop a turn every 512 KB.
    Task<IoOutcome> read_some(std::span<char> room);
    /// Waits until something can be read or the peer has ended: for who has no room before then.
    Task<IoStatus> readable();

    /// Writes every byte of the pieces, which are used up; returns when the kernel has them all.
    /// The memory they name stays the caller's until then. A `stall` moves the deadline: the peer
    /// has so long to take the next byte. ok, timed_out, aborted or failed.
    Task<IoStatus> write_all(std::span<iovec> pieces, Duration stall = Duration::max());

    /// Sends what the kernel takes at once: ok with the number of bytes, or why none.
    IoOutcome try_write(std::string_view bytes);

    /// Calls back once when something can be read or the peer has ended; not after close().
    void when_readable(std::move_only_function<void()> callback);

    /// What waits, or will wait, past `deadline` returns timed_out. Instant::never() lifts it.
    void expire_at(Instant deadline);
    /// No deadline is later than this one.
    void limit(Instant last);

    /// Why every call fails now: aborted, timed_out, or failed when it is closed.
    std::optional<IoStatus> stopped() const;

    /// What waits, and every later call, returns aborted. The socket stays open until close().
    void abort();
    /// Tells the peer that nothing more comes (FIN); reading goes on.
    void shutdown_send();
    /// Closes so that the peer sees a failure (RST), not an end.
    void reset();
    void close();

    /// Bytes the kernel took from us in all.
    uint64_t sent() const;
    /// Whether the peer's kernel has more of these than the first `bytes`, of a stream that we
    /// connected; true when our kernel can't say.
    bool acknowledged_beyond(uint64_t bytes) const;

    bool open() const;
    /// "127.0.0.1:50312", "[::1]:50312".
    std::string peer() const;

  private:
    void set_options();

    struct Inner;
    std::shared_ptr<Inner> inner_;
};

}  // namespace brigada
