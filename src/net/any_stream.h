// AnyStream: the connection of a client to a server, plain or by TLS. Both have the same calls; a
// call through here costs one branch.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <variant>

#include "net/stream.h"
#include "net/tls_stream.h"

namespace brigada {

/// Loop thread only. Destroying it closes the socket.
class AnyStream {
  public:
    AnyStream(TcpStream stream) : stream_(std::move(stream)) {}
    AnyStream(TlsStream stream) : stream_(std::move(stream)) {}

    // As of TcpStream and TlsStream.
    IoOutcome try_read(std::span<char> room) {
        return tls() ? tls()->try_read(room) : tcp().try_read(room);
    }
    Task<IoStatus> readable() { return tls() ? tls()->readable() : tcp().readable(); }
    Task<IoStatus> write_all(std::span<iovec> pieces, Duration stall = Duration::max()) {
        return tls() ? tls()->write_all(pieces, stall) : tcp().write_all(pieces, stall);
    }

    void close() { tls() ? tls()->close() : tcp().close(); }

    /// For deadlines, abort() and the peer's name.
    TcpStream& transport() { return tls() ? tls()->transport() : tcp(); }
    /// Null when it is plain.
    TlsStream* tls() { return std::get_if<TlsStream>(&stream_); }

  private:
    TcpStream& tcp() { return *std::get_if<TcpStream>(&stream_); }

    std::variant<TcpStream, TlsStream> stream_;
};

}  // namespace brigada
