#include "server/serve.h"

#include <memory>
#include <optional>
#include <utility>

#include "net/http_server.h"
#include "net/loop.h"
#include "net/stop_signals.h"
#include "server/respond.h"
#include "server/routes.h"
#include "server/service.h"

namespace brigada {

namespace {

Result<ChatTemplate> choose_template(const Model& model, const std::string& replacement) {
    const auto token = [&](std::optional<TokenId> id) {
        return id ? std::string(model.tokenizer().bytes(*id)) : std::string();
    };
    const std::string source =
        replacement.empty() ? std::string(model.chat_template()) : replacement;
    if (source.empty()) return ChatTemplate::chatml();
    auto parsed =
        ChatTemplate::parse(source, token(model.tokenizer().bos()), token(model.tokenizer().eos()));
    if (!parsed.ok()) return std::move(parsed).error().in("chat template");
    return parsed;
}

Result<LoadedModel> load(const ServeOptions& options, Service& service, LoadProgress progress) {
    TRY(Model opened, open_model(options.model_path));
    auto model = std::make_unique<Model>(std::move(opened));
    TRY(ChatTemplate chat_template, choose_template(*model, options.chat_template));
    TRY(StartedEngine started,
        start_engine(*model, options.engine, &service.metrics(), std::move(progress)));
    return LoadedModel{std::move(model), std::move(chat_template), std::move(started)};
}

}  // namespace

Result<bool> serve(const ServeOptions& options, const ServeProgress& progress) {
    Loop loop("http");
    Service service({.model_name = options.model_name, .keep_alive = options.keep_alive}, loop);
    TRY(std::unique_ptr<HttpServer> server,
        HttpServer::listen(loop, options.host, options.port,
                           {.limits = options.limits, .format_error = dress_http_error},
                           make_routes(service)));
    service.count_requests_with([&server] { return server->counts().requests; });
    progress.listening(server->port());

    Result<LoadedModel> loaded = load(options, service, [&](uint64_t done, uint64_t total) {
        service.set_loading(static_cast<int>(done * 100 / std::max<uint64_t>(total, 1)));
        progress.loading(done, total);
        return !stop_requested();
    });
    if (!loaded.ok() && loaded.error().code == Code::cancelled) return true;
    TRY(LoadedModel model, std::move(loaded));
    if (stop_requested()) return true;
    service.set_model(model);
    progress.ready(server->port(), model.started.facts);

    wait_for_stop();
    progress.draining();
    service.set_draining();
    bool finished = false;
    {
        ImpatientStop impatient(*server);
        finished = server->drain(options.drain_grace);
    }
    model.engine().stop();
    return finished;
}

}  // namespace brigada
