// The part of a ClientCall that has an upstream's answer: passing it on, whole or as a stream, and
// telling whose fault an error is.
#include <charconv>
#include <utility>

#include "base/concat.h"
#include "base/joined.h"
#include "dialect/event_splitter.h"
#include "dialect/without_thoughts.h"
#include "gateway/client_call.h"

namespace brigada {

namespace {

constexpr size_t kMaxErrorBytes = 1 << 20;
constexpr size_t kMaxAnswerBytes = 64 << 20;

/// Whole seconds; dates and nonsense count as none.
std::optional<Duration> retry_after(const HttpHeaders& headers) {
    const auto value = headers.get("retry-after");
    int64_t seconds = 0;
    if (!value) return std::nullopt;
    const auto [end, failed] =
        std::from_chars(value->data(), value->data() + value->size(), seconds);
    if (failed != std::errc() || end != value->data() + value->size() || seconds < 0 ||
        seconds > 86'400)
        return std::nullopt;
    return Duration::seconds(seconds);
}

std::optional<FailureKind> refused_prompt(std::string_view text) {
    if (says_too_long(text)) return FailureKind::too_long;
    if (says_content_refused(text)) return FailureKind::content;
    return std::nullopt;
}

/// Its memory is for others: an idle stream keeps only what it will need.
template <typename T>
void let_go(T& value) {
    T nothing;
    std::swap(value, nothing);
}

bool is_stream(const HttpResponseHead& head) {
    const auto type = head.headers.get("content-type");
    return type && type->starts_with("text/event-stream");
}

}  // namespace

HttpHeaders ClientCall::answer_headers(const HttpResponseHead& head) const {
    HttpHeaders out;
    const auto type = translates() ? std::nullopt : head.headers.get("content-type");
    out.add("Content-Type",
            type.value_or(body_.stream ? "text/event-stream; charset=utf-8" : "application/json"));
    if (body_.stream) out.add("Cache-Control", "no-cache");
    for (const std::string_view name : {"x-request-id", "request-id"})
        if (const auto value = head.headers.get(name)) out.add(name, *value);
    out.add("x-litellm-call-id", record_id_.hex());
    if (served_by_) {
        out.add("x-litellm-model-id", served_by_->id);
        out.add("x-litellm-model-group", model_served_);
    }
    out.add("x-brigada-prompt-tokens",
            std::to_string(prompt_tokens_) + (is_prompt_counted_ ? " counted" : " estimated"));
    if (const auto names = dropped(); !names.empty()) out.add("x-brigada-dropped", joined(names));
    add_cache_headers(out);
    gateway_.admission().add_headroom(hold_, now(), out);
    return out;
}

Task<ClientCall::Try> ClientCall::relay(HttpExchange& exchange, HttpResponseHead& head) {
    if (head.status >= 400) co_return co_await take_error(exchange, head);
    gateway_.router().accepted(route_call());
    refusal_.reset();
    if (is_stream(head)) co_return co_await relay_stream(exchange, head);
    co_return co_await relay_whole(exchange, head);
}

/// An error of the upstream is tried elsewhere; an error of the call is the client's to see, unless
/// another model may take it.
Task<ClientCall::Try> ClientCall::take_error(HttpExchange& exchange, const HttpResponseHead& head) {
    const auto body = co_await exchange.read_all(kMaxErrorBytes);
    if (responder_.client_gone()) co_return client_left(head.status);
    const std::string text = body.ok() ? *body : std::string();
    const auto fault = judge_status(head);
    end_attempt(CallStatus::upstream_error, head.status, Ending::failed);
    if (fault) {
        failure_ = *fault;
        co_return Try::failed;
    }
    if (head.status == 400 && says_thought_refused(text) && leave_thoughts_out())
        co_return Try::again;
    const auto refused = refused_prompt(text);
    if (head.status == 400 && refused) {
        failure_ = *refused;
        if (!fallbacks(model_served_).empty()) {
            refusal_ = Refusal{.status = 400, .type = "invalid_request_error", .message = text};
            co_return Try::failed;
        }
    }
    refusal_.reset();
    http_status_ = head.status;
    co_await settle();
    co_await stream_.stop();
    co_await send_upstream_error(head, text);
    co_return Try::answered;
}

/// What a status says of the upstream; nothing when the call is at fault.
std::optional<FailureKind> ClientCall::judge_status(const HttpResponseHead& head) {
    const Upstream& upstream = setup_->upstreams[tried_.back()];
    const auto refuse = [&](int status, std::string_view type, std::string_view more) {
        refusal_ = Refusal{.status = status,
                           .type = std::string(type),
                           .message = concat("upstream ", upstream.deployment->id, " answered ",
                                             head.status, more)};
    };
    if (head.status == 429 || head.status == 503 || head.status == 529) {
        const auto pause = retry_after(head.headers);
        upstream.breaker().told_to_wait(pause, now(), witness_of_failures());
        refuse(503, "service_unavailable", "");
        refusal_->retry_after = pause.value_or(Duration::seconds(1));
        return FailureKind::rate_limit;
    }
    if (head.status == 401 || head.status == 403) {
        count_failure(upstream, FailureKind::authentication);
        refuse(502, "upstream_error", ": it does not take our key");
        return FailureKind::authentication;
    }
    if (head.status >= 500 || head.status == 408) {
        count_failure(upstream, head.status == 408 ? FailureKind::timeout : FailureKind::internal);
        refuse(502, "upstream_error", "");
        return failure_;
    }
    upstream.breaker().succeeded();
    return std::nullopt;
}

Task<ClientCall::Try> ClientCall::relay_whole(HttpExchange& exchange,
                                              const HttpResponseHead& head) {
    const Upstream& upstream = setup_->upstreams[tried_.back()];
    const int64_t most = setup_->config.general.max_response_bytes.value_or(kMaxAnswerBytes);
    auto read = co_await exchange.read_all(static_cast<size_t>(most));
    if (responder_.client_gone()) co_return client_left(head.status);
    if (!read.ok()) co_return judge(read.error(), upstream);
    meter_.whole(*read);
    const auto body = answer_body(std::move(read).value());
    if (!body.ok()) co_return judge(body.error(), upstream);
    upstream.breaker().succeeded();
    end_attempt(CallStatus::ok, head.status, Ending::answered);
    keep_answer(head, *body, false);
    keep_response(*body, body_.stream);
    http_status_ = head.status;
    first_byte_ = WallClock().now();
    gateway_.metrics().first_byte(now() - received_);
    co_await settle();
    if (stream_.watches()) co_await stream_.stop();
    HttpHeaders headers = answer_headers(head);
    headers.add("x-litellm-response-cost", decimal_dollars(cost_));
    if (!stream_.started())
        co_await responder_.send(head.status, headers, *body);
    else
        co_await stream_.finish(translates() ? *body : concat("data: ", *body, "\n\n"));
    co_return Try::answered;
}

/// What the client gets of these events. The one that ends the answer, and what comes after it,
/// waits in `closing` until the ledger has the call.
Result<void> ClientCall::take_events(const std::vector<std::string_view>& events,
                                     std::string& bytes, std::string& closing) {
    const bool shows_usage =
        body_.client_wants_usage() || setup_->config.general.always_includes_usage;
    std::string joined;
    for (const std::string_view event : events) {
        const std::string_view data = event_data(event, joined);
        if (!data.empty()) meter_.event(data);
        std::string& out = meter_.ended() ? closing : bytes;
        if (translates()) {
            if (!data.empty()) TRY(translation_->event(data, out));
        } else if (meter_.ended() || !meter_.last_was_only_usage() || shows_usage) {
            out += event;
        }
    }
    note_progress();
    return {};
}

/// False when the client is gone.
Task<bool> ClientCall::pass_on(const std::string& bytes) {
    if (bytes.empty()) co_return true;
    if (first_byte_ == WallTime{}) {
        first_byte_ = WallClock().now();
        gateway_.metrics().first_byte(now() - received_);
        gateway_.router().first_token(call_id_, now());
        setup_->upstreams[tried_.back()].state->throughput.first_token(counted_.call, now());
        slot_.streaming();
        let_go_of_request();
    }
    if (cache_) cache_->record(bytes);
    co_return co_await stream_.write(bytes);
}

/// Nothing is tried again once the client has seen a byte, and a stream of minutes need not keep
/// 400 KB for that.
void ClientCall::let_go_of_request() {
    if (translation_) translation_->let_go_of_body();
    let_go(translated_body_);
    responder_.drop_body();
    let_go(request_.headers);
    let_go(prompt_.keys);
    let_go(body_.list.messages);
    let_go(message_keys_);
    body_.prompt = {};  // they lay in the body
    body_.own_system.reset();
    body_.rendering = {};
}

/// Reads events until the answer's end, `broke` says how else it came to one.
Task<CallStatus> ClientCall::copy_events(HttpExchange& exchange, std::string& closing,
                                         Error& broke) {
    EventSplitter splitter;
    for (;;) {
        const auto bytes = co_await exchange.read();
        if (responder_.client_gone()) co_return CallStatus::aborted;
        if (!bytes.ok()) {
            broke = bytes.error();
            co_return broke.code == Code::deadline ? CallStatus::timeout : CallStatus::cut;
        }
        if (bytes->empty()) break;
        const auto events = splitter.feed(*bytes);
        if (!events.ok()) {
            broke = events.error();
            co_return CallStatus::cut;
        }
        std::string passed;
        if (auto taken = take_events(*events, passed, closing); !taken.ok()) {
            broke = std::move(taken).error();
            co_return CallStatus::cut;
        }
        if (!co_await pass_on(passed)) co_return CallStatus::aborted;
    }
    broke = {Code::unavailable, "the stream ended without its proper end"};
    co_return meter_.ended() ? CallStatus::ok : CallStatus::cut;
}

Task<ClientCall::Try> ClientCall::relay_stream(HttpExchange& exchange, HttpResponseHead& head) {
    const Upstream& upstream = setup_->upstreams[tried_.back()];
    stream_.set_head(head.status, answer_headers(head));
    if (!cache_) let_go(head.headers);  // it alone looks at them once more
    std::string closing;
    Error broke;
    CallStatus status = co_await copy_events(exchange, closing, broke);
    if (status == CallStatus::aborted) co_return client_left(head.status);
    if (status != CallStatus::ok && first_byte_ == WallTime{}) {
        co_return judge(broke, upstream);  // nothing was seen: another upstream may do
    }
    http_status_ = head.status;
    if (status == CallStatus::ok && meter_.failed()) status = CallStatus::upstream_error;
    if (status != CallStatus::ok) {
        count_failure(upstream, FailureKind::internal);
        end_attempt(status, head.status, Ending::failed);
        if (!meter_.failed())  // else the upstream has said it in its own words
            refusal_ = Refusal{.status = 502,
                               .type = "upstream_error",
                               .message = concat("the answer broke off: ", broke.message)};
    } else {
        upstream.breaker().succeeded();
        end_attempt(status, head.status, Ending::answered);
        keep_answer(head, closing, true);
        keep_response(closing, true);
    }
    co_await end_stream(std::move(closing));
    co_return Try::answered;
}

/// A stream that failed never gets the end that says it did not.
Task<void> ClientCall::end_stream(std::string closing) {
    const bool broken = refusal_.has_value();
    co_await settle();
    if (broken) co_return;  // run() says it in-band
    if (meter_.failed() && must_ask_for_usage(dialect_)) closing.clear();
    co_await stream_.finish(closing);
}

}  // namespace brigada
