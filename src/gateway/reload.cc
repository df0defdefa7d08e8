// Reloading: another configuration for the calls to come. It is judged whole before any of it
// holds.
#include <tuple>

#include "base/concat.h"
#include "gateway/gateway.h"

namespace brigada {

namespace {

/// What is made once, at the start.
std::vector<std::string> needing_a_restart(const GatewayConfig& now, const GatewayConfig& next) {
    std::vector<std::string> out;
    const auto compare = [&](std::string_view name, const auto& before, const auto& after) {
        if (!(before == after))
            out.push_back(concat(name, ": changed, and in effect only after a restart"));
    };
    compare("brigada.listen", now.brigada.listen, next.brigada.listen);
    compare("brigada.data_dir", now.brigada.data_dir, next.brigada.data_dir);
    compare("brigada.ledger_sync_seconds", now.brigada.ledger_sync, next.brigada.ledger_sync);
    compare("brigada.http2", now.brigada.http2, next.brigada.http2);
    compare("max_request_size_mb", now.general.max_request_bytes, next.general.max_request_bytes);
    compare("database_url", now.general.database_url, next.general.database_url);
    compare("brigada.pepper", now.brigada.pepper, next.brigada.pepper);
    compare("redis_host, redis_url", now.redis, next.redis);
    compare("brigada.log", now.brigada.log, next.brigada.log);
    compare(
        "webhook_url, webhook_token, webhook_secret",
        std::tie(now.brigada.webhook_url, now.brigada.webhook_token, now.brigada.webhook_secret),
        std::tie(next.brigada.webhook_url, next.brigada.webhook_token,
                 next.brigada.webhook_secret));
    compare("callbacks: otel", now.callbacks, next.callbacks);
    compare("brigada.cache_mb", now.brigada.cache_bytes, next.brigada.cache_bytes);
    compare("brigada.kept_responses_mb", now.brigada.kept_response_bytes,
            next.brigada.kept_response_bytes);
    compare("brigada.replicas", now.brigada.replicas, next.brigada.replicas);
    compare("brigada.redis_timeout_seconds", now.brigada.redis_timeout, next.brigada.redis_timeout);
    compare("timezone", now.budgets.timezone, next.budgets.timezone);
    compare("the idle time of sessions", now.router.affinity.idle, next.router.affinity.idle);
    return out;
}

struct Reading {
    LoadedConfig loaded;
    UpstreamTls tls;
    TokenCounters counters;
};

Result<Reading> read_all(Gateway::ReadConfig& read, const TokenCounters& before) {
    TRY(LoadedConfig loaded, read());
    TRY(UpstreamTls tls, UpstreamTls::open(loaded.config));
    TokenCounters counters = TokenCounters::open(loaded.config, &before);
    return Reading{std::move(loaded), std::move(tls), std::move(counters)};
}

void append(std::vector<std::string>& to, std::vector<std::string> more) {
    to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace

Task<Result<std::vector<std::string>>> Gateway::reload() {
    seen_->log().reopen();
    auto notes = co_await read_again();
    seen_->reloaded(notes);
    co_return notes;
}

Task<Result<std::vector<std::string>>> Gateway::read_again() {
    if (!read_config_ || is_reloading_)
        co_return Error{Code::unavailable, "the configuration is being read already; try again"};
    is_reloading_ = true;
    Result<Reading> reading = co_await config_reader_.run<Reading>(
        loop_, [this, now = setup_] { return read_all(read_config_, now->counters); });
    is_reloading_ = false;
    if (!reading.ok()) co_return std::move(reading).error();
    auto& [loaded, tls, counters] = *reading;
    std::vector<std::string> notes = std::move(loaded.warnings);
    append(notes, counters.warnings());
    append(notes, needing_a_restart(config(), loaded.config));
    CO_TRY(put_in_force(std::move(loaded.config), tls, std::move(counters)));
    co_return notes;
}

Result<void> Gateway::put_in_force(GatewayConfig config, const UpstreamTls& tls,
                                   TokenCounters counters) {
    TRY(waiting_room_->set_settings(config.brigada.admission));  // the only part that can refuse
    const SetupRef before = setup_;
    setup_ = std::make_shared<Setup>(std::move(config), tls, std::move(counters), before.get());
    for (const UpstreamId gone : before->upstreams.without(setup_->upstreams))
        router_->remove(gone);
    setup_->upstreams.introduce(*router_);
    if (this->config().router.strategy != before->config.router.strategy)
        router_->set_policy(make_policy(this->config().router.strategy));
    budgets_->set_config(this->config());
    directory().set_config(directory_config(this->config()));
    return {};
}

}  // namespace brigada
