// UpstreamSet: the deployments of one configuration as they stand now: which of them can take a
// call for a model, and how each has behaved. Routing chooses among what eligible() returns. The
// set of the next configuration knows again those it kept.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "dialect/dialect.h"
#include "gateway/config/gateway_config.h"
#include "gateway/deployment_price.h"
#include "gateway/upstream_state.h"
#include "gateway/upstream_tls.h"
#include "route/router.h"

namespace brigada {

struct Upstream {
    UpstreamId id{};
    const Deployment* deployment = nullptr;
    std::shared_ptr<UpstreamState> state = {};
    Price price = {};                      // as the configuration has it
    std::shared_ptr<TlsContext> tls = {};  // null: plain HTTP

    Breaker& breaker() const { return state->breaker; }

    /// By what the engine's hour is divided now, where tokens are priced by it.
    std::optional<KnownThroughput> throughput_at(Instant now) const;
    /// Of a call that begins now.
    Price price_at(Instant now) const;
};

/// What a call asks of an upstream.
struct Wanted {
    std::string_view model = {};
    Dialect dialect = Dialect::chat;
    std::span<const std::string> tags = {};
    int64_t prompt_tokens = 0;
    int64_t tokens = 0;  // of prompt and answer together
    Witness witness = kEverybody;
};

/// Why no upstream can take a call now.
struct NoUpstream {
    bool model_exists = false;
    bool dialect_fits = false;  // of some deployment of the model
    bool tags_fit = false;
    bool prompt_fits = false;
    std::optional<Instant> free_from = {};  // when the first breaker allows a call
};

class UpstreamSet {
  public:
    /// `config`, for which `tls` was opened, must outlive the set. A deployment that `before` has
    /// with the same id and address is the same upstream: it keeps its number and its state.
    UpstreamSet(const GatewayConfig& config, const UpstreamTls& tls,
                const UpstreamSet* before = nullptr);

    /// What the router wants to know of each.
    void introduce(Router& router) const;
    /// Those that `after` has no more.
    std::vector<UpstreamId> without(const UpstreamSet& after) const;

    /// In ascending order, without those in `tried`. Of deployments with an `order`, only the
    /// lowest that has one to offer. Empty: `why` says what is in the way.
    std::vector<UpstreamId> eligible(const Wanted& wanted, const std::vector<UpstreamId>& tried,
                                     Instant now, NoUpstream& why) const;

    /// Null when it is not of this set.
    const Upstream* find(UpstreamId id) const;
    const Upstream& operator[](UpstreamId id) const;
    /// In ascending order of id.
    const std::vector<Upstream>& all() const { return upstreams_; }

    /// What a call of this model costs at most, whoever answers it.
    Money estimate(std::string_view model, const Usage& usage, Instant now) const;

    /// The name an alias stands for; `model` itself when it is none.
    std::string_view resolve_alias(std::string_view model) const;
    /// Names clients may ask for, in the order of the file, each once; hidden aliases left out.
    std::vector<std::string> model_names() const;

  private:
    const Upstream* same_as(const Deployment& deployment) const;
    bool fits(const Deployment& deployment, const Wanted& wanted, NoUpstream& why) const;
    bool tags_fit(const Deployment& deployment, std::span<const std::string> tags) const;

    const GatewayConfig& config_;
    std::vector<Upstream> upstreams_;
    uint32_t next_id_ = 0;
};

}  // namespace brigada
