// GET /v1/models, /health, /metrics and /debug/state.
#include <ctime>
#include <memory>
#include <string>

#include "base/json.h"
#include "server/handlers.h"
#include "server/loop_queue.h"
#include "server/respond.h"

namespace brigada {

namespace {

/// A long prefill step may keep the engine from its mailbox for a while.
constexpr Duration kAnswerTimeout = Duration::seconds(10);

}  // namespace

Task<void> handle_models(Service& service, HttpRequest&, Responder& responder) {
    const auto model = service.ready();
    Json list = Json::array();
    if (model.ok())
        list.push_back({{"id", service.config().model_name},
                        {"object", "model"},
                        {"created", service.started_unix()},
                        {"owned_by", "brigada"},
                        {"root", (*model)->model->path().string()},
                        {"max_model_len", (*model)->engine().max_context()}});
    co_await send_json(responder, 200, dump_json({{"object", "list"}, {"data", std::move(list)}}));
}

Task<void> handle_health(Service& service, HttpRequest&, Responder& responder) {
    const auto model = service.healthy();
    if (!model.ok()) {
        co_await send_error(responder, model.error());
        co_return;
    }
    co_await send_json(responder, 200, R"({"status":"ok"})");
}

Task<void> handle_metrics(Service& service, HttpRequest&, Responder& responder) {
    const auto model = service.ready();
    co_await send_text(
        responder, 200,
        service.metrics().page(service.config().model_name, model.ok() ? *model : nullptr,
                               service.http_requests()),
        "text/plain; version=0.0.4; charset=utf-8");
}

Task<void> handle_debug_state(Service& service, HttpRequest&, Responder& responder) {
    const auto model = service.ready();
    if (!model.ok()) {
        co_await send_error(responder, model.error());
        co_return;
    }
    LoopQueue<std::string> answer(service.loop());
    if (!(*model)->engine().describe(answer.sender())) {
        co_await send_error(responder, {Code::exhausted, "the engine's mailbox is full"});
        co_return;
    }
    // Empty when the engine stopped before it could answer.
    std::vector<std::string> text = co_await answer.take(kAnswerTimeout);
    co_await send_text(responder, 200, text.empty() ? "no answer\n" : std::move(text.front()));
}

}  // namespace brigada
