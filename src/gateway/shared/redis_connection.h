// RedisConnection: one connection to Redis on a loop. Commands leave in the order of sending,
// without waiting for each other's answers; when an answer does not come in time the connection is
// lost as a whole, and with it all that was not answered.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "base/result.h"
#include "gateway/shared/redis_address.h"
#include "gateway/shared/redis_value.h"
#include "net/any_stream.h"
#include "net/loop.h"
#include "net/signal.h"

namespace brigada {

/// Loop thread only. Its coroutines hold it until it is closed.
class RedisConnection : public std::enable_shared_from_this<RedisConnection> {
  public:
    /// With the answer (an error that Redis answered is an Error), or why there will be none.
    using Then = std::move_only_function<void(Result<RedisValue>)>;

    /// Connects, authenticates and selects the database. `tls` is null where the address has none.
    /// `patience`: for each answer.
    static Task<Result<std::shared_ptr<RedisConnection>>> open(Loop& loop, RedisAddress address,
                                                               std::shared_ptr<TlsContext> tls,
                                                               Duration patience);
    ~RedisConnection();

    void send(std::span<const std::string> words, Then then);
    Task<Result<RedisValue>> ask(std::vector<std::string> words);

    bool is_open() const { return is_open_; }
    /// Called once, before what was not answered is told so.
    void on_lost(std::function<void(const Error&)> then) { lost_ = std::move(then); }

    /// What was not answered is told so.
    void close();

  private:
    RedisConnection(Loop& loop, AnyStream stream, Duration patience);
    Task<Result<void>> greet(const RedisAddress& address);
    static Task<void> read(std::shared_ptr<RedisConnection> self);
    static Task<void> write(std::shared_ptr<RedisConnection> self);
    static Task<void> watch(std::shared_ptr<RedisConnection> self);
    bool take_answers();
    void lose(const Error& why);

    struct Pending {
        Instant sent;
        Then then;
    };

    Loop& loop_;
    AnyStream stream_;
    Duration patience_;
    RedisReader reader_;
    bool is_open_ = true;
    std::string out_;  // what no write() has taken yet
    Signal has_out_;
    Signal has_pending_;
    std::deque<Pending> pending_;
    uint64_t answers_ = 0;
    std::function<void(const Error&)> lost_;
};

}  // namespace brigada
