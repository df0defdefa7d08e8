// EngineServer: one model behind HTTP, as something that starts, drains and stops. serve() runs one
// on its own; `brigada up` runs one behind the front door.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/file.h"
#include "base/result.h"
#include "engine/setup.h"
#include "net/http_server.h"
#include "net/loop.h"
#include "server/service.h"
#include "toolcall/answer_format.h"

namespace brigada {

struct ServeOptions {
    Path model_path;
    std::string model_name;  // as clients say it
    std::string host = "127.0.0.1";
    uint16_t port = 4000;  // 0: one the kernel chooses
    std::string key = {};  // that calls must carry as a bearer token; "": none
    EngineOptions engine;
    HttpLimits limits;
    Duration keep_alive = Duration::seconds(10);
    Duration drain_grace = Duration::seconds(600);
    std::string chat_template;  // Jinja source that replaces the model's; "" for none
    FormatWishes formats;       // of calls and reasoning
};

/// What a person or a script is told on the way. Called on the thread that starts the server.
struct ServeProgress {
    std::function<void(uint16_t port)> listening;
    std::function<void(uint64_t done, uint64_t total)> loading;
    std::function<void(uint16_t port, const EngineFacts& facts)> ready;
    std::function<void()> draining;
};

class EngineServer {
  public:
    /// Listens first and loads then, so that /health can say how far loading is. Error::cancelled
    /// when `is_cancelled` says so while it loads.
    static Result<std::unique_ptr<EngineServer>> start(const ServeOptions& options,
                                                       const ServeProgress& progress,
                                                       const std::function<bool()>& is_cancelled);
    /// Cuts off what runs.
    ~EngineServer();

    uint16_t port() const { return server_->port(); }
    HttpServer& http() { return *server_; }
    const EngineFacts& facts() const { return model_->started.facts; }

    /// No new work; true when all that runs finished within `grace`. Then it is stopped.
    bool drain(Duration grace);

  private:
    explicit EngineServer(const ServeOptions& options);
    Result<void> listen(const ServeOptions& options);
    Result<void> load(const ServeOptions& options, WeightsProgress progress);

    Loop loop_{"engine http"};
    Service service_;
    std::unique_ptr<HttpServer> server_;
    std::optional<LoadedModel> model_;
};

}  // namespace brigada
