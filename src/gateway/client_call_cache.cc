// The part of a ClientCall that has to do with the answer cache: a call that was answered before is
// answered again without an upstream, and a whole good answer is kept.
#include <utility>

#include "base/concat.h"
#include "gateway/answer_key.h"
#include "gateway/client_call.h"

namespace brigada {

namespace {

/// A larger body is not looked up: hashing it would hold up the loop for more than 5 ms.
constexpr size_t kMostKeyBytes = 2 << 20;

/// What the metadata of a holder says under "cache". A fault in it counts as nothing said: it was
/// the administrator's, and not this call's.
template <typename T>
CacheControls controls_of(const Directory& directory, const std::string& id) {
    const T* holder = id.empty() ? nullptr : directory.find<T>(id);
    if (holder == nullptr || !holder->metadata.contains("cache")) return {};
    auto controls = read_cache_controls(holder->metadata["cache"], "metadata.cache");
    return controls.ok() ? std::move(controls).value() : CacheControls{};
}

}  // namespace

std::optional<CachePlan> ClientCall::plan_cache() const {
    const Directory& directory = gateway_.directory();
    const CacheControls holders = merged(controls_of<Key>(directory, caller_->key),
                                         controls_of<Team>(directory, caller_->team));
    return cache_plan(setup_->config.cache, dialect_, merged(body_.cache, holders));
}

/// Before any upstream: the same call's answer, if it is kept. It counts as a request and costs
/// nothing.
Task<void> ClientCall::answer_from_cache() {
    if (!setup_->config.cache.enabled || request_.body.size() > kMostKeyBytes) co_return;
    auto plan = plan_cache();
    if (!plan) co_return;
    const std::string model = meant();
    const auto key = answer_key({.tenant = caller_->tenant,
                                 .name_space = plan->name_space,
                                 .dialect = dialect_,
                                 .model = model,
                                 .end_user = body_.end_user,
                                 .body = request_.body,
                                 .headers = &request_.headers});
    if (!key.ok()) co_return;
    cache_ = std::make_unique<CallCache>(*std::move(plan), *key, gateway_.answers().largest());
    if (!cache_->plan().reads) co_return;
    const AnswerRef answer =
        gateway_.answers().find(caller_->tenant, *key, cache_->plan().max_age, now());
    gateway_.metrics().cache_asked(answer != nullptr);
    if (answer) co_await replay(answer);
}

Task<void> ClientCall::replay(AnswerRef answer) {
    cache_->set_hit();
    status_ = CallStatus::ok;
    http_status_ = 200;
    model_served_ = answer->model;
    for (const Upstream& upstream : setup_->upstreams.all())
        if (upstream.deployment->id == answer->upstream) served_by_ = upstream.deployment;
    hold_.settle(0, Money{}, WallClock().now());
    HttpResponseHead head;
    head.headers.add("Content-Type", answer->content_type);
    HttpHeaders headers = answer_headers(head);
    first_byte_ = WallClock().now();
    gateway_.metrics().first_byte(now() - received_);
    if (!answer->stream) {
        headers.add("x-litellm-response-cost", decimal_dollars(Money{}));
        co_await responder_.send(200, headers, answer->body);
    } else {
        stream_.set_head(200, std::move(headers));
        co_await stream_.finish(answer->body);
    }
}

void ClientCall::add_cache_headers(HttpHeaders& headers) const {
    if (!cache_) return;
    headers.add("x-litellm-cache-key", cache_->key().hex());
    headers.add("x-brigada-cache", cache_->hit() ? "hit" : "miss");
}

/// The answer is whole, and what comes last is `rest`.
void ClientCall::keep_answer(const HttpResponseHead& head, std::string_view rest, bool stream) {
    if (!cache_ || head.status != 200 || meter_.failed()) return;
    cache_->record(rest);
    if (!cache_->has_answer()) return;
    auto answer = std::make_shared<CachedAnswer>(CachedAnswer{
        .content_type = std::string(head.headers.get("content-type").value_or("application/json")),
        .body = cache_->take(),
        .stream = stream,
        .model = model_served_,
        .upstream = served_by_->id});
    gateway_.answers().put(caller_->tenant, cache_->key(), std::move(answer), cache_->plan().ttl,
                           now());
}

}  // namespace brigada
