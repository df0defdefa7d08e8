// Reloading: another configuration for the calls to come. It is judged whole before any of it
// holds.
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
    compare("max_request_size_mb", now.general.max_request_bytes, next.general.max_request_bytes);
    compare("database_url", now.general.database_url, next.general.database_url);
    compare("redis_host, redis_url", now.redis, next.redis);
    compare("brigada.replicas", now.brigada.replicas, next.brigada.replicas);
    compare("brigada.redis_timeout_seconds", now.brigada.redis_timeout, next.brigada.redis_timeout);
    compare("timezone", now.budgets.timezone, next.budgets.timezone);
    compare("the idle time of sessions", now.router.affinity.idle, next.router.affinity.idle);
    return out;
}

void append(std::vector<std::string>& to, std::vector<std::string> more) {
    to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace

Task<Result<std::vector<std::string>>> Gateway::reload() {
    if (!read_config_ || is_reloading_)
        co_return Error{Code::unavailable, "the configuration is being read already; try again"};
    is_reloading_ = true;
    Result<LoadedConfig> loaded =
        co_await config_reader_.run<LoadedConfig>(loop_, [this] { return read_config_(); });
    is_reloading_ = false;
    if (!loaded.ok()) co_return std::move(loaded).error();
    std::vector<std::string> notes = std::move(loaded->warnings);
    append(notes, needing_a_restart(config(), loaded->config));
    CO_TRY(put_in_force(std::move(loaded->config)));
    co_return notes;
}

Result<void> Gateway::put_in_force(GatewayConfig config) {
    TRY(waiting_room_->set_settings(config.brigada.admission));  // the only part that can refuse
    const SetupRef before = setup_;
    setup_ = std::make_shared<Setup>(std::move(config), before.get());
    for (const UpstreamId gone : before->upstreams.without(setup_->upstreams))
        router_->remove(gone);
    setup_->upstreams.introduce(*router_);
    if (this->config().router.strategy != before->config.router.strategy)
        router_->set_policy(make_policy(this->config().router.strategy));
    budgets_->set_config(this->config());
    directory_->set_config(directory_config(this->config()));
    return {};
}

}  // namespace brigada
