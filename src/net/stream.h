// TcpStream: a connected socket as a connection's coroutine sees it: read into given room, write
// all pieces, one deadline for whatever waits, abort from outside. It calls recv and sendmsg itself
// and asks the loop only when the kernel says "not now": nothing is copied, nothing buffered. HTTP
// is written against these calls only, so that TLS becomes a second class with the same ones.
#pragma once

#include <sys/uio.h>

#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <memory>
#include <span>
#include <string>

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
    ~TcpStream();
    TcpStream(TcpStream&& other) noexcept;
    TcpStream& operator=(TcpStream&& other) noexcept;

    /// What is there, at most room.size() bytes, without waiting.
    IoOutcome try_read(std::span<char> room);

    /// Waits until something can be read (or the peer has ended), then reads it.
    Task<IoOutcome> read_some(std::span<char> room);

    /// Writes every byte of the pieces, which are used up; returns when the kernel has them all.
    /// The memory they name stays the caller's until then. ok, timed_out, aborted or failed.
    Task<IoStatus> write_all(std::span<iovec> pieces);
    /// The same, each byte taken giving the peer `stall` more time.
    Task<IoStatus> write_all(std::span<iovec> pieces, Duration stall);

    /// Calls back once when something can be read or the peer has ended; not after close().
    void when_readable(std::move_only_function<void()> callback);

    /// What waits, or will wait, past `deadline` returns timed_out. Instant::never() lifts it.
    void expire_at(Instant deadline);

    /// What waits, and every later call, returns aborted. The socket stays open until close().
    void abort();
    /// Tells the peer that nothing more comes (FIN); reading goes on.
    void shutdown_send();
    void close();

    bool open() const;
    /// "127.0.0.1:50312", "[::1]:50312".
    std::string peer() const;

  private:
    struct Inner;
    std::shared_ptr<Inner> inner_;
};

}  // namespace brigada
