#include "load/call_attempt.h"

#include "base/concat.h"

namespace brigada {

namespace {

constexpr size_t kMaxErrorBytes = 1 << 20;
constexpr size_t kMaxAnswerBytes = 64 << 20;

CallFailure failure_of(const HttpResponseHead& head, std::string_view body) {
    const DialectError error = read_dialect_error(head.status, body);
    const std::string& word = error.type.empty() ? error.code : error.type;
    return {.status = head.status,
            .cause = concat("HTTP ", head.status, word.empty() ? "" : " ", word),
            .example = error.message,
            .headers = head.headers};
}

/// Of an answer that had begun.
CallFailure broken(const Error& error) {
    CallFailure out = failure_of(error);
    out.status = 200;
    out.cause = concat("broken answer: ", out.cause);
    out.retriable = false;
    return out;
}

bool is_event_stream(const HttpResponseHead& head) {
    return head.headers.get("content-type").value_or("").starts_with("text/event-stream");
}

}  // namespace

CallFailure failure_of(const Error& error) {
    return {.cause = std::string(to_string(error.code)), .example = error.message};
}

Task<std::optional<CallFailure>> CallAttempts::run(const HttpCall& head, std::string body,
                                                   CallResult& result, StreamMeter& meter) {
    HttpCall call = head;
    call.body = {body};
    HttpExchange exchange(client_);
    under_way_.insert(&exchange);
    result.tried = loop_.now();
    const auto answer = co_await exchange.start(call);
    body = {};  // it is sent, and may be long
    result.sent = exchange.sent_at();
    std::optional<CallFailure> failure;
    if (answer.ok()) {
        result.status = answer->status;
        result.head = loop_.now();
        failure = co_await read_answer(exchange, *answer, result, meter);
    } else {
        failure = brigada::failure_of(answer.error());
    }
    under_way_.erase(&exchange);
    co_return failure;
}

Task<std::optional<CallFailure>> CallAttempts::read_answer(HttpExchange& exchange,
                                                           const HttpResponseHead& head,
                                                           CallResult& result, StreamMeter& meter) {
    if (head.status != 200) {
        const auto body = co_await exchange.read_all(kMaxErrorBytes);
        co_return failure_of(head, body.ok() ? *body : "");
    }
    const Result<void> read = co_await read_body(exchange, is_event_stream(head), result, meter);
    if (!read.ok()) co_return broken(read.error());
    if (meter.error()) {
        CallFailure out = broken({Code::unavailable, meter.error()->message});
        out.cause = concat("error in the stream: ", meter.error()->type);
        co_return out;
    }
    if (!meter.ended())
        co_return broken({Code::unavailable, "the answer stopped before the end it should have"});
    co_return std::nullopt;
}

Task<Result<void>> CallAttempts::read_body(HttpExchange& exchange, bool streams, CallResult& result,
                                           StreamMeter& meter) {
    std::string whole;
    for (;;) {
        CO_TRY(const std::string_view bytes, co_await exchange.read());
        const Instant now = loop_.now();
        if (bytes.empty()) break;
        if (result.first_byte == Instant::never()) result.first_byte = now;
        if (streams)
            CO_TRY(meter.feed(bytes, now));
        else if (whole.append(bytes).size() > kMaxAnswerBytes)
            co_return Error{Code::too_large, "an answer of over 64 MB"};
        if (meter.ended() && result.ended == Instant::never()) result.ended = now;
    }
    if (!streams) {
        result.ended = loop_.now();
        CO_TRY(meter.whole(whole, result.ended));
    }
    co_return Result<void>();
}

void CallAttempts::abort_all() {
    for (HttpExchange* exchange : under_way_)
        exchange->abort();
}

}  // namespace brigada
