#include "gateway_bench/mock_engine.h"

#include <string>
#include <string_view>

#include "base/check.h"
#include "base/concat.h"
#include "net/signal.h"

namespace brigada {

namespace {

constexpr int kEvents = 64, kFewEvents = 8;
constexpr Duration kPace = Duration::milliseconds(5);

const std::string kAnswer = concat(
    R"({"id":"c1","object":"chat.completion","model":"m","choices":[{"index":0,"message":)",
    R"({"role":"assistant","content":")", std::string(700, 'x'), R"("},"finish_reason":"stop"}],)",
    R"("usage":{"prompt_tokens":100,"completion_tokens":64,"total_tokens":164,)",
    R"("prompt_tokens_details":{"cached_tokens":80}}})");

const std::string kEvent =
    R"(data: {"id":"c1","object":"chat.completion.chunk","model":"m","choices":[{"index":0,)"
    R"("delta":{"content":"token"}}]})"
    "\n\n";

const std::string kEnd =
    R"(data: {"id":"c1","object":"chat.completion.chunk","model":"m","choices":[{"index":0,)"
    R"("delta":{},"finish_reason":"stop"}]})"
    "\n\n"
    R"(data: {"id":"c1","object":"chat.completion.chunk","model":"m","choices":[],)"
    R"("usage":{"prompt_tokens":100,"completion_tokens":64,"total_tokens":164}})"
    "\n\ndata: [DONE]\n\n";

/// Of a body that was written as bench.py writes it, or by a gateway that wrote it anew.
bool says(std::string_view body, std::string_view name, std::string_view value) {
    for (const std::string_view between : {"\":", "\": "})
        if (body.find(concat("\"", name, between, value)) != body.npos) return true;
    return false;
}

Task<void> stream_burst(Responder& responder) {
    constexpr int kAtOnce = 8;
    std::string events;
    for (int i = 0; i < kAtOnce; ++i)
        events += kEvent;
    for (int i = 0; i < kEvents / kAtOnce; ++i)
        if (!co_await responder.write(events)) co_return;
    if (co_await responder.write(kEnd)) co_await responder.finish();
}

Task<void> stream_paced(Loop& loop, Responder& responder, int events) {
    Signal pause(loop.executor());
    Instant next = loop.now();
    for (int i = 0; i < events; ++i) {
        if (!co_await responder.write(kEvent)) co_return;
        next = next + kPace;
        co_await pause.wait(next - loop.now());
    }
    if (co_await responder.write(kEnd)) co_await responder.finish();
}

Task<void> stream_idle(Loop& loop, Responder& responder) {
    Signal left(loop.executor());
    const auto gone = responder.on_gone([&] { left.notify(); });
    if (!co_await responder.write(kEvent)) co_return;
    while (!responder.client_gone())
        co_await left.wait();
}

Task<void> answer(Loop& loop, HttpRequest& request, Responder& responder) {
    const std::string_view body = request.body;
    if (!says(body, "stream", "true")) {
        co_await responder.send(200, {{"Content-Type", "application/json"}}, kAnswer);
        co_return;
    }
    if (!co_await responder.start_stream(200, {{"Content-Type", "text/event-stream"}})) co_return;
    if (says(body, "mock_mode", "\"paced\""))
        co_return co_await stream_paced(loop, responder, kEvents);
    if (says(body, "mock_mode", "\"short\""))
        co_return co_await stream_paced(loop, responder, kFewEvents);
    request.body = {};  // an idle stream must not weigh on the machine
    if (says(body, "mock_mode", "\"idle\"")) co_return co_await stream_idle(loop, responder);
    co_await stream_burst(responder);
}

}  // namespace

MockEngine::MockEngine(uint16_t port) {
    auto listening =
        HttpServer::listen(loop_, "127.0.0.1", port, {.limits = {.connections = 30'000}},
                           [this](HttpRequest& request, Responder& responder) {
                               return answer(loop_, request, responder);
                           });
    CHECK(listening.ok(), listening.ok() ? "" : listening.error().message);
    server_ = std::move(listening).value();
}

MockEngine::~MockEngine() {
    server_->stop();
}

}  // namespace brigada
