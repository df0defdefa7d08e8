#include "net/connection_pool.h"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

#include "net/http2_exchange.h"
#include "net/signal.h"

namespace brigada {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

constexpr auto kTuple = asio::as_tuple(asio::use_awaitable_t<LoopExecutor>{});

// Rooms kept for the next read; more are in use only while that many clients are stalled.
constexpr size_t kSpareRooms = 64;

// Old connections are looked for so often, not at every call.
constexpr Duration kLookEvery = Duration::milliseconds(50);

Error no_connection_in_time(const Origin& origin, Duration timeout) {
    return {Code::deadline,
            concat("no connection to ", origin.name(), " within ", timeout.ms(), " ms")};
}

Error cancelled() {
    return {Code::cancelled, "the call was aborted"};
}

}  // namespace

void Stoppable::stop() {
    stopped = true;
    if (stream) stream->abort();
    if (resolver) resolver->cancel();
    if (shared) shared->abort();
    if (signal) signal->notify();
}

std::optional<AnyStream> ConnectionPool::take(const Origin& origin) {
    const Instant now = loop_.now();
    drop_old(now);
    const auto found = idle_.find(origin);
    if (found == idle_.end()) return std::nullopt;
    std::optional<AnyStream> alive;
    while (!found->second.empty() && !alive) {
        Idle last = std::move(found->second.back());
        found->second.pop_back();
        const bool is_young = now - last.since <= options_.idle_timeout;
        // Anything there, an end or a byte nobody asked for, makes it useless.
        char byte;
        if (is_young && last.stream.try_read({&byte, 1}).status == IoStatus::not_now)
            alive = std::move(last.stream);
    }
    return alive;
}

void ConnectionPool::keep(const Origin& origin, AnyStream stream) {
    const Instant now = loop_.now();
    drop_old(now);
    if (closed_ || options_.idle_per_host == 0) return;
    stream.transport().limit(Instant::never());
    stream.transport().expire_at(Instant::never());
    std::deque<Idle>& kept = idle_[origin];
    if (kept.size() >= options_.idle_per_host) kept.pop_front();
    kept.push_back({std::move(stream), now});
}

// Those of one host stand in the order of their last use.
void ConnectionPool::drop_old(Instant now) {
    if (now < next_look_) return;
    next_look_ = now + kLookEvery;
    for (auto& [host, kept] : idle_)
        while (!kept.empty() && now - kept.front().since > options_.idle_timeout)
            kept.pop_front();
    std::erase_if(idle_, [](const auto& entry) { return entry.second.empty(); });
    drop_old_shared(now);
}

void ConnectionPool::drop_old_shared(Instant now) {
    for (auto& [host, connections] : shared_) {
        for (const auto& connection : connections)
            if (connection->calls() == 0 && now - connection->idle_since() > options_.idle_timeout)
                connection->retire();
        std::erase_if(connections, [](const auto& connection) { return connection->retired(); });
    }
    std::erase_if(shared_, [](const auto& entry) { return entry.second.empty(); });
}

// The first with room, so that those made for a rush end when it is over.
std::shared_ptr<Http2Connection> ConnectionPool::shared(const Origin& origin) {
    drop_old(loop_.now());
    const auto found = shared_.find(origin);
    if (found == shared_.end()) return nullptr;
    for (const auto& connection : found->second)
        if (connection->has_room()) return connection;
    return nullptr;
}

std::shared_ptr<Http2Connection> ConnectionPool::share(const Origin& origin, AnyStream stream) {
    auto connection = Http2Connection::open(loop_, std::move(stream), origin.name(), options_);
    if (closed_ || options_.idle_per_host == 0)
        connection->retire_after_first();
    else
        shared_[origin].push_back(connection);
    return connection;
}

void ConnectionPool::close() {
    closed_ = true;
    idle_.clear();
    for (const auto& [host, connections] : std::exchange(shared_, {}))
        for (const auto& connection : connections)
            connection->retire();
}

size_t ConnectionPool::idle() const {
    size_t sum = 0;
    for (const auto& [host, kept] : idle_)
        sum += kept.size();
    for (const auto& [host, connections] : shared_)
        sum += static_cast<size_t>(std::ranges::count_if(
            connections, [](const auto& one) { return one->calls() == 0 && !one->retired(); }));
    return sum;
}

// Those who wait go on when the call that connected has gone on: they are posted.
Task<Result<AnyStream>> ConnectionPool::connect(const Origin& origin, Duration timeout,
                                                Stoppable& stoppable) {
    const bool is_first = origin.tls && connecting_.try_emplace(origin).second;
    Result<AnyStream> out = co_await connect_alone(origin, timeout, stoppable);
    if (out.ok() && out->tls() && out->tls()->protocol() != "h2") unshared_.insert(origin.name());
    if (is_first)
        for (Signal* waiting : connecting_.extract(origin).mapped())
            waiting->notify();
    co_return std::move(out);
}

