#include "net/http_client.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "base/append_all.h"
#include "base/check.h"
#include "base/digits.h"
#include "net/connection_pool.h"
#include "net/http2_exchange.h"
#include "net/http2_fields.h"
#include "net/http_parser.h"

namespace brigada {

namespace {

constexpr size_t kHeadBytes = 1'024;  // of a usual call, so that it does not grow step by step

iovec piece(std::string_view text) {
    return {const_cast<char*>(text.data()), text.size()};
}

bool may_be_repeated(HttpMethod method) {
    return method != HttpMethod::post && method != HttpMethod::patch;
}

Instant later(Instant now, Duration by) {
    return by == Duration::max() ? Instant::never() : now + by;
}

size_t size_of(const std::vector<std::string_view>& pieces) {
    size_t sum = 0;
    for (const std::string_view part : pieces)
        sum += part.size();
    return sum;
}

std::string render_head(const HttpCall& call) {
    std::string head;
    head.reserve(kHeadBytes);
    append_all(head, to_string(call.method), " ", call.target,
               " HTTP/1.1\r\nhost: ", authority_of(call), "\r\n");
    for (size_t i = 0; i < call.headers.size(); ++i) {
        const HttpHeaders::Field field = call.headers[i];
        if (is_end_to_end(field.name)) append_all(head, field.name, ": ", field.value, "\r\n");
    }
    const size_t body_bytes = size_of(call.body);
    const bool says_length = body_bytes > 0 || call.method == HttpMethod::post ||
                             call.method == HttpMethod::put || call.method == HttpMethod::patch;
    if (says_length) {
        head.append("content-length: ");
        append_decimal(head, static_cast<int64_t>(body_bytes));
        head.append("\r\n");
    }
    return head.append("\r\n");
}

Result<void> check_target(const HttpCall& call) {
    const auto unfit = [](char c) { return c <= 0x20 || c >= 0x7f; };
    if (call.target.starts_with('/') && std::ranges::none_of(call.target, unfit)) return {};
    return Error{Code::invalid_argument,
                 concat("the target '", call.target, "' is no percent-encoded path from '/'")};
}

}  // namespace

struct HttpClientState {
    HttpClientState(Loop& loop, HttpClientOptions o) : options(o), pool(loop, o) {}

    const HttpClientOptions options;
    ConnectionPool pool;
};

struct HttpExchangeState {
    explicit HttpExchangeState(std::shared_ptr<HttpClientState> c) : client(std::move(c)) {}

    Task<Result<HttpResponseHead>> start(const HttpCall& call);
    Task<Result<void>> connect(const HttpCall& call, bool fresh);
    Task<Result<void>> make_connection(Duration timeout);
    bool join();
    void share(std::shared_ptr<Http2Connection> connection);
    void let_go();
    bool may_be_tried_again(HttpMethod method, const Error& error) const;
    Task<Result<HttpResponseHead>> ask(const HttpCall& call);
    Task<Result<HttpResponseHead>> ask_alone(const HttpCall& call);
    Task<Result<std::string_view>> read();
    Task<Result<std::string_view>> read_alone();
    Task<Result<void>> receive();
    Result<std::string_view> parse();
    std::string_view joined(std::string_view data, std::string_view more);
    bool left_unseen();
    Error broken(IoStatus status, std::string_view phase, Duration limit);
    /// The connection goes back to the pool when it is fit for another call, else it is closed.
    void release();

