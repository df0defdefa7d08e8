#include "net/http2_exchange.h"

#include <algorithm>
#include <utility>

#include "base/concat.h"

namespace brigada {

namespace {

Instant later(Instant now, Duration by) {
    return by == Duration::max() ? Instant::never() : now + by;
}

}  // namespace

Task<Result<HttpResponseHead>> Http2Exchange::start(const HttpCall& call) {
    timeouts_ = call.timeouts;
    connection_->begin(call, stream_);
    const Result<void> came = co_await wait_for_head();
    stream_.keep_rest();  // an answer may come before all of the request has gone
    if (!came.ok()) {
        connection_->drop(stream_);
        co_return came.error();
    }
    co_return std::move(stream_.head);
}

Task<Result<void>> Http2Exchange::wait_for_head() {
    const Instant begun = loop_.now();
    const auto note_sent = [this] {
        if (stream_.sent_all() && sent_ == Instant::never()) sent_ = loop_.now();
    };
    note_sent();
    while (!stream_.has_head) {
        if (stream_.broken) co_return *stream_.broken;
        const bool uploads = !stream_.sent_all();
        const Result<void> changed =
            uploads ? co_await wait(later(stream_.moved, timeouts_.between_bytes),
                                    "took no more of the request", timeouts_.between_bytes)
                    : co_await wait(later(sent_, timeouts_.first_byte), "gave no answer",
                                    timeouts_.first_byte);
        note_sent();
        if (changed.ok()) continue;
        // A connection on which nothing at all came may be dead without anybody knowing.
        const bool late = changed.error().code == Code::deadline;
        if (late && connection_->last_heard() < begun) connection_->retire();
        co_return changed.error();
    }
    co_return Result<void>();
}

// Until something changed. What passes the deadline is judged again: the upload may have moved.
Task<Result<void>> Http2Exchange::wait(Instant deadline, std::string_view phase, Duration limit) {
    if (stream_.aborted) co_return Error{Code::cancelled, "the call was aborted"};
    const Instant until = std::min(deadline, last_);
    const Instant now = loop_.now();
    if (now >= until) co_return too_late(phase, limit);
    co_await stream_.changed.wait(until == Instant::never() ? Duration::max() : until - now);
    if (stream_.aborted) co_return Error{Code::cancelled, "the call was aborted"};
    co_return Result<void>();
}

Error Http2Exchange::too_late(std::string_view phase, Duration limit) const {
    const bool whole = last_ != Instant::never() && loop_.now() >= last_;
    return {Code::deadline,
            whole ? concat("the call to ", peer_, " took over ", timeouts_.total.ms(), " ms")
                  : concat(peer_, " ", phase, " for ", limit.ms(), " ms")};
}

Task<Result<std::string_view>> Http2Exchange::read() {
    const Instant begun = loop_.now();
    for (;;) {
        if (stream_.aborted) co_return Error{Code::cancelled, "the call was aborted"};
        if (!stream_.body.empty()) {
            given_ = std::exchange(stream_.body, {});
            connection_->consumed(stream_, given_.size());
            co_return std::string_view(given_);
        }
        if (stream_.ended) co_return std::string_view();
        if (stream_.broken) co_return *stream_.broken;
        CO_TRY(co_await wait(later(begun, timeouts_.between_bytes), "sent nothing",
                             timeouts_.between_bytes));
    }
}

void Http2Exchange::abort() {
    stream_.aborted = true;
    connection_->drop(stream_);
    stream_.changed.notify();
}

}  // namespace brigada
