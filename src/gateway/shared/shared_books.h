// SharedBooks: the limits and budgets of all replicas, counted together in Redis. It keeps one
// connection, joins, says every half second that it is there, and knows when this replica has to
// decide alone. What is counted here it asks of a Source, when the books have lost it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "admit/replica_share.h"
#include "gateway/gateway_metrics.h"
#include "gateway/shared/books_messages.h"
#include "gateway/shared/redis_connection.h"
#include "net/loop.h"
#include "net/signal.h"

namespace brigada {

/// Loop thread only, but for the constructor.
class SharedBooks {
  public:
    struct Settings {
        RedisAddress address = {};
        std::shared_ptr<TlsContext> tls = {};  // null where the address has none
        int64_t replicas = 1;
        Duration patience = {};  // for each answer of Redis

        /// No process before this one can have admitted in the last minute what Redis was not told.
        bool knows_all = false;
    };

    /// What is counted in this process.
    class Source {
      public:
        virtual ~Source() = default;
        virtual std::vector<ScopeId> in_use() = 0;
        virtual std::optional<SharedUse> use_of(ScopeId scope) = 0;
        /// How to decide from now on; nothing: ask the books.
        virtual void decide(const std::optional<Alone>& alone) = 0;
    };

    /// All outlive it.
    SharedBooks(Settings settings, Loop& loop, Source& source, GatewayMetrics& metrics);

    /// Connects, and again whenever that is lost.
    void start();
    /// Tells Redis that this replica leaves. True: all that was counted here is told.
    Task<bool> stop();

    /// Whether the books decide. Else this replica does.
    bool decides() const { return !share_.alone(); }

    /// Calls back, inline, when the answer comes: nothing when this replica decides after all.
    void admit(const SharedCall& call, std::move_only_function<void(const SharedAnswer*)> then);

    /// A call is over. `then` with what all have used, if the books take it: else tell() its
    /// scopes.
    void finish(SharedEnd end, std::vector<ScopeId> scopes,
                std::move_only_function<void(const std::vector<ScopeTotal>&)> then);

    /// Something of these scopes changed here that the books don't know.
    void tell(const std::vector<ScopeId>& scopes) { untold_.insert(scopes.begin(), scopes.end()); }

    /// Goes up whenever entries in the books get other numbers.
    uint64_t edition() const { return edition_; }

    int64_t replicas() const { return share_.replicas(); }
    /// "shared", or why this replica decides alone.
    std::string state() const;
    /// Waits until the books decide, Redis turned out to be away, or `timeout` has passed.
    Task<void> wait_until_known(Duration timeout);

  private:
    static Task<void> run(SharedBooks* self);
    Task<Result<void>> connect();
    Task<Result<void>> keep_in_touch();
    Task<Result<void>> join();
    Task<Result<void>> tell_some(size_t most);
    std::vector<SharedUse> take_untold(size_t most);
    BooksHeader header() const;
    void send(const std::vector<std::string>& words,
              std::move_only_function<void(Result<BooksReply>)> then);
    Task<Result<BooksReply>> ask(std::vector<std::string> words);
    void hear(const BooksReply& reply, Instant sent);
    void lose(const Error& why);
    void drop(const Error& why);
    void know();

    Settings settings_;
    Loop& loop_;
    Source& source_;
    GatewayMetrics& metrics_;
    const std::string name_;  // of this replica, new for each process
    const Instant started_;
    ReplicaShare share_;

    std::shared_ptr<RedisConnection> connection_;
    std::string script_;
    std::string run_;   // of the Redis process that is connected
    Duration uptime_;   // of it, when asked
    std::string told_;  // the process that knows what is not in untold_
    std::set<ScopeId> untold_;
    uint64_t edition_ = 0;

    Instant heard_;         // when Redis' clock was last
    int64_t heard_us_ = 0;  // this
    std::string trouble_ = "Redis has not been reached yet";
    Signal changed_;
    Signal known_;
    bool is_known_ = false;
    bool is_stopping_ = false;
    bool has_ended_ = true;
    Signal ended_;
};

}  // namespace brigada