    std::shared_ptr<HttpClientState> client;
    Stoppable stoppable;
    // One of the two: a connection of our own, or a part of one that others use as well.
    std::optional<AnyStream> stream;
    std::optional<Http2Exchange> shared;
    std::optional<ResponseParser> parser;
    ConnectionPool::Room room;  // held while `unread` or what read() returned lies in it
    std::string_view unread;
    std::optional<Error> fault;  // of the coding of the body
    Origin origin;
    HttpTimeouts timeouts;
    Instant last = Instant::never();  // for the whole call
    Instant sent_at = Instant::never();
    uint64_t sent_before = 0;  // bytes, of other calls by the same connection
    bool reused = false;
    bool untouched = false;  // the peer had ended before it saw anything of this call
    bool begun = false;
};

Task<Result<HttpResponseHead>> HttpExchangeState::start(const HttpCall& call) {
    CHECK(!std::exchange(begun, true), "an exchange is one call");
    origin = {.host = call.host, .port = call.port, .tls = call.tls};
    timeouts = call.timeouts;
    last = later(client->pool.loop().now(), timeouts.total);
    CO_TRY(check_target(call));
    CO_TRY(co_await connect(call, false));
    Result<HttpResponseHead> answer = co_await ask(call);
    if (!answer.ok() && may_be_tried_again(call.method, answer.error())) {
        CO_TRY(co_await connect(call, true));
        answer = co_await ask(call);
    }
    if (shared) sent_at = shared->sent_at();
    if (!answer.ok()) release();
    co_return answer;
}

// A kept connection may have been closed by its peer already, which says nothing about the call.
bool HttpExchangeState::may_be_tried_again(HttpMethod method, const Error& error) const {
    if (error.code != Code::unavailable || stoppable.stopped) return false;
    if (shared ? shared->untouched() : untouched) return true;
    const bool begun_to_answer = shared ? shared->answered() : parser->begun();
    return reused && !begun_to_answer && may_be_repeated(method);
}

// A kept connection, unless it must be a `fresh` one.
Task<Result<void>> HttpExchangeState::connect(const HttpCall& call, bool fresh) {
    let_go();
    if (!fresh && !join()) stream = client->pool.take(origin);
    reused = shared || stream;
    if (!reused) CO_TRY(co_await make_connection(call.timeouts.connect));
    if (shared) co_return Result<void>();
    stoppable.stream = &stream->transport();
    stream->transport().limit(last);
    co_return Result<void>();
}

void HttpExchangeState::let_go() {
    stoppable.stream = nullptr;
    stoppable.shared = nullptr;
    stream.reset();
    shared.reset();
}

// Becomes one of the calls of a connection; false when none there has room.
bool HttpExchangeState::join() {
    if (!origin.tls) return false;
    auto connection = client->pool.shared(origin);
    if (connection) share(std::move(connection));
    return shared.has_value();
}

void HttpExchangeState::share(std::shared_ptr<Http2Connection> connection) {
    shared.emplace(client->pool.loop(), std::move(connection), origin.name(), last);
    stoppable.shared = &*shared;
}

Task<Result<void>> HttpExchangeState::make_connection(Duration timeout) {
    ConnectionPool& pool = client->pool;
    const Instant until = std::min(later(pool.loop().now(), timeout), last);
    if (last != Instant::never()) timeout = std::min(timeout, last - pool.loop().now());
    if (origin.tls && co_await pool.wait_for_another(origin, timeout, stoppable)) {
        if (!stoppable.stopped && join()) co_return Result<void>();
        if (until != Instant::never()) timeout = until - pool.loop().now();
    }
    if (stoppable.stopped) co_return Error{Code::cancelled, "the call was aborted"};
    CO_TRY(stream, co_await pool.connect(origin, timeout, stoppable));
    if (stream->tls() && stream->tls()->protocol() == "h2") {
        share(pool.share(origin, *std::move(stream)));
        stream.reset();
    }
    co_return Result<void>();
}

Task<Result<HttpResponseHead>> HttpExchangeState::ask(const HttpCall& call) {
    return shared ? shared->start(call) : ask_alone(call);
}

// Sends the request and reads up to the end of the response's head.
Task<Result<HttpResponseHead>> HttpExchangeState::ask_alone(const HttpCall& call) {
    const std::string head = render_head(call);
    parser.emplace(call.method, client->options.head_bytes, client->options.header_count);
    unread = {};
    stream->transport().expire_at(Instant::never());
    sent_before = stream->transport().sent();
    std::vector<iovec> pieces{piece(head)};
    for (const std::string_view part : call.body)
        pieces.push_back(piece(part));
    const IoStatus sent = co_await stream->write_all(pieces, timeouts.between_bytes);
    // A failed upload may be an answer already given (413), so we look for one before we judge.
    if (sent == IoStatus::aborted || sent == IoStatus::timed_out)
        co_return broken(sent, "took no more of the request", timeouts.between_bytes);
    sent_at = client->pool.loop().now();
    stream->transport().expire_at(later(sent_at, timeouts.first_byte));
    while (!parser->head_complete()) {
        if (unread.empty()) CO_TRY(co_await receive());
        CO_TRY(const ResponseParser::Step step, parser->next(unread));
        unread.remove_prefix(step.used);
    }
    co_return parser->take_head();
}

Task<Result<std::string_view>> HttpExchangeState::read() {
    return shared ? shared->read() : read_alone();
}

Task<Result<std::string_view>> HttpExchangeState::read_alone() {
    CHECK(parser && parser->head_complete(), "read() comes after a start() that succeeded");
    for (;;) {
        if (stoppable.stopped) co_return Error{Code::cancelled, "the call was aborted"};
        Result<std::string_view> data = parse();
        if (!data.ok()) release();
        if (!data.ok() || !data->empty()) co_return data;
        if (parser->complete()) {
            release();
            co_return std::string_view();
        }
        stream->transport().expire_at(later(client->pool.loop().now(), timeouts.between_bytes));
        const Result<void> received = co_await receive();
        if (!received.ok()) {
            release();
            co_return received.error();
        }
    }
}

// All body bytes among the unread, moved together in the room over the framing between them: what
// came at once goes on at once. Empty when there are none. A fault behind good bytes comes after
// them.
Result<std::string_view> HttpExchangeState::parse() {
    if (fault) return *fault;
    std::string_view data;
    while (!unread.empty() && !parser->complete()) {
        const Result<ResponseParser::Step> step = parser->next(unread);
        if (!step.ok()) {
            fault = step.error();
            if (data.empty()) return *fault;
            break;
        }
        unread.remove_prefix(step->used);
        data = joined(data, step->data);
    }
    return data;
}

// Both lie in the room, `more` behind `data`.
std::string_view HttpExchangeState::joined(std::string_view data, std::string_view more) {
    if (data.empty() || more.empty()) return data.empty() ? more : data;
    char* end = room.get() + (data.data() + data.size() - room.get());
    if (end != more.data()) std::memmove(end, more.data(), more.size());
    return {data.data(), data.size() + more.size()};
}

// More bytes into `unread`, or the end of the connection told to the parser. While it waits it
// holds no room.
Task<Result<void>> HttpExchangeState::receive() {
    client->pool.give_room(std::move(room));
    for (;;) {
        IoOutcome got{co_await stream->readable()};
        if (got.status == IoStatus::ok) {
            room = client->pool.take_room();
            got = stream->try_read({room.get(), ConnectionPool::kRoomBytes});
        }
        if (got.status == IoStatus::not_now) {
            client->pool.give_room(std::move(room));
            continue;
        }
        if (got.status == IoStatus::ok) {
            unread = {room.get(), got.bytes};
            co_return Result<void>();
        }
        if (got.status == IoStatus::end) untouched = reused && left_unseen();
        if (got.status == IoStatus::end && parser->end().ok()) co_return Result<void>();
        if (parser->head_complete())
            co_return broken(got.status, "sent nothing", timeouts.between_bytes);
        co_return broken(got.status, "gave no answer", timeouts.first_byte);
    }
}

// A peer's end carries its kernel's acknowledgement of all that had come before it. (A reset does
// not.) What was not acknowledged then met a closed socket.
bool HttpExchangeState::left_unseen() {
    return !parser->begun() && !stream->transport().acknowledged_beyond(sent_before);
}

Error HttpExchangeState::broken(IoStatus status, std::string_view phase, Duration limit) {
    const std::string who = origin.name();
    if (status == IoStatus::aborted) return {Code::cancelled, "the call was aborted"};
    if (status == IoStatus::timed_out) {
        const bool whole = last != Instant::never() && client->pool.loop().now() >= last;
        return {Code::deadline,
                whole ? concat("the call to ", who, " took over ", timeouts.total.ms(), " ms")
                      : concat(who, " ", phase, " for ", limit.ms(), " ms")};
    }
    if (stream && stream->tls() && !stream->tls()->failure().empty())
        return {Code::unavailable, stream->tls()->failure()};
    return {Code::unavailable, concat(who, " closed the connection ",
                                      parser->head_complete() ? "in the middle of the response"
                                                              : "before a response came")};
}

void HttpExchangeState::release() {
    if (stream && parser && parser->reusable() && unread.empty() && !stoppable.stopped)
        client->pool.keep(origin, *std::move(stream));
    let_go();
    client->pool.give_room(std::move(room));
}

// --- what is public --------------------------------------------------------------------------

HttpClient::HttpClient(Loop& loop, HttpClientOptions options)
    : state_(std::make_shared<HttpClientState>(loop, options)) {}
HttpClient::~HttpClient() {
    state_->pool.close();
}
size_t HttpClient::idle_connections() const {
    return state_->pool.idle();
}
uint64_t HttpClient::opened_connections() const {
    return state_->pool.opened();
}

HttpExchange::HttpExchange(HttpClient& client)
    : state_(std::make_shared<HttpExchangeState>(client.state_)) {}
HttpExchange::~HttpExchange() {
    state_->release();
}

Task<Result<HttpResponseHead>> HttpExchange::start(const HttpCall& call) {
    return state_->start(call);
}

Task<Result<std::string_view>> HttpExchange::read() {
    return state_->read();
}

Task<Result<std::string>> HttpExchange::read_all(size_t max_bytes) {
    std::string body;
    for (;;) {
        CO_TRY(const std::string_view more, co_await state_->read());
        if (more.empty()) co_return body;
        if (more.size() > max_bytes - body.size())
            co_return Error{Code::too_large, concat("the response of ", state_->origin.name(),
                                                    " is longer than ", max_bytes, " bytes")};
        body.append(more);
    }
}

void HttpExchange::abort() {
    state_->stoppable.stop();
}

Instant HttpExchange::sent_at() const {
    return state_->sent_at;
}

}  // namespace brigada
