// ConnectionPool: the client's connections, made when needed and kept for the next call to the same
// host. Private to the client.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "net/http_client.h"
#include "net/stream.h"

namespace brigada {

using LoopResolver = boost::asio::ip::basic_resolver<boost::asio::ip::tcp, LoopExecutor>;

/// What an exchange under way can be stopped through: the stream or name it waits for now.
struct Stoppable {
    TcpStream* stream = nullptr;
    LoopResolver* resolver = nullptr;
    bool stopped = false;

    void stop();
};

/// Loop thread only.
class ConnectionPool {
  public:
    ConnectionPool(Loop& loop, size_t idle_per_host, Duration idle_timeout)
        : loop_(loop), idle_per_host_(idle_per_host), idle_timeout_(idle_timeout) {}

    /// The kept connection of that host used last, when its peer has not closed it; else nullopt.
    std::optional<TcpStream> take(const std::string& host, uint16_t port);

    /// A new connection; tries every address of the name. Errors: unavailable, deadline, cancelled.
    Task<Result<TcpStream>> connect(const std::string& host, uint16_t port, Duration timeout,
                                    Stoppable& stoppable);

    /// Keeps an idle connection for the next call.
    void keep(const std::string& host, uint16_t port, TcpStream stream);

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
        TcpStream stream;
        Instant since;
    };
    using Endpoints = std::vector<boost::asio::ip::tcp::endpoint>;

    void drop_old();
    Task<Result<Endpoints>> resolve(const std::string& host, uint16_t port, Duration timeout,
                                    Stoppable& stoppable);

    Loop& loop_;
    size_t idle_per_host_;
    Duration idle_timeout_;
    std::map<std::pair<std::string, uint16_t>, std::deque<Idle>> idle_;
    std::vector<Room> rooms_;
    uint64_t opened_ = 0;
    bool closed_ = false;
};

}  // namespace brigada
