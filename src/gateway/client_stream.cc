#include "gateway/client_stream.h"

#include <utility>

namespace brigada {

ClientStream::ClientStream(Loop& loop, Responder& responder)
    : loop_(loop),
      responder_(responder),
      wake_(loop.executor()),
      idle_(loop.executor()),
      last_bytes_(loop.now()) {}

void ClientStream::watch_silence(Duration interval, std::function<HttpHeaders()> head) {
    interval_ = interval;
    early_head_ = std::move(head);
    has_head_ = started();  // another upstream is asked: what the last one said is no more
    if (watching_) return wake_.notify();
    last_bytes_ = loop_.now();
    watching_ = loop_.spawn(watch());
}

Task<void> ClientStream::watch() {
    while (!stopping_) {
        const Duration left = last_bytes_ + interval_ - loop_.now();
        if (left > Duration()) {
            co_await wake_.wait(left);
        } else if (busy_) {  // the relay is writing: no silence
            last_bytes_ = loop_.now();
        } else if (!co_await send_comment()) {
            break;
        }
    }
    watching_ = false;
    idle_.notify();
}

Task<bool> ClientStream::send_comment() {
    busy_ = true;
    constexpr std::string_view kComment = ": keep-alive\n\n";
    if (!has_head_) set_head(200, early_head_());
    const bool there = started() ? co_await responder_.write(kComment) : co_await begin(kComment);
    last_bytes_ = loop_.now();
    busy_ = false;
    idle_.notify();
    co_return there;
}

Task<void> ClientStream::until_idle() {
    while (busy_)
        co_await idle_.wait();
}

Task<void> ClientStream::stop() {
    stopping_ = true;
    wake_.notify();
    while (watching_)
        co_await idle_.wait();
}

void ClientStream::set_head(int status, HttpHeaders headers) {
    if (started()) return;
    has_head_ = true;
    status_ = status;
    headers_ = std::move(headers);
}

/// The head has its memory no longer than it takes to write it.
Task<bool> ClientStream::begin(std::string_view first) {
    const HttpHeaders headers = std::exchange(headers_, {});
    co_return co_await responder_.start_stream(status_, headers, first);
}

Task<bool> ClientStream::write(std::string_view bytes) {
    if (busy_) co_await until_idle();
    busy_ = true;
    const bool there = started() ? co_await responder_.write(bytes) : co_await begin(bytes);
    busy_ = false;
    last_bytes_ = loop_.now();
    co_return there;
}

Task<bool> ClientStream::finish(std::string_view bytes) {
    if (watches()) co_await stop();
    if (!started() && !co_await begin({})) co_return false;
    co_return co_await responder_.finish(bytes);
}

}  // namespace brigada
