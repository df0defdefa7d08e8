#include "gateway/serve_gateway.h"

#include <memory>
#include <utility>

#include "gateway/front_desk.h"
#include "gateway/gateway.h"
#include "net/http_server.h"
#include "net/loop.h"
#include "net/stop_signals.h"

namespace brigada {

namespace {

constexpr Duration kLedgerPatience = Duration::seconds(10);

HttpLimits limits_of(const GatewayConfig& config) {
    HttpLimits out;
    out.body_bytes = static_cast<size_t>(config.general.max_request_bytes);
    return out;
}

}  // namespace

Result<bool> serve_gateway(GatewayConfig config, const GatewayProgress& progress) {
    Loop loop("http");
    TRY(std::unique_ptr<Gateway> gateway, Gateway::open(std::move(config), loop));
    const BrigadaSettings& settings = gateway->config().brigada;
    TRY(std::unique_ptr<HttpServer> server,
        HttpServer::listen(
            loop, settings.listen.host, settings.listen.port,
            {.limits = limits_of(gateway->config()), .format_error = dress_gateway_error},
            make_gateway_routes(*gateway)));
    progress.ready(server->port());

    wait_for_stop();
    progress.draining();
    loop.run([&] { gateway->set_draining(); });
    bool finished = false;
    {
        ImpatientStop impatient(*server);
        finished = server->drain(settings.drain_grace);
    }
    gateway->stop(kLedgerPatience);
    loop.stop();
    return finished;
}

}  // namespace brigada
