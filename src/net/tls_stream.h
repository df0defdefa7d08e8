// TlsStream: TLS over a connected socket, with TcpStream's calls, as a client. OpenSSL works on
// buffers that we move: what it wants to send is gathered, so that 64 KB of records cost one
// system call, and what the socket has is read in one go.
#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "net/stream.h"
#include "net/tls_context.h"

namespace brigada {

/// Loop thread only. Destroying it says goodbye (close_notify) and closes the socket.
class TlsStream {
  public:
    /// Over `transport`, which is connected to `host`.
    TlsStream(TcpStream transport, std::shared_ptr<TlsContext> context, const std::string& host,
              uint16_t port);
    ~TlsStream();
    TlsStream(TlsStream&& other) noexcept;
    TlsStream& operator=(TlsStream&& other) noexcept;

    /// The application protocols to offer (ALPN), best first; before the handshake.
    void offer(std::initializer_list<std::string_view> protocols);

    /// Must succeed before anything else. For `failed`, failure() says why: the deadline and
    /// abort() work as everywhere.
    Task<IoStatus> handshake();

    // As TcpStream's. `end` is an end the peer has confirmed by close_notify; a connection that
    // closes without it has `failed`, since anybody can cut it.
    IoOutcome try_read(std::span<char> room);
    /// May return ok with nothing to read: records of TLS itself came.
    Task<IoStatus> readable();
    Task<IoStatus> write_all(std::span<iovec> pieces, Duration stall = Duration::max());
    void close();

    /// For the deadline and abort(), and to be asked who the peer is.
    TcpStream& transport();

    /// What TLS had to say about a `failed`; "" when the connection just broke.
    const std::string& failure() const;
    /// The application protocol that both agreed on by ALPN; "" for none.
    std::string_view protocol() const;
    /// "TLSv1.3", and whether the handshake was shortened by an earlier session.
    std::string_view version() const;
    bool resumed() const;

  private:
    struct Inner;
    std::unique_ptr<Inner> inner_;
};

}  // namespace brigada