Task<bool> ConnectionPool::wait_for_another(const Origin& origin, Duration timeout,
                                            Stoppable& stoppable) {
    const auto found = connecting_.find(origin);
    const bool may_share = options_.offers_http2 && !unshared_.contains(origin.name());
    if (found == connecting_.end() || !may_share) co_return false;
    Signal came(loop_.executor());
    found->second.push_back(&came);
    stoppable.signal = &came;
    co_await came.wait(timeout);
    stoppable.signal = nullptr;
    if (const auto still = connecting_.find(origin); still != connecting_.end())
        std::erase(still->second, &came);
    co_return true;
}

Task<Result<AnyStream>> ConnectionPool::connect_alone(const Origin& origin, Duration timeout,
                                                      Stoppable& stoppable) {
    const Instant deadline = timeout == Duration::max() ? Instant::never() : loop_.now() + timeout;
    CO_TRY(TcpStream tcp, co_await connect_tcp(origin, timeout, deadline, stoppable));
    ++opened_;
    if (!origin.tls) co_return AnyStream(std::move(tcp));
    co_return co_await secure(std::move(tcp), origin, timeout, stoppable);
}

Task<Result<TcpStream>> ConnectionPool::connect_tcp(const Origin& origin, Duration timeout,
                                                    Instant deadline, Stoppable& stoppable) {
    CO_TRY(const Endpoints endpoints, co_await resolve(origin, timeout, stoppable));
    TcpStream stream(loop_.executor());
    stream.expire_at(deadline);
    stoppable.stream = &stream;
    std::string failure = "the name has no address";
    IoStatus status = IoStatus::failed;
    for (const tcp::endpoint& endpoint : endpoints) {
        status = stoppable.stopped ? IoStatus::aborted : co_await stream.connect(endpoint, failure);
        if (status != IoStatus::failed) break;
    }
    stoppable.stream = nullptr;
    if (status == IoStatus::aborted) co_return cancelled();
    if (status == IoStatus::timed_out) co_return no_connection_in_time(origin, timeout);
    if (status == IoStatus::failed)
        co_return Error{Code::unavailable,
                        concat("cannot connect to ", origin.name(), ": ", failure)};
    co_return std::move(stream);
}

// The deadline of the connection is still set.
Task<Result<AnyStream>> ConnectionPool::secure(TcpStream tcp, const Origin& origin,
                                               Duration timeout, Stoppable& stoppable) {
    TlsStream stream(std::move(tcp), origin.tls, origin.host, origin.port);
    if (options_.offers_http2)
        stream.offer({"h2", "http/1.1"});
    else
        stream.offer({"http/1.1"});
    stoppable.stream = &stream.transport();
    const IoStatus status = co_await stream.handshake();
    stoppable.stream = nullptr;
    if (status == IoStatus::aborted) co_return cancelled();
    if (status == IoStatus::timed_out)
        co_return no_connection_in_time(origin, timeout).in("TLS handshake");
    if (status != IoStatus::ok) co_return Error{Code::unavailable, stream.failure()};
    co_return AnyStream(std::move(stream));
}

Task<Result<ConnectionPool::Endpoints>> ConnectionPool::resolve(const Origin& origin,
                                                                Duration timeout,
                                                                Stoppable& stoppable) {
    const auto& [host, port, tls] = origin;
    boost::system::error_code not_literal;
    const auto address = asio::ip::make_address(host, not_literal);
    if (!not_literal) co_return Endpoints{{address, port}};

    LoopResolver resolver(loop_.executor());
    LoopTimer timer(loop_.executor());
    if (timeout != Duration::max()) {
        timer.expires_after(timeout.chrono());
        timer.async_wait([&stoppable](boost::system::error_code cancelled_timer) {
            if (!cancelled_timer && stoppable.resolver) stoppable.resolver->cancel();
        });
    }
    stoppable.resolver = &resolver;
    const auto [error, found] = co_await resolver.async_resolve(host, std::to_string(port), kTuple);
    stoppable.resolver = nullptr;
    if (stoppable.stopped) co_return cancelled();
    if (error == asio::error::operation_aborted) co_return no_connection_in_time(origin, timeout);
    if (error)
        co_return Error{Code::unavailable, concat("cannot resolve ", host, ": ", error.message())};
    Endpoints endpoints;
    for (const auto& entry : found)
        endpoints.push_back(entry.endpoint());
    co_return endpoints;
}

ConnectionPool::Room ConnectionPool::take_room() {
    if (rooms_.empty()) return std::make_unique_for_overwrite<char[]>(kRoomBytes);
    Room room = std::move(rooms_.back());
    rooms_.pop_back();
    return room;
}

void ConnectionPool::give_room(Room room) {
    if (room && rooms_.size() < kSpareRooms) rooms_.push_back(std::move(room));
}

}  // namespace brigada
