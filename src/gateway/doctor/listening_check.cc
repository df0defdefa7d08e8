// The address to listen on: asked by listening on it for a moment.
#include "base/concat.h"
#include "gateway/doctor/checks.h"
#include "net/http_server.h"

namespace brigada {

void check_listening(const GatewayConfig& config, Findings& findings) {
    const ListenAddress& address = config.brigada.listen;
    const std::string where = concat(address.host, ":", address.port);
    Loop loop("doctor");
    const auto server =
        HttpServer::listen(loop, address.host, address.port, {},
                           [](HttpRequest&, Responder&) -> Task<void> { co_return; });
    if (server.ok()) return findings.ok(concat(where, " is free"));
    const std::string holder = holder_of_data(config);
    if (server.error().code == Code::unavailable && !holder.empty())
        return findings.ok(concat(where, " is taken, as it should be: a gateway runs here"));
    findings.fault(concat(where, ": ", server.error().message),
                   "stop who has it, or set brigada.listen or --listen");
}

}  // namespace brigada
