// The part of a ClientCall that looks for an upstream: which one, how long it may take, what its
// failure means and where to turn then.
#include <algorithm>
#include <utility>

#include "base/concat.h"
#include "base/fnv.h"
#include "base/joined.h"
#include "gateway/client_call.h"
#include "gateway/upstream_call.h"

namespace brigada {

namespace {

constexpr Duration kFirstPause = Duration::milliseconds(100);  // doubles up to 1.6 seconds

Fault fault_of(FailureKind kind) {
    if (kind == FailureKind::authentication) return Fault::authentication;
    return kind == FailureKind::timeout ? Fault::timeout : Fault::internal;
}

}  // namespace

Task<void> ClientCall::serve() {
    const std::string model = meant();
    if (co_await try_model(model) != Try::failed) co_return;
    for (const std::string& other : fallbacks(model)) {
        if (counts_prompt()) co_await count_prompt(other);
        if (co_await try_model(other) != Try::failed) co_return;
    }
}

Task<ClientCall::Try> ClientCall::try_model(const std::string& model) {
    bool is_unfit = false;  // for the last upstream that was asked
    for (int64_t tries = 1;; ++tries) {
        NoUpstream why;
        auto route = choose(model, tried_, why);
        if (!route && is_unfit && !why.free_from) co_return Try::gone;  // refusal_ has the reason
        if (!route && tries > 1) route = choose(model, {}, why);
        if (!route) {
            if (tried_.empty() || is_unfit || !refusal_) no_upstream(model, why);
            co_return Try::failed;
        }
        const Try outcome = co_await try_upstream(*route);
        is_unfit = outcome == Try::unfit;
        if (outcome == Try::again) tried_.pop_back();
        if (outcome == Try::again || is_unfit) {
            --tries;
            continue;
        }
        if (outcome != Try::failed ||
            tries > retries_for(setup_->config.router, model, served_by_->max_retries, failure_))
            co_return outcome;
        if (!co_await wait_to_retry(model, tries)) co_return Try::gone;
    }
}

std::optional<Route> ClientCall::choose(const std::string& model,
                                        const std::vector<UpstreamId>& tried, NoUpstream& why) {
    const Instant at = now();
    auto eligible = setup_->upstreams.eligible(wanted(model), tried, at, why);
    if (is_strict()) eligible = in_its_own_dialect(std::move(eligible));
    model_served_ = model;
    call_id_ = gateway_.new_call_id();
    return gateway_.router().choose(route_call(), eligible, at);
}

/// Those that need no translation, if there are any: they can say all that the client says.
std::vector<UpstreamId> ClientCall::in_its_own_dialect(std::vector<UpstreamId> eligible) const {
    std::vector<UpstreamId> out;
    for (const UpstreamId id : eligible)
        if (dialect_at(*setup_->upstreams[id].deployment, dialect_) == dialect_) out.push_back(id);
    return out.empty() ? eligible : out;
}

/// Another upstream is asked at once, the same one after a while. False when the client has left.
Task<bool> ClientCall::wait_to_retry(const std::string& model, int64_t tries) {
    NoUpstream ignored;
    const bool is_elsewhere =
        !setup_->upstreams.eligible(wanted(model), tried_, now(), ignored).empty();
    Duration pause = setup_->config.router.retry_after;
    if (!is_elsewhere)
        pause = std::max(pause, kFirstPause * (int64_t{1} << std::min<int64_t>(tries - 1, 4)));
    if (pause > Duration()) {
        Signal wake(gateway_.loop().executor());
        const auto gone = responder_.on_gone([&] { wake.notify(); });
        co_await wake.wait(pause);
    }
    if (responder_.client_gone()) http_status_ = kClientClosedRequest;
    co_return !responder_.client_gone();
}

Wanted ClientCall::wanted(std::string_view model) const {
    return {.model = model,
            .dialect = dialect_,
            .tags = body_.tags,
            .prompt_tokens = prompt_tokens_,
            .tokens = prompt_tokens_ + answer_tokens_,
            .witness = witness_of_failures()};
}

void ClientCall::no_upstream(const std::string& model, const NoUpstream& why) {
    const auto refuse = [&](int status, std::string_view type, std::string message) {
        refusal_ = Refusal{.status = status,
                           .type = std::string(type),
                           .message = std::move(message),
                           .may_retry = false};
    };
    failure_ = FailureKind::internal;
    if (!why.model_exists)
        return refuse(404, "not_found_error",
                      concat("no model '", body_.model, "'; GET /v1/models lists those there are"));
    if (!why.dialect_fits)
        return refuse(
            400, "invalid_request_error",
            concat("model '", model, "' can't be asked in this dialect (", to_string(dialect_),
                   "): its upstreams speak another, or have no address"));
    if (!why.tags_fit)
        return refuse(400, "invalid_request_error",
                      concat("no upstream of model '", model, "' has the tags of this call (",
                             body_.tags.empty() ? "none" : joined(body_.tags), ")"));
    if (!why.prompt_fits) {
        failure_ = FailureKind::too_long;
        return refuse(400, "invalid_request_error",
                      concat("the prompt has ", is_prompt_counted_ ? "" : "about ", prompt_tokens_,
                             " tokens, more than the context window of every upstream of model '",
                             model, "' (context_length_exceeded)"));
    }
    failure_ = FailureKind::rate_limit;
    refusal_ =
        Refusal{.status = 503,
                .type = "service_unavailable",
                .message = concat("every upstream of model '", model, "' is busy or cooling down")};
    const bool is_known = why.free_from && *why.free_from != Instant::never();
    refusal_->retry_after = is_known ? *why.free_from - now() : Duration::seconds(1);
}

brigada::Call ClientCall::route_call() const {
    return {.id = call_id_,
            .session = session_,
            .group = group_,
            .agent = identity_.agent,
            .model = gateway_.model_id(model_served_),
            .keys = prompt_.keys,
            .block_tokens = kPieceTokens,
            .prompt_tokens = prompt_tokens_};
}

Task<ClientCall::Try> ClientCall::try_upstream(const Route& route) {
    begin_attempt(route);
    const Upstream& upstream = setup_->upstreams[route.upstream];
    const Deployment& deployment = *upstream.deployment;
    keep_alive(deployment);
    const std::string model = *upstream_model_for(deployment, model_served_);
    std::vector<Splice> edits;
    if (!translates())
        edits = edits_for(deployment, model);
    else if (!translate(deployment, model))
        co_return unfit();
    if (!note_in_ledger()) co_return never_asked();
    HttpExchange exchange(gateway_.client());
    exchange_ = &exchange;
    auto head = co_await ask(exchange, upstream, edits);
    Try outcome = Try::failed;
    if (responder_.client_gone()) {
        outcome = client_left(0);
    } else if (!head.ok()) {
        outcome = judge(head.error(), upstream);
    } else {
        outcome = co_await relay(exchange, *head);
    }
    exchange_ = nullptr;
    co_return outcome;
}

/// Sends the call. What is sent is forgotten when the answer begins.
Task<Result<HttpResponseHead>> ClientCall::ask(HttpExchange& exchange, const Upstream& upstream,
                                               const std::vector<Splice>& edits) {
    const Deployment& deployment = *upstream.deployment;
    HttpCall call = upstream_call(deployment, upstream.tls, spoken_, request_.headers,
                                  setup_->config.general.forwards_client_headers);
    call.body = translates() ? std::vector<std::string_view>{translated_body_}
                             : spliced(request_.body, edits);
    witness_.mark(call.headers);
    call.timeouts = {.connect = setup_->config.brigada.connect_timeout,
                     .first_byte = first_byte_timeout(deployment),
                     .between_bytes = setup_->config.brigada.idle_timeout,
                     .total = deployment.timeout.value_or(setup_->config.router.timeout)};
    co_return co_await exchange.start(call);
}

/// What changes of the client's own body.
std::vector<Splice> ClientCall::edits_for(const Deployment& deployment,
                                          std::string_view model) const {
    std::vector<Splice> out = upstream_edits(body_, model);
    if (without_thoughts_) out.insert(out.end(), thoughts_cut_.begin(), thoughts_cut_.end());
    if (salts_kv(deployment, spoken_)) out.push_back(salted(request_.body, body_, salt()));
    put_in_order(out);
    return out;
}

std::string ClientCall::salt() const {
    return cache_salt(caller_->tenant, body_.cache_salt);
}

void ClientCall::keep_alive(const Deployment& deployment) {
    const auto interval =
        deployment.keepalive ? deployment.keepalive : setup_->config.brigada.keepalive;
    if (body_.stream && interval)
        stream_.watch_silence(*interval, [this] { return answer_headers({}); });
}

/// No answer, or one that broke before the client saw any of it: the upstream's fault, unless a
/// guaranteed call took this batch call's slot.
ClientCall::Try ClientCall::judge(const Error& error, const Upstream& upstream) {
    if (reclaimed_) {
        refusal_ = Refusal{.status = 503,
                           .type = "service_unavailable",
                           .message = "this batch call gave way to a guaranteed one; try again",
                           .retry_after = Duration::seconds(1)};
        return abandon(0);
    }
    const bool late = error.code == Code::deadline;
    count_failure(upstream, late ? FailureKind::timeout : FailureKind::internal);
    refusal_ =
        Refusal{.status = late ? 504 : 502,
                .type = late ? "timeout_error" : "upstream_error",
                .message = concat("upstream ", upstream.deployment->id, ": ", error.message)};
    end_attempt(late ? CallStatus::timeout : CallStatus::upstream_error, 0, Ending::failed);
    return Try::failed;
}

/// What was never sent can't have caused it; what was may have, and then it is no other tenant's
/// business.
void ClientCall::count_failure(const Upstream& upstream, FailureKind kind) {
    const bool was_sent = exchange_ && exchange_->sent_at() != Instant::never();
    failure_ = kind;
    upstream.breaker().failed(now(), fault_of(kind), was_sent ? witness_of_failures() : kEverybody);
    ++upstream.state->failures;
}

Witness ClientCall::witness_of_failures() const {
    return Witness{fnv1a64(caller_->tenant)};
}

/// Why stands in refusal_. It never was an attempt.
ClientCall::Try ClientCall::never_asked() {
    const Try outcome = abandon(0);
    attempts_.pop_back();
    return outcome;
}

ClientCall::Try ClientCall::unfit() {
    never_asked();
    return Try::unfit;
}

/// Nobody waits for this upstream's answer any more, which says nothing about it.
ClientCall::Try ClientCall::abandon(int upstream_status) {
    setup_->upstreams[tried_.back()].breaker().abandoned();
    end_attempt(CallStatus::aborted, upstream_status, Ending::cancelled);
    return Try::gone;
}

ClientCall::Try ClientCall::client_left(int upstream_status) {
    http_status_ = kClientClosedRequest;
    return abandon(upstream_status);
}

void ClientCall::begin_attempt(const Route& route) {
    const Upstream& upstream = setup_->upstreams[route.upstream];
    const Instant at = now();
    counted_ = upstream.state->begin(prompt_tokens_ + answer_tokens_, at, witness_of_failures());
    price_ = upstream.price_at(at);
    tried_.push_back(route.upstream);
    served_by_ = upstream.deployment;
    attempts_.push_back({.upstream = upstream.deployment->id, .started = WallClock().now()});
    spoken_ = dialect_at(*upstream.deployment, dialect_).value();
    meter_ = UsageMeter(spoken_);
    witness_.attempt_began(*upstream.deployment, model_served_);
}

/// From here on the call is in the ledger, whatever becomes of this process.
bool ClientCall::note_in_ledger() {
    const auto before = open_;
    usage_ = {.input = prompt_tokens_};
    cost_ = cost(price_, usage_);
    usage_counted_here_ = true;
    auto place = gateway_.ledger().begin(record());
    if (!place.ok()) {
        refusal_ = Refusal{.status = 503,
                           .type = "service_unavailable",
                           .message = concat("no call may be made: ", place.error().message),
                           .retry_after = Duration::seconds(5)};
        return false;
    }
    open_ = *place;
    if (before) gateway_.ledger().forget(*before);
    return true;
}

void ClientCall::note_progress() {
    const Usage so_far{.input = prompt_tokens_, .output = meter_.output_events()};
    gateway_.ledger().progress(
        *open_, {.at = WallClock().now(), .output = so_far.output, .cost = cost(price_, so_far)});
}

void ClientCall::end_attempt(CallStatus status, int http_status, Ending ending) {
    const Instant at = now();
    CallAttempt& attempt = attempts_.back();
    attempt.status = status_ = status;
    attempt.http_status = http_status;
    attempt.ended = WallClock().now();
    gateway_.metrics().attempt(attempt.upstream, to_string(status));
    witness_.attempt_ended(status, http_status);
    gateway_.seen().look_at(setup_->upstreams[tried_.back()]);
    setup_->upstreams[tried_.back()].state->settle(counted_, used_tokens(status),
                                                   whole_usage(status), at);
    const CallReport report = gateway_.router().ended(call_id_, ending, reported_prompt(), at);
    if (report.reported_tokens && ending == Ending::answered)
        gateway_.metrics().cache_prediction(report.predicted_tokens, *report.reported_tokens);
}

/// Of an attempt that ended so, where the upstream has reported it.
std::optional<Usage> ClientCall::whole_usage(CallStatus status) const {
    return status == CallStatus::ok ? meter_.reported() : std::nullopt;
}

/// Of an attempt that ended so.
int64_t ClientCall::used_tokens(CallStatus status) const {
    if (meter_.reported()) return meter_.reported()->total();
    const bool was_answered = status != CallStatus::upstream_error;
    return was_answered ? prompt_tokens_ + meter_.output_events() : 0;
}

/// Nothing where the upstream does not say what was cached.
std::optional<ReportedPrompt> ClientCall::reported_prompt() const {
    if (!meter_.reported() || !meter_.said_cached()) return std::nullopt;
    const Usage& usage = *meter_.reported();
    return ReportedPrompt{.tokens = usage.prompt(), .cached_tokens = usage.cached_input};
}

Duration ClientCall::first_byte_timeout(const Deployment& deployment) const {
    const auto& router = setup_->config.router;
    if (body_.stream && deployment.stream_timeout) return *deployment.stream_timeout;
    if (body_.stream && router.stream_timeout) return *router.stream_timeout;
    return deployment.timeout.value_or(router.timeout);
}

/// A fallback is a model that the caller may use.
std::vector<std::string> ClientCall::fallbacks(const std::string& model) const {
    std::vector<std::string> out = fallbacks_for(setup_->config.router.fallbacks, model, failure_);
    std::erase_if(out, [&](const std::string& name) { return caller_->denies(name).has_value(); });
    return out;
}

}  // namespace brigada
