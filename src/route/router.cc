#include "route/router.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/check.h"
#include "base/ids.h"

namespace brigada {

Router::Router(std::unique_ptr<Policy> policy, const SessionTableConfig& sessions, Rng rng)
    : policy_(std::move(policy)), index_(rng), sessions_(sessions) {}

// --- upstreams ----------------------------------------------------------------------------------

void Router::add(UpstreamId upstream, const UpstreamFacts& facts) {
    CHECK(facts.weight > 0 && facts.prefill_tokens_per_s > 0, "upstream ", raw(upstream));
    Upstream* const known = upstreams_.find(upstream);
    Upstream& added = known ? *known : upstreams_.emplace(upstream);
    const bool is_same_size = index_.contains(upstream) && added.facts.kv_blocks == facts.kv_blocks;
    added.facts = facts;
    added.leaves = false;
    least_decode_ = least_decode();
    if (!is_same_size) index_.add(upstream, facts.kv_blocks);
}

void Router::remove(UpstreamId upstream) {
    Upstream* const leaving = upstreams_.find(upstream);
    if (!leaving) return;
    leaving->leaves = true;
    index_.remove(upstream);
    sessions_.unbind(upstream);
    leave_if_idle(upstream);
}

void Router::restarted(UpstreamId upstream) {
    Upstream* const started = upstreams_.find(upstream);
    if (!started) return;
    ++started->starts;
    index_.cleared(upstream);
}

void Router::leave_if_idle(UpstreamId upstream) {
    const Upstream& here = upstreams_.at(upstream);
    if (!here.leaves || here.load.calls() > 0) return;
    upstreams_.erase(upstream);
    least_decode_ = least_decode();
}

Duration Router::least_decode() const {
    Duration least = Duration::max();
    for (const auto& [id, upstream] : upstreams_)
        least = std::min(least, upstream->facts.decode_per_token);
    return least;
}

const UpstreamLoad& Router::load(UpstreamId upstream) const {
    return upstreams_.at(upstream).load;
}

// --- the life of a call -------------------------------------------------------------------------

std::optional<Route> Router::choose(const Call& call, std::span<const UpstreamId> eligible,
                                    Instant now) {
    const Session* session = sessions_.find(call.session, now);
    const auto home = session ? session->upstream() : std::nullopt;
    if (home)
        if (auto route = stay(call, eligible, *home, now)) return route;
    const Eligible known = this->known(call, eligible);
    candidates_.clear();
    for (size_t i = 0; i < known.ids.size(); ++i)
        candidates_.push_back({.id = known.ids[i],
                               .facts = known.upstreams[i]->facts,
                               .load = known.upstreams[i]->load,
                               .kv = kv_there(call, known.predictions[i]),
                               .is_pinned = home == known.ids[i]});
    std::optional<Route> route = policy_->choose(call, candidates_, now);
    if (!route) return std::nullopt;
    const bool is_displaced = home && !route->had_it_stayed;
    const bool weighs_home =
        route->reason == RouteReason::cached || route->reason == RouteReason::fastest;
    if (is_displaced && weighs_home) route->reason = RouteReason::displaced;
    const auto place = std::ranges::lower_bound(known.ids, route->upstream);
    begin(call, *route, known.predictions[place - known.ids.begin()], now);
    return route;
}

std::optional<Route> Router::stay(const Call& call, std::span<const UpstreamId> eligible,
                                  UpstreamId home, Instant now) {
    const Upstream* const here = upstreams_.find(home);
    if (!here || here->leaves || !std::ranges::binary_search(eligible, home)) return std::nullopt;
    const Prediction prediction = index_.predict(home, call.keys);
    const Candidate candidate{.id = home,
                              .facts = here->facts,
                              .load = here->load,
                              .kv = kv_there(call, prediction),
                              .is_pinned = true};
    const auto route = policy_->stay(call, candidate, least_decode_, now);
    if (route) begin(call, *route, prediction, now);
    return route;
}

Router::Eligible Router::known(const Call& call, std::span<const UpstreamId> eligible) const {
    Eligible known;
    known.ids.reserve(eligible.size());
    known.upstreams.reserve(eligible.size());
    upstreams_.for_each_of(eligible, [&](size_t place, const Upstream& upstream) {
        if (upstream.leaves) return;
        known.ids.push_back(eligible[place]);
        known.upstreams.push_back(&upstream);
    });
    known.predictions = index_.predict(known.ids, call.keys);
    return known;
}

KvThere Router::kv_there(const Call& call, const Prediction& predicted) {
    if (predicted.keeps_nothing) return {};  // so nothing is evicted
    return {.cached_tokens = tokens_in(call, predicted.expected_blocks),
            .free_tokens = int64_t{predicted.free_blocks} * call.block_tokens};
}

void Router::begin(const Call& call, const Route& route, const Prediction& prediction,
                   Instant now) {
    Upstream& upstream = upstreams_.at(route.upstream);
    const auto [place, is_new] = running_.try_emplace(call.id);
    CHECK(is_new, "call ", raw(call.id), " runs already");
    Running& running = place->second;
    running.upstream = route.upstream;
    running.starts = upstream.starts;
    running.prediction = prediction;
    running.model = call.model;
    running.block_tokens = call.block_tokens;
    running.prompt_tokens = call.prompt_tokens;
    running.blocks = static_cast<uint32_t>(call.keys.size());
    if (call.session != SessionId{} &&
        sessions_.begin(call.session, call.group, route.upstream, now)) {
        sessions_.name(call.session, call.agent);
        running.session = call.session;
        running.marks = marks_of(call.keys);
    }
    upstream.load.begin(call.id, call.prompt_tokens - route.cached_tokens, now);
}

void Router::accepted(const Call& call) {
    Running& running = running_.at(call.id);
    running.was_accepted = true;
    index_.routed(running.upstream, call.keys);
    if (running.session != SessionId{}) sessions_.accepted(running.session, running.upstream);
}

void Router::first_token(CallId call, Instant now) {
    upstreams_.at(running_.at(call).upstream).load.first_token(call, now);
}

CallReport Router::ended(CallId call, Ending ending, const std::optional<ReportedPrompt>& reported,
                         Instant now) {
    auto node = running_.extract(call);
    CHECK(!node.empty(), "call ", raw(call), " does not run");
    Running& running = node.mapped();
    const CallReport report = this->report(running, reported, now);
    if (running.session != SessionId{})
        sessions_.ended(running.session, running.upstream, ending == Ending::failed, now);
    upstreams_.at(running.upstream).load.end(call, ending == Ending::answered, now);
    leave_if_idle(running.upstream);
    return report;
}

// By proportion, because our tokens may be estimates: the upstream's own count of the whole prompt
// says what its tokens are worth.
uint32_t Router::Running::cached_blocks(const ReportedPrompt& reported) const {
    if (reported.tokens <= 0) return 0;
    const int64_t whole = int64_t{blocks} * block_tokens;  // but for what fills no block
    const int64_t tail = std::max<int64_t>(prompt_tokens - whole, 0);
    const int64_t theirs = std::max<int64_t>(reported.tokens - tail, 1);
    const int64_t found = reported.cached_tokens * blocks / theirs;
    return static_cast<uint32_t>(std::clamp<int64_t>(found, 0, blocks));
}

// Nothing is learned from a call that no upstream took, nor from one that a restart overtook.
CallReport Router::report(Running& running, const std::optional<ReportedPrompt>& reported,
                          Instant now) {
    CallReport report{.upstream = running.upstream,
                      .predicted_tokens = running.tokens_in(running.prediction.expected_blocks)};
    if (reported) {
        report.reported_tokens = reported->cached_tokens;
        if (running.prompt_tokens > 0)
            report.predicted_tokens =
                report.predicted_tokens * reported->tokens / running.prompt_tokens;
    }
    const Upstream& upstream = upstreams_.at(running.upstream);
    const ReadAt read_at{running.model, running.upstream, running.starts};
    const uint32_t cached_blocks = reported ? running.cached_blocks(*reported) : 0;
    if (reported && running.starts == upstream.starts)
        index_.reported(running.upstream, running.prediction, cached_blocks);
    if (running.session == SessionId{} || !running.was_accepted) return report;
    const Session* session = sessions_.find(running.session, now);
    if (reported)
        report.miss = explain_miss(session->prompts, running.marks, read_at, cached_blocks);
    sessions_.remember(running.session,
                       {.at = now,
                        .upstream = running.upstream,
                        .model = running.model,
                        .prompt_tokens = running.prompt_tokens,
                        .predicted_tokens = report.predicted_tokens,
                        .reported_tokens = report.reported_tokens,
                        .miss = report.miss},
                       std::move(running.marks), read_at);
    return report;
}

void Router::check() const {
    index_.check();
    sessions_.check();
    std::map<UpstreamId, uint32_t> calls;
    for (const auto& [id, running] : running_)
        ++calls[running.upstream];
    for (const auto& [id, upstream] : upstreams_) {
        upstream->load.check();
        CHECK(upstream->load.calls() == calls[id], "upstream ", raw(id));
        CHECK(index_.contains(id) != upstream->leaves, "upstream ", raw(id));
    }
    CHECK(calls.size() <= upstreams_.size());
}

}  // namespace brigada
