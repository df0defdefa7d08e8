#include "gateway/health_watch.h"

#include <utility>

#include "gateway/upstream_call.h"

namespace brigada {

namespace {

constexpr Duration kPatience = Duration::seconds(10);
constexpr Duration kLookAgain = Duration::seconds(5);  // whether a reload has switched it on
constexpr size_t kMostOfAnAnswer = 4 << 20;

}  // namespace

HealthWatch::HealthWatch(Loop& loop, HttpClient& client, std::function<SetupRef()> setup,
                         Changed changed)
    : loop_(loop),
      client_(client),
      setup_(std::move(setup)),
      changed_(std::move(changed)),
      wake_(loop.executor()),
      ended_(loop.executor()) {}

void HealthWatch::start() {
    is_running_ = loop_.spawn(watch());
}

Task<void> HealthWatch::stop() {
    is_stopping_ = true;
    wake_.notify();
    while (is_running_)
        co_await ended_.wait();
}

Task<void> HealthWatch::watch() {
    while (!is_stopping_) {
        const SetupRef setup = setup_();
        const GeneralSettings& general = setup->config.general;
        if (general.checks_health_in_background) co_await check_all(setup);
        co_await wake_.wait(general.checks_health_in_background ? general.health_check_interval
                                                                : kLookAgain);
    }
    is_running_ = false;
    ended_.notify();
}

Task<void> HealthWatch::check_all(SetupRef setup) {
    for (const Upstream& upstream : setup->upstreams.all()) {
        const Deployment& deployment = *upstream.deployment;
        if (deployment.address && deployment.health_check.in_background) co_await check(upstream);
        if (is_stopping_) co_return;
    }
}

/// It is there when it answers at all and not with a fault of its own: 401 and 404 are answers.
Task<void> HealthWatch::check(const Upstream& upstream) {
    HttpCall call = upstream_check(*upstream.deployment, upstream.tls);
    const Duration patience = upstream.deployment->health_check.timeout.value_or(kPatience);
    call.timeouts = {
        .connect = patience, .first_byte = patience, .between_bytes = patience, .total = patience};
    HttpExchange exchange(client_);
    const auto head = co_await exchange.start(call);
    if (head.ok()) (void)co_await exchange.read_all(kMostOfAnAnswer);
    const bool is_down = !head.ok() || head->status >= 500;
    if (std::exchange(upstream.state->seems_down, is_down) != is_down)
        changed_(*upstream.deployment, is_down);
}

}  // namespace brigada
