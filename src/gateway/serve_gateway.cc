#include "gateway/serve_gateway.h"

#include <future>
#include <memory>
#include <utility>

#include "base/concat.h"
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

/// What the process before left, as far as somebody should know.
void tell_of_the_past(const Ledger& ledger, const GatewayProgress& progress) {
    if (ledger.torn())
        progress.note(
            concat("the last write to the ledger's log was cut short and nobody was told "
                   "it was there: ",
                   ledger.torn()->bytes, " bytes removed"));
    if (ledger.lost() > 0)
        progress.note(concat(ledger.lost(), ledger.lost() == 1 ? " call" : " calls",
                             " ran when the gateway died; the ledger has them as lost"));
}

void tell_of_others(Gateway& gateway, const GatewayProgress& progress) {
    gateway.meet_others();
    const SharedBooks* books = gateway.books();
    if (books && !books->decides())
        progress.note(concat("warning: limits are kept within this gateway's share: ",
                             books->state()));
}

Task<void> reload(Gateway& gateway, const GatewayProgress& progress, std::promise<void>& done) {
    const auto notes = co_await gateway.reload();
    if (!notes.ok()) {
        progress.note(concat("the configuration stays as it was: ", notes.error().message));
    } else {
        for (const std::string& line : *notes)
            progress.note(concat("warning: ", line));
        progress.note("the configuration was read again and is in force");
    }
    done.set_value();
}

void reload_and_wait(Gateway& gateway, const GatewayProgress& progress) {
    std::promise<void> done;
    if (gateway.loop().spawn(reload(gateway, progress, done))) done.get_future().wait();
}

Task<void> stop_watching(Gateway& gateway, std::promise<void>& done) {
    co_await gateway.stop_watching();
    done.set_value();
}

void stop_watching(Gateway& gateway) {
    std::promise<void> done;
    if (gateway.loop().spawn(stop_watching(gateway, done))) done.get_future().wait();
}

}  // namespace

Result<bool> serve_gateway(GatewayConfig config, Gateway::ReadConfig reread,
                           const GatewayProgress& progress) {
    Loop loop("http");
    TRY(std::unique_ptr<Gateway> gateway, Gateway::open(std::move(config), loop));
    gateway->set_reader(std::move(reread));
    tell_of_the_past(gateway->ledger(), progress);
    tell_of_others(*gateway, progress);
    const SetupRef setup = gateway->setup();  // as it was at the start
    const BrigadaSettings& settings = setup->config.brigada;
    TRY(std::unique_ptr<HttpServer> server,
        HttpServer::listen(
            loop, settings.listen.host, settings.listen.port,
            {.limits = limits_of(gateway->config()), .format_error = dress_gateway_error},
            make_gateway_routes(*gateway)));
    progress.ready(server->port());

    while (wait_for_stop_or_reload() == Told::reload)
        reload_and_wait(*gateway, progress);
    progress.draining();
    loop.run([&] { gateway->set_draining(); });
    bool finished = false;
    {
        ImpatientStop impatient(*server);
        finished = server->drain(gateway->config().brigada.drain_grace);
    }
    stop_watching(*gateway);
    gateway->stop(kLedgerPatience);
    loop.stop();
    return finished;
}

}  // namespace brigada
