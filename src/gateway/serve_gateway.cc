#include "gateway/serve_gateway.h"

#include <future>
#include <memory>
#include <utility>

#include "base/concat.h"
#include "gateway/front_desk.h"
#include "gateway/gateway.h"
#include "gateway/seen/watch.h"
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

GatewayLog& log_of(Gateway& gateway) {
    return gateway.seen().log();
}

/// What the process before left, as far as somebody should know.
void tell_of_the_past(Gateway& gateway) {
    GatewayLog& log = log_of(gateway);
    const Ledger& ledger = gateway.ledger();
    for (const std::string& line : gateway.hierarchy().notes())
        log.write(log.line(LogLevel::warning, "hierarchy").add("message", line));
    if (ledger.torn())
        log.write(log.line(LogLevel::warning, "ledger_torn")
                      .add("message",
                           "the last write to the ledger's log was cut short and removed; nobody "
                           "was told it was there")
                      .add("bytes", ledger.torn()->bytes));
    if (ledger.lost() > 0)
        log.write(log.line(LogLevel::warning, "calls_lost")
                      .add("message", "they ran when the gateway died; the ledger has them as lost")
                      .add("calls", ledger.lost()));
}

void tell_of_others(Gateway& gateway) {
    gateway.meet_others();
    const SharedBooks* books = gateway.books();
    if (books && !books->decides())
        log_of(gateway).write(
            log_of(gateway)
                .line(LogLevel::warning, "limits_alone")
                .add("message",
                     concat("limits are kept within this gateway's share: ", books->state())));
}

Task<void> reload(Gateway& gateway, std::promise<void>& done) {
    (void)co_await gateway.reload();  // the log says what came of it
    done.set_value();
}

void reload_and_wait(Gateway& gateway) {
    std::promise<void> done;
    if (gateway.loop().spawn(reload(gateway, done))) done.get_future().wait();
}

void tell_of_the_start(Gateway& gateway, const GatewayProgress& progress, uint16_t port) {
    GatewayLog& log = log_of(gateway);
    for (const std::string& warning : progress.warnings)
        log.write(log.line(LogLevel::warning, "configuration").add("message", warning));
    for (const std::string& warning : gateway.setup()->counters.warnings())
        log.write(log.line(LogLevel::warning, "configuration").add("message", warning));
    tell_of_the_past(gateway);
    log.write(log.line(LogLevel::info, "start")
                  .add("host", gateway.config().brigada.listen.host)
                  .add("port", port)
                  .add("deployments", gateway.config().deployments.size())
                  .add("data_dir", gateway.config().brigada.data_dir.string()));
    progress.ready(port);
}

/// From the first call to the last. Error::io and ::unavailable when it can't listen.
Result<bool> serve(Gateway& gateway, const GatewayProgress& progress) {
    const SetupRef setup = gateway.setup();  // as it was at the start
    const BrigadaSettings& settings = setup->config.brigada;
    TRY(std::unique_ptr<HttpServer> server,
        HttpServer::listen(
            gateway.loop(), settings.listen.host, settings.listen.port,
            {.limits = limits_of(gateway.config()), .format_error = dress_gateway_error},
            make_gateway_routes(gateway)));
    (void)gateway.loop().spawn(watch_over(gateway));
    tell_of_the_start(gateway, progress, server->port());

    while (wait_for_stop_or_reload() == Told::reload)
        reload_and_wait(gateway);
    log_of(gateway).write(log_of(gateway).line(LogLevel::info, "drain"));
    progress.draining();
    gateway.loop().run([&] { gateway.set_draining(); });
    ImpatientStop impatient(*server);
    return server->drain(gateway.config().brigada.drain_grace);
}

}  // namespace

Result<bool> serve_gateway(GatewayConfig config, Gateway::ReadConfig reread,
                           const GatewayProgress& progress) {
    Loop loop("http");
    TRY(std::unique_ptr<Gateway> gateway, Gateway::open(std::move(config), loop));
    gateway->set_reader(std::move(reread));
    tell_of_others(*gateway);
    Result<bool> finished = serve(*gateway, progress);
    gateway->stop(kLedgerPatience);
    if (!finished.ok()) return finished;
    log_of(*gateway).write(
        log_of(*gateway).line(LogLevel::info, "stop").add("all_answers_finished", *finished));
    progress.stopped(*finished);
    return finished;
}

}  // namespace brigada
