#include "gateway/upstream_set.h"

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "base/fnv.h"
#include "gateway/prompt_keys.h"
#include "gateway/upstream_call.h"

namespace brigada {

namespace {

std::optional<int> allowed(const std::optional<int64_t>& setting) {
    return setting ? std::optional(static_cast<int>(*setting)) : std::nullopt;
}

BreakerConfig breaker_config(const RouterSettings& router, const Deployment& deployment) {
    BreakerConfig out{.allowed_failures = static_cast<int>(router.allowed_fails),
                      .cooldown = deployment.cooldown.value_or(router.cooldown)};
    const PerFailure& by_fault = router.allowed_fails_by_failure;
    out.allowed_by_fault = {allowed(by_fault.authentication), allowed(by_fault.timeout),
                            allowed(by_fault.internal_server)};
    if (!router.has_cooldowns)
        out = {.allowed_failures = std::numeric_limits<int>::max(), .cooldown = out.cooldown};
    return out;
}

UpstreamFacts facts_of(const Upstream& upstream, const RouterSettings& router) {
    const Deployment& deployment = *upstream.deployment;
    UpstreamFacts out{.name = fnv1a64(deployment.id)};
    out.rates = {.input_pico = upstream.price.rates.input,
                 .cached_input_pico = upstream.price.rates.cached_input,
                 .output_pico = upstream.price.rates.output};
    if (deployment.weight_permille)
        out.weight = static_cast<uint32_t>(std::max<int64_t>(*deployment.weight_permille, 1));
    else
        out.weight = 1'000;
    const EngineFactSettings& engine = deployment.engine;
    if (engine.prefill_tokens_per_second)
        out.prefill_tokens_per_s = std::max<int64_t>(*engine.prefill_tokens_per_second, 1);
    if (engine.decode_tokens_per_second)
        out.decode_per_token =
            Duration::seconds(1) / std::max<int64_t>(*engine.decode_tokens_per_second, 1);
    const auto most = deployment.max_parallel ? deployment.max_parallel : router.max_parallel;
    if (most) out.max_concurrent = static_cast<uint32_t>(std::clamp<int64_t>(*most, 1, 1 << 30));
    const int64_t kv_tokens = engine.kv_tokens.value_or(2'000'000);
    out.kv_blocks =
        static_cast<uint32_t>(std::clamp<int64_t>(kv_tokens / kPieceTokens, 0, 1 << 24));
    return out;
}

}  // namespace

std::optional<KnownThroughput> Upstream::throughput_at(Instant now) const {
    const auto declared = declared_throughput(*deployment);
    if (!declared || !deployment->engine.measures_throughput) return declared;
    const auto measured = state->throughput.of_last_hour(now);
    return measured ? KnownThroughput{*measured, true} : *declared;
}

Price Upstream::price_at(Instant now) const {
    if (!deployment->engine.measures_throughput) return price;
    return price_of(*deployment, throughput_at(now));
}

UpstreamSet::UpstreamSet(const GatewayConfig& config, const UpstreamTls& tls,
                         const UpstreamSet* before)
    : config_(config) {
    if (before) next_id_ = before->next_id_;
    for (const Deployment& deployment : config.deployments) {
        Upstream upstream{.deployment = &deployment,
                          .price = price_of(deployment, declared_throughput(deployment)),
                          .tls = tls.of(deployment)};
        const BreakerConfig breaker = breaker_config(config.router, deployment);
        if (const Upstream* same = before ? before->same_as(deployment) : nullptr) {
            upstream.id = same->id;
            upstream.state = same->state;
            upstream.breaker().set_config(breaker);
            upstream.breaker().forgive();  // who reloads has perhaps just mended it
        } else {
            upstream.id = UpstreamId{next_id_++};
            upstream.state = std::make_shared<UpstreamState>(breaker);
        }
        upstream.state->set_limits(
            {.requests_per_minute = deployment.rpm, .tokens_per_minute = deployment.tpm});
        upstreams_.push_back(std::move(upstream));
    }
    std::ranges::sort(upstreams_, {}, &Upstream::id);
}

const Upstream* UpstreamSet::same_as(const Deployment& deployment) const {
    const auto same = std::ranges::find_if(upstreams_, [&](const Upstream& upstream) {
        return upstream.deployment->id == deployment.id &&
               upstream.deployment->address == deployment.address;
    });
    return same == upstreams_.end() ? nullptr : &*same;
}

const Upstream* UpstreamSet::find(UpstreamId id) const {
    const auto found = std::ranges::lower_bound(upstreams_, id, {}, &Upstream::id);
    return found == upstreams_.end() || found->id != id ? nullptr : &*found;
}

const Upstream& UpstreamSet::operator[](UpstreamId id) const {
    const Upstream* found = find(id);
    CHECK(found, "no upstream ", static_cast<uint32_t>(id));
    return *found;
}

std::vector<UpstreamId> UpstreamSet::without(const UpstreamSet& after) const {
    std::vector<UpstreamId> out;
    for (const Upstream& upstream : upstreams_)
        if (!after.find(upstream.id)) out.push_back(upstream.id);
    return out;
}

void UpstreamSet::introduce(Router& router) const {
    for (const Upstream& upstream : upstreams_)
        router.add(upstream.id, facts_of(upstream, config_.router));
}

std::vector<UpstreamId> UpstreamSet::eligible(const Wanted& wanted,
                                              const std::vector<UpstreamId>& tried, Instant now,
                                              NoUpstream& why) const {
    std::vector<UpstreamId> out;
    int64_t order = std::numeric_limits<int64_t>::max();
    for (const Upstream& upstream : upstreams_) {
        const Deployment& deployment = *upstream.deployment;
        if (!fits(deployment, wanted, why)) continue;
        if (std::ranges::find(tried, upstream.id) != tried.end()) continue;
        if (!upstream.state->takes(wanted.tokens, now, wanted.witness)) {
            const Instant from = upstream.state->takes_from(wanted.tokens, now, wanted.witness);
            if (!why.free_from || from < *why.free_from) why.free_from = from;
            continue;
        }
        const int64_t its = deployment.order.value_or(std::numeric_limits<int64_t>::max());
        if (its < order) out.clear();
        order = std::min(order, its);
        if (its == order) out.push_back(upstream.id);
    }
    return out;
}

/// Whether it could ever take the call.
bool UpstreamSet::fits(const Deployment& deployment, const Wanted& wanted, NoUpstream& why) const {
    if (!upstream_model_for(deployment, wanted.model)) return false;
    why.model_exists = true;
    if (!deployment.address || !dialect_at(deployment, wanted.dialect)) return false;
    why.dialect_fits = true;
    if (config_.router.filters_by_tag && !tags_fit(deployment, wanted.tags)) return false;
    why.tags_fit = true;
    if (config_.router.checks_context_window && deployment.max_input_tokens &&
        wanted.prompt_tokens > *deployment.max_input_tokens)
        return false;
    why.prompt_fits = true;
    return true;
}

/// As LiteLLM has it: a call with tags goes where one of them (or all) stands, one without where
/// none does, or "default".
bool UpstreamSet::tags_fit(const Deployment& deployment, std::span<const std::string> tags) const {
    const auto has = [&](std::string_view tag) {
        return std::ranges::find(deployment.tags, tag) != deployment.tags.end();
    };
    if (tags.empty()) return deployment.tags.empty() || has("default");
    return config_.router.any_tag_matches ? std::ranges::any_of(tags, has)
                                          : std::ranges::all_of(tags, has);
}

Money UpstreamSet::estimate(std::string_view model, const Usage& usage, Instant now) const {
    Money most;
    for (const Upstream& upstream : upstreams_)
        if (upstream_model_for(*upstream.deployment, model))
            most = std::max(most, cost(upstream.price_at(now), usage));
    return most;
}

std::string_view UpstreamSet::resolve_alias(std::string_view model) const {
    for (const AliasSettings& alias : config_.router.aliases)
        if (alias.name == model) return alias.target;
    return model;
}

std::vector<std::string> UpstreamSet::model_names() const {
    std::vector<std::string> out;
    const auto add = [&](const std::string& name) {
        if (std::ranges::find(out, name) == out.end()) out.push_back(name);
    };
    for (const Deployment& deployment : config_.deployments)
        add(deployment.model_name);
    for (const AliasSettings& alias : config_.router.aliases)
        if (!alias.is_hidden) add(alias.name);
    return out;
}

}  // namespace brigada
