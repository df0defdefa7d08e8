// Setup: one reading of the configuration and the upstreams it names. A call keeps the setup it
// began with; a reload puts another in its place for the calls that come after.
#pragma once

#include <memory>
#include <utility>

#include "gateway/config/gateway_config.h"
#include "gateway/directory/directory.h"
#include "gateway/token_counters.h"
#include "gateway/upstream_set.h"
#include "route/policy.h"

namespace brigada {

struct Setup {
    /// `tls` and `tokens` were opened for what was read.
    Setup(GatewayConfig read, const UpstreamTls& tls, TokenCounters tokens,
          const Setup* before = nullptr)
        : config(std::move(read)),
          upstreams(config, tls, before ? &before->upstreams : nullptr),
          counters(std::move(tokens)) {}
    Setup(const Setup&) = delete;
    Setup& operator=(const Setup&) = delete;

    const GatewayConfig config;
    const UpstreamSet upstreams;  // refers to config
    const TokenCounters counters;

    /// What counts the prompts of a model: its first deployment's tokenizer that there is. Null:
    /// they are estimated.
    CounterRef counter_of(std::string_view model) const;
};

using SetupRef = std::shared_ptr<const Setup>;

/// What the parts of a gateway are made of.
std::unique_ptr<Policy> make_policy(RoutingStrategy strategy);
DirectoryConfig directory_config(const GatewayConfig& config);

}  // namespace brigada
