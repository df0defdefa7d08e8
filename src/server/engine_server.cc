#include "server/engine_server.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "server/respond.h"
#include "server/routes.h"

namespace brigada {

namespace {

std::string template_source(const Model& model, const std::string& replacement) {
    return replacement.empty() ? std::string(model.chat_template()) : replacement;
}

Result<ChatTemplate> parse_template(const Model& model, const std::string& source) {
    const auto token = [&](std::optional<TokenId> id) {
        return id ? std::string(model.tokenizer().bytes(*id)) : std::string();
    };
    if (source.empty()) return ChatTemplate::chatml();
    auto parsed =
        ChatTemplate::parse(source, token(model.tokenizer().bos()), token(model.tokenizer().eos()));
    if (!parsed.ok()) return std::move(parsed).error().in("chat template");
    return parsed;
}

}  // namespace

EngineServer::EngineServer(const ServeOptions& options)
    : service_(
          {.model_name = options.model_name, .key = options.key, .keep_alive = options.keep_alive},
          loop_) {}

EngineServer::~EngineServer() {
    service_.grammars().stop();
    if (server_) server_->stop();
    if (model_) model_->engine().stop();
}

Result<std::unique_ptr<EngineServer>> EngineServer::start(
    const ServeOptions& options, const ServeProgress& progress,
    const std::function<bool()>& is_cancelled) {
    std::unique_ptr<EngineServer> out(new EngineServer(options));
    TRY(out->listen(options));
    progress.listening(out->port());
    TRY(out->load(options, [&](uint64_t done, uint64_t total) {
        out->service_.set_loading(static_cast<int>(done * 100 / std::max<uint64_t>(total, 1)));
        progress.loading(done, total);
        return !is_cancelled();
    }));
    if (is_cancelled()) return Error{Code::cancelled, "stopped while loading"};
    out->service_.set_model(*out->model_);
    progress.ready(out->port(), out->facts());
    return out;
}

Result<void> EngineServer::listen(const ServeOptions& options) {
    TRY(server_, HttpServer::listen(loop_, options.host, options.port,
                                    {.limits = options.limits, .format_error = dress_http_error},
                                    make_routes(service_)));
    service_.count_requests_with([this] { return server_->counts().requests; });
    return {};
}

Result<void> EngineServer::load(const ServeOptions& options, WeightsProgress progress) {
    TRY(Model opened, open_model(options.model_path));
    auto model = std::make_unique<Model>(std::move(opened));
    const std::string source = template_source(*model, options.chat_template);
    TRY(ChatTemplate chat_template, parse_template(*model, source));
    TRY(AnswerFormat answers, choose_answer_format(source, options.formats));
    TRY(StartedEngine started,
        start_engine(*model, options.engine, &service_.metrics(), std::move(progress)));
    model_.emplace(std::move(model), std::move(chat_template), answers, std::move(started));
    return {};
}

bool EngineServer::drain(Duration grace) {
    service_.set_draining();
    const bool finished = server_->drain(grace);
    model_->engine().stop();
    return finished;
}

}  // namespace brigada
