#include "gateway/shared/redis_connection.h"

#include <array>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/concat.h"
#include "net/connection_pool.h"

namespace brigada {

namespace {

constexpr size_t kReadBytes = 16 * 1024;
constexpr Duration kSecondLook = Duration::milliseconds(1);

}  // namespace

RedisConnection::RedisConnection(Loop& loop, AnyStream stream, Duration patience)
    : loop_(loop),
      stream_(std::move(stream)),
      patience_(patience),
      has_out_(loop.executor()),
      has_pending_(loop.executor()) {}

RedisConnection::~RedisConnection() = default;

Task<Result<std::shared_ptr<RedisConnection>>> RedisConnection::open(
    Loop& loop, RedisAddress address, std::shared_ptr<TlsContext> tls, Duration patience) {
    CHECK(address.is_tls == (tls != nullptr));
    ConnectionPool connector(loop, {.idle_per_host = 0, .offers_http2 = false});
    Stoppable stoppable;
    CO_TRY(AnyStream stream,
           co_await connector.connect({address.host, address.port, std::move(tls)}, patience * 2,
                                      stoppable));
    stream.transport().expire_at(Instant::never());
    std::shared_ptr<RedisConnection> out(new RedisConnection(loop, std::move(stream), patience));
    if (!loop.spawn(read(out)) || !loop.spawn(write(out)) || !loop.spawn(watch(out))) {
        out->close();
        co_return Error{Code::unavailable, "the loop takes no more work"};
    }
    const Result<void> greeted = co_await out->greet(address);
    if (!greeted.ok()) {
        out->close();
        co_return greeted.error();
    }
    co_return out;
}

Task<Result<void>> RedisConnection::greet(const RedisAddress& address) {
    if (!address.password.empty()) {
        std::vector<std::string> words{"AUTH"};
        if (!address.user.empty()) words.push_back(address.user);
        words.push_back(address.password);
        CO_TRY(co_await ask(std::move(words)));
    }
    if (address.database != 0) CO_TRY(co_await ask({"SELECT", std::to_string(address.database)}));
    co_return Result<void>();
}

void RedisConnection::send(std::span<const std::string> words, Then then) {
    if (!is_open_) return then(Error{Code::unavailable, "the connection to Redis is closed"});
    append_command(words, out_);
    pending_.push_back({loop_.now(), std::move(then)});
    has_out_.notify();
    if (pending_.size() == 1) has_pending_.notify();
}

Task<Result<RedisValue>> RedisConnection::ask(std::vector<std::string> words) {
    Signal came(loop_.executor());
    std::optional<Result<RedisValue>> answer;
    send(words, [&](Result<RedisValue> value) {
        answer = std::move(value);
        came.notify();
    });
    while (!answer)
        co_await came.wait();
    co_return std::move(*answer);
}

Task<void> RedisConnection::write(std::shared_ptr<RedisConnection> self) {
    while (self->is_open_) {
        if (self->out_.empty()) {
            co_await self->has_out_.wait();
            continue;
        }
        std::string bytes = std::exchange(self->out_, {});
        iovec piece{bytes.data(), bytes.size()};
        const IoStatus status = co_await self->stream_.write_all({&piece, 1});
        if (status != IoStatus::ok) self->lose({Code::unavailable, "Redis takes nothing more"});
    }
}

Task<void> RedisConnection::read(std::shared_ptr<RedisConnection> self) {
    std::array<char, kReadBytes> room;
    while (self->is_open_) {
        IoOutcome got{co_await self->stream_.readable()};
        if (got.status == IoStatus::ok) got = self->stream_.try_read(room);
        if (got.status == IoStatus::not_now) continue;
        if (got.status != IoStatus::ok) {
            self->lose({Code::unavailable, "Redis closed the connection"});
            break;
        }
        self->reader_.feed({room.data(), got.bytes});
        if (!self->take_answers()) break;
    }
}

bool RedisConnection::take_answers() {
    while (is_open_) {
        auto next = reader_.next();
        if (!next.ok()) {
            lose(next.error());
            return false;
        }
        if (!*next) return true;
        if (pending_.empty()) {
            lose({Code::corrupt, "Redis answered what nobody asked"});
            return false;
        }
        Then then = std::move(pending_.front().then);
        pending_.pop_front();
        ++answers_;
        RedisValue& value = **next;
        if (value.kind == RedisValue::Kind::error)
            then(Error{Code::unavailable, concat("Redis says: ", value.text)});
        else
            then(std::move(value));
    }
    return false;
}

/// A loop that was late itself looks a second time: the answer may lie in the socket.
Task<void> RedisConnection::watch(std::shared_ptr<RedisConnection> self) {
    Signal pause(self->loop_.executor());
    while (self->is_open_) {
        if (self->pending_.empty()) {
            co_await self->has_pending_.wait();
            continue;
        }
        const Instant due = self->pending_.front().sent + self->patience_;
        if (self->loop_.now() < due) {
            co_await pause.wait(due - self->loop_.now());
            continue;
        }
        const uint64_t answers = self->answers_;
        co_await pause.wait(kSecondLook);
        if (self->is_open_ && answers == self->answers_)
            self->lose({Code::deadline,
                        concat("Redis did not answer within ", self->patience_.ms(), " ms")});
    }
}

void RedisConnection::close() {
    lost_ = nullptr;
    lose({Code::cancelled, "the connection to Redis was closed"});
}

void RedisConnection::lose(const Error& why) {
    if (!is_open_) return;
    is_open_ = false;
    const auto self = shared_from_this();  // what is told may let go of us
    stream_.transport().abort();
    has_out_.notify();
    has_pending_.notify();
    if (lost_) std::exchange(lost_, nullptr)(why);
    for (Pending& each : std::exchange(pending_, {}))
        each.then(why);
}

}  // namespace brigada
