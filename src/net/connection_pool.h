// ConnectionPool: the client's connections, made when needed and kept for the next call to the same
// host. Private to the client.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <compare>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/concat.h"
#include "base/result.h"
#include "net/any_stream.h"
#include "net/http2_connection.h"
#include "net/http_client.h"

namespace brigada {

using LoopResolver = boost::asio::ip::basic_resolver<boost::asio::ip::tcp, LoopExecutor>;

/// Whom a connection is for. TLS with other settings, or none, is another origin.
struct Origin {
    std::string host;
    uint16_t port = 0;
    std::shared_ptr<TlsContext> tls = {};  // null: plain

    /// "a.example:443".
    std::string name() const { return concat(host, ":", port); }
    friend auto operator<=>(const Origin&, const Origin&) = default;
};

class Http2Exchange;

/// What an exchange under way can be stopped through: what it waits for now.
struct Stoppable {
    TcpStream* stream = nullptr;
    LoopResolver* resolver = nullptr;
    Http2Exchange* shared = nullptr;
    Signal* signal = nullptr;
    bool stopped = false;

    void stop();
};

/// Loop thread only.
class ConnectionPool {
  public:
    ConnectionPool(Loop& loop, const HttpClientOptions& options) : loop_(loop), options_(options) {}

    /// The kept connection there used last, when its peer has not closed it; else nullopt.
    std::optional<AnyStream> take(const Origin& origin);

    /// A new connection, after the TLS handshake where there is one; tries every address of the
    /// name. Errors: unavailable, deadline, cancelled.
    Task<Result<AnyStream>> connect(const Origin& origin, Duration timeout, Stoppable& stoppable);

    /// While another call connects there for the first time, waits for what comes of it: perhaps a
    /// connection for both. False at once when none does, or the server is known to share none.
    Task<bool> wait_for_another(const Origin& origin, Duration timeout, Stoppable& stoppable);

    /// Keeps an idle connection for the next call.
    void keep(const Origin& origin, AnyStream stream);

    /// A connection there that takes another call beside those it has; null when there is none.
    std::shared_ptr<Http2Connection> shared(const Origin& origin);
    /// Makes such a connection of a new one whose peer has chosen HTTP/2.
    std::shared_ptr<Http2Connection> share(const Origin& origin, AnyStream stream);

    /// Closes what is kept; later keep() calls close too.
    void close();

    /// Room to read into, 64 KB: held only while bytes in it are being used.
    using Room = std::unique_ptr<char[]>;
    static constexpr size_t kRoomBytes = 64 * 1024;
    Room take_room();
    void give_room(Room room);

    Loop& loop() { return loop_; }
    size_t idle() const;
    uint64_t opened() const { return opened_; }

  private:
    struct Idle {
        AnyStream stream;
        Instant since;
    };
    using Endpoints = std::vector<boost::asio::ip::tcp::endpoint>;

    void drop_old(Instant now);
    void drop_old_shared(Instant now);
    Task<Result<AnyStream>> connect_alone(const Origin& origin, Duration timeout,
                                          Stoppable& stoppable);
    Task<Result<Endpoints>> resolve(const Origin& origin, Duration timeout, Stoppable& stoppable);
    Task<Result<TcpStream>> connect_tcp(const Origin& origin, Duration timeout, Instant deadline,
                                        Stoppable& stoppable);
    Task<Result<AnyStream>> secure(TcpStream tcp, const Origin& origin, Duration timeout,
                                   Stoppable& stoppable);

    Loop& loop_;
    const HttpClientOptions options_;
    std::map<Origin, std::deque<Idle>> idle_;
    std::map<Origin, std::vector<std::shared_ptr<Http2Connection>>> shared_;
    std::map<Origin, std::vector<Signal*>> connecting_;  // who waits for a call that connects
    std::set<std::string> unshared_;  // servers that chose HTTP/1.1, which is only a hint
    std::vector<Room> rooms_;
    Instant next_look_ = {};
    uint64_t opened_ = 0;
    bool closed_ = false;
};

}  // namespace brigada
