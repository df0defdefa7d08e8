#include "server/serve.h"

#include "net/stop_signals.h"

namespace brigada {

Result<bool> serve(const ServeOptions& options, const ServeProgress& progress) {
    auto started = EngineServer::start(options, progress, stop_requested);
    if (!started.ok() && started.error().code == Code::cancelled) return true;
    TRY(const std::unique_ptr<EngineServer> server, std::move(started));
    wait_for_stop();
    progress.draining();
    ImpatientStop impatient(server->http());
    return server->drain(options.drain_grace);
}

}  // namespace brigada
