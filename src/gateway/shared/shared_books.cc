#include "gateway/shared/shared_books.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/concat.h"
#include "base/hex.h"
#include "gateway/directory/key_secret.h"
#include "gateway/shared/books_script.h"

namespace brigada {

namespace {

constexpr std::string_view kPrefix = "brigada:{limits}:";
constexpr Duration kBeat = Duration::milliseconds(500);
constexpr Duration kLongestPause = Duration::seconds(2);
constexpr size_t kToldAtOnce = 64;  // scopes in one message: some 400 KB when all are fullest

std::string random_name() {
    std::array<uint8_t, 8> bytes{};
    os_random()(bytes);
    return hex_of(bytes);
}

/// "run_id:..." of INFO.
std::string_view field_of(std::string_view info, std::string_view name) {
    const size_t at = info.find(concat("\n", name, ":"));
    if (at == info.npos) return {};
    info.remove_prefix(at + name.size() + 2);
    return info.substr(0, info.find('\r'));
}

Error forgotten() {
    return {Code::unavailable, "Redis has forgotten this gateway"};
}

}  // namespace

SharedBooks::SharedBooks(Settings settings, Loop& loop, Source& source, GatewayMetrics& metrics)
    : settings_(std::move(settings)),
      loop_(loop),
      source_(source),
      metrics_(metrics),
      name_(random_name()),
      started_(loop.now()),
      share_(settings_.replicas, settings_.patience, started_),
      changed_(loop.executor()),
      known_(loop.executor()),
      ended_(loop.executor()) {}

void SharedBooks::start() {
    source_.decide(share_.alone());
    has_ended_ = !loop_.spawn(run(this));
}

Task<bool> SharedBooks::stop() {
    bool told = false;
    if (decides() && connection_) {
        const auto answer = co_await ask(plain_words(header(), "leave"));
        told = answer.ok() && untold_.empty();
    }
    is_stopping_ = true;
    if (connection_) connection_->close();
    changed_.notify();
    while (!has_ended_)
        co_await ended_.wait();
    co_return told;
}

// --- the connection ---------------------------------------------------------------------------

Task<void> SharedBooks::run(SharedBooks* self) {
    Duration pause = self->settings_.patience;
    while (!self->is_stopping_) {
        const Result<void> connected = co_await self->connect();
        if (connected.ok()) {
            pause = self->settings_.patience;
            const Result<void> lost = co_await self->keep_in_touch();
            if (!lost.ok()) self->drop(lost.error());
        } else {
            self->lose(connected.error());
            pause = std::min(pause * 2, kLongestPause);
        }
        if (self->connection_) self->connection_->close();
        self->connection_.reset();
        // What was sent and not answered is taken within that time or never: then a new beginning
        // can't be overtaken by it.
        const Instant again = self->loop_.now() + pause;
        while (!self->is_stopping_ && self->loop_.now() < again)
            co_await self->changed_.wait(again - self->loop_.now());
    }
    self->has_ended_ = true;
    self->ended_.notify();
}

Task<Result<void>> SharedBooks::connect() {
    CO_TRY(connection_, co_await RedisConnection::open(loop_, settings_.address, settings_.tls,
                                                       settings_.patience));
    connection_->on_lost([this](const Error& why) {
        lose(why);
        changed_.notify();
    });
    CO_TRY(const RedisValue script,
           co_await connection_->ask({"SCRIPT", "LOAD", std::string(books_script())}));
    script_ = script.text;
    CO_TRY(const RedisValue info, co_await connection_->ask({"INFO", "server"}));
    run_ = field_of(info.text, "run_id");
    const std::string_view uptime = field_of(info.text, "uptime_in_seconds");
    int64_t seconds = 0;
    std::from_chars(uptime.data(), uptime.data() + uptime.size(), seconds);
    uptime_ = Duration::seconds(seconds);
    CO_TRY(const RedisValue time, co_await connection_->ask({"TIME"}));
    if (run_.empty() || time.list.size() != 2)
        co_return Error{Code::unsupported,
                        "Redis does not say its run_id; is it Redis 6 or newer?"};
    heard_ = loop_.now();
    heard_us_ = std::stoll(time.list[0].text) * 1'000'000 + std::stoll(time.list[1].text);
    co_return Result<void>();
}

Task<Result<void>> SharedBooks::keep_in_touch() {
    if (std::exchange(told_, run_) != run_)
        for (const ScopeId scope : source_.in_use())
            untold_.insert(scope);
    while (connection_->is_open() && !is_stopping_) {
        if (decides())
            CO_TRY(co_await ask(plain_words(header(), "beat")));
        else
            CO_TRY(co_await join());
        co_await changed_.wait(kBeat);
    }
    co_return Result<void>();
}

// --- in and out -------------------------------------------------------------------------------

// What is asked behind the last message reaches the books after it, so from its sending on they
// decide; nothing is counted here alone that they were not told.
Task<Result<void>> SharedBooks::join() {
    while (untold_.size() > kToldAtOnce)
        CO_TRY(co_await tell_some(kToldAtOnce));
    ++edition_;
    std::vector<SharedUse> rest = take_untold(kToldAtOnce);
    if (!rest.empty()) send(replace_words(header(), rest), [](const Result<BooksReply>&) {});
    share_.joining(loop_.now());
    source_.decide(share_.alone());
    const Duration age = loop_.now() - started_;
    const bool knows_all = settings_.knows_all || age >= ReplicaShare::kSpan;
    Signal came(loop_.executor());
    std::optional<Result<BooksReply>> answer;
    send(join_words(header(), run_, uptime_, age, knows_all), [&](Result<BooksReply> reply) {
        if (reply.ok() && reply->word != "yes") {
            share_.turned_away();
            source_.decide(share_.alone());
        }
        answer = std::move(reply);
        came.notify();
    });
    while (!answer)
        co_await came.wait();
    CO_TRY(const BooksReply reply, std::move(*answer));
    trouble_ = reply.word == "wait" && !reply.rest.empty() ? reply.rest[0].text : "";
    know();
    metrics_.limits_are_shared(decides());
    co_return Result<void>();
}

Task<Result<void>> SharedBooks::tell_some(size_t most) {
    const std::vector<std::string> words = replace_words(header(), take_untold(most));
    CO_TRY(co_await ask(words));
    co_return Result<void>();
}

std::vector<SharedUse> SharedBooks::take_untold(size_t most) {
    std::vector<SharedUse> out;
    while (out.size() < most && !untold_.empty()) {
        auto use = source_.use_of(*untold_.begin());
        untold_.erase(untold_.begin());
        if (use) out.push_back(std::move(*use));
    }
    return out;
}

void SharedBooks::lose(const Error& why) {
    if (is_stopping_) return;
    metrics_.redis_failed();
    metrics_.limits_are_shared(false);
    share_.lost();
    source_.decide(share_.alone());
    told_.clear();  // what was under way may be told or not: all of it again
    trouble_ = why.message;
    know();
}

/// The connection is of no use, though it stands.
void SharedBooks::drop(const Error& why) {
    if (!connection_ || !connection_->is_open()) return;  // it has said so itself
    lose(why);
    connection_->close();
    changed_.notify();
}

void SharedBooks::know() {
    is_known_ = true;
    known_.notify();
}

Task<void> SharedBooks::wait_until_known(Duration timeout) {
    const Instant give_up = loop_.now() + timeout;
    while (!(is_known_ && (decides() || !connection_)) && loop_.now() < give_up)
        co_await known_.wait(std::min(give_up - loop_.now(), kBeat));
}

std::string SharedBooks::state() const {
    return decides() ? "shared" : trouble_;
}

// --- messages ---------------------------------------------------------------------------------

/// Redis' clock is at least where it was, and as much further as ours.
BooksHeader SharedBooks::header() const {
    const int64_t now_us = heard_us_ + (loop_.now() - heard_).ns() / 1'000;
    return {.script = script_,
            .prefix = std::string(kPrefix),
            .who = name_,
            .not_later_than_us = now_us + settings_.patience.ns() / 1'000,
            .replicas = share_.replicas()};
}

void SharedBooks::send(const std::vector<std::string>& words,
                       std::move_only_function<void(Result<BooksReply>)> then) {
    if (!connection_) return then(Error{Code::unavailable, "there is no connection to Redis"});
    const Instant sent = loop_.now();
    share_.sent(sent);
    connection_->send(words,
                      [this, sent, then = std::move(then)](Result<RedisValue> value) mutable {
                          if (!value.ok()) return then(value.error());
                          Result<BooksReply> reply = read_reply(std::move(*value));
                          if (!reply.ok()) return then(reply.error());
                          hear(*reply, sent);
                          if (reply->word == "late")
                              return then(Error{Code::deadline, "Redis took a message too late"});
                          then(std::move(reply));
                      });
}

Task<Result<BooksReply>> SharedBooks::ask(std::vector<std::string> words) {
    Signal came(loop_.executor());
    std::optional<Result<BooksReply>> answer;
    send(words, [&](Result<BooksReply> reply) {
        answer = std::move(reply);
        came.notify();
    });
    while (!answer)
        co_await came.wait();
    if (answer->ok() && (*answer)->word == "join") co_return forgotten();
    co_return std::move(*answer);
}

void SharedBooks::hear(const BooksReply& reply, Instant sent) {
    heard_ = loop_.now();
    heard_us_ = reply.now_us;
    metrics_.redis_answered(heard_ - sent);
    if (reply.word == "yes" && !reply.rest.empty()) share_.saw(reply.rest[0].integer);
}

// An answer that is of no use ends the connection: what the books then know is not certain.
void SharedBooks::admit(const SharedCall& call,
                        std::move_only_function<void(const SharedAnswer*)> then) {
    const std::vector<std::string> words = admit_words(header(), call);
    send(words, [this, call, then = std::move(then)](Result<BooksReply> reply) mutable {
        if (reply.ok() && !decides()) return then(nullptr);  // asked behind a join turned away
        if (reply.ok() && reply->word == "join") reply = forgotten();
        const Result<SharedAnswer> answer =
            reply.ok() ? read_answer(*reply, call) : Result<SharedAnswer>(reply.error());
        if (!answer.ok()) drop(answer.error());
        then(answer.ok() ? &*answer : nullptr);
    });
}

void SharedBooks::finish(SharedEnd end, std::vector<ScopeId> scopes,
                         std::move_only_function<void(const std::vector<ScopeTotal>&)> then) {
    const std::vector<std::string> words = finish_words(header(), end);
    send(words, [this, end = std::move(end), scopes = std::move(scopes),
                 then = std::move(then)](Result<BooksReply> reply) mutable {
        if (reply.ok())
            if (const auto totals = read_totals(*reply, end); totals.ok()) return then(*totals);
        tell(scopes);
    });
}

}  // namespace brigada
