#include "gateway/client_call.h"

#include <algorithm>
#include <utility>

#include "base/concat.h"
#include "base/fnv.h"
#include "net/http_grammar.h"

namespace brigada {

namespace {

constexpr int64_t kDefaultOutputTokens = 1'024;  // reserved for a call that names no maximum
constexpr int64_t kMostReservedOutput = 8'192;   // agents ask for 64,000 and write 216

/// What counts in token limits. Cached tokens weigh less; the division rounds up, so that many
/// small calls do not come free.
int64_t weighted(const Usage& usage, const GatewayConfig& config) {
    using Counted = GeneralSettings::CountedTokens;
    const int64_t cached =
        (usage.cached_input * config.brigada.cached_token_permille + 999) / 1'000;
    const int64_t input = usage.input + usage.cache_write + cached;
    switch (config.general.counted_tokens) {
        case Counted::input:
            return input;
        case Counted::output:
            return usage.output;
        case Counted::total:
            break;
    }
    return input + usage.output;
}

std::optional<Refusal> denied(const std::optional<Denial>& denial) {
    if (!denial) return std::nullopt;
    return Refusal{.status = denial->status,
                   .type = denial->type,
                   .message = denial->message,
                   .may_retry = false};
}

}  // namespace

std::string_view key_of(const HttpHeaders& headers, const std::string& key_header) {
    constexpr std::string_view kBearer = "Bearer ";
    if (const auto value = headers.get("authorization");
        value && value->size() > kBearer.size() &&
        equal_without_case(value->substr(0, kBearer.size()), kBearer))
        return value->substr(kBearer.size());
    if (const auto value = headers.get("x-api-key")) return *value;
    if (!key_header.empty())
        if (const auto value = headers.get(key_header)) return *value;
    return {};
}

ClientCall::ClientCall(Gateway& gateway, Dialect dialect, HttpRequest& request,
                       Responder& responder)
    : gateway_(gateway),
      setup_(gateway.setup()),
      dialect_(dialect),
      request_(request),
      responder_(responder),
      stream_(gateway.loop(), responder),
      received_(gateway.loop().now()),
      started_(WallClock().now()),
      record_id_(gateway.new_record_id()),
      body_bytes_(static_cast<int64_t>(request.body.size())),
      witness_(gateway.seen(), request.headers),
      spoken_(dialect),
      meter_(dialect) {}

Task<void> ClientCall::run() {
    gateway_.metrics().call_began();
    refusal_ = identify();
    if (!refusal_) refusal_ = read();
    if (!refusal_) refusal_ = may_call();
    if (!refusal_ && counts_prompt()) co_await count_prompt(meant());
    if (!refusal_) co_await admit();
    if (!refusal_) co_await answer_from_cache();
    if (!refusal_ && !from_cache()) co_await wait_for_slot();
    if (!refusal_ && !from_cache()) {
        const auto gone = responder_.on_gone([this] {
            if (exchange_) exchange_->abort();
        });
        co_await serve();
    } else if (refusal_) {
        note_refusal();
    }
    if (!attempts_.empty()) co_await settle();
    if (refusal_) co_await send_refusal();
    if (stream_.watches()) co_await stream_.stop();
    gateway_.metrics().call_ended(served_by_ ? served_by_->model_name : "none", http_status_,
                                  now() - received_);
    witness_.tell(facts());
}

void ClientCall::note_refusal() {
    gateway_.metrics().refused(refusal_->type);
    if (is_of_policy(refusal_->status))
        gateway_.refusals().add(caller_ ? caller_->key : "", refusal_->type, refusal_->status,
                                body_.model, refusal_->message, WallClock().now());
}

// --- the door ---------------------------------------------------------------------------------

std::optional<Refusal> ClientCall::identify() {
    if (gateway_.draining())
        return Refusal{.status = 503,
                       .type = "service_unavailable",
                       .message = "this gateway is shutting down; try again",
                       .retry_after = Duration::seconds(1)};
    const auto caller = gateway_.directory().identify(
        key_of(request_.headers, setup_->config.general.key_header), started_);
    if (!caller) return denied(caller.error());
    caller_ = *caller;
    return std::nullopt;
}

std::optional<Refusal> ClientCall::read() {
    if (const auto body = read_body(); !body.ok()) return refusal_of(body.error());
    for (const std::string& tag : caller_->tags)
        if (std::ranges::find(body_.tags, tag) == body_.tags.end()) body_.tags.push_back(tag);
    identity_ = session_identity(request_.headers, body_);
    session_ = session_id(caller_->tenant, identity_.key());
    if (!identity_.agent.empty()) group_ = session_id(caller_->tenant, identity_.session);
    if (is_anthropic(dialect_) && !session_of_user_id(body_.end_user).empty())
        body_.end_user.clear();  // it named the session, not a person
    if (const std::string& header = setup_->config.general.end_user_header; !header.empty())
        if (const auto value = request_.headers.get(header)) body_.end_user = *value;
    if (setup_->config.general.requires_end_user && body_.end_user.empty())
        return refusal_of({Code::invalid_argument, "user: must name the end user; it is missing"});
    if (dialect_ == Dialect::count_tokens) {  // costs nothing, and is no turn of its session
        session_ = {};
        return std::nullopt;
    }
    prompt_tokens_ = gateway_.token_estimate().tokens(body_.model, prompt_.bytes);
    answer_tokens_ = std::min(body_.max_output.value_or(kDefaultOutputTokens), kMostReservedOutput);
    return std::nullopt;
}

Result<void> ClientCall::read_body() {
    TRY(read_text());
    if (!body_.previous_response.empty()) TRY(continue_response());
    if (dialect_ == Dialect::responses && body_.is_stored)
        response_input_ = input_items(body_.prompt[kInputField]);
    return {};
}

/// A call that only counts leaves no prompt anywhere.
Result<void> ClientCall::read_text() {
    if (dialect_ == Dialect::count_tokens) {
        TRY(body_, read_call_body(request_.body, dialect_));
        return {};
    }
    TRY(ReadBody read, gateway_.bodies().read(request_.body, dialect_, caller_->tenant));
    body_ = std::move(read.body);
    prompt_ = std::move(read.prompt);
    message_keys_ = std::move(read.message_keys);
    return {};
}

std::optional<Refusal> ClientCall::may_call() const {
    if (auto no = denied(caller_->denies(body_.model))) return no;
    if (auto no = denied(gateway_.directory().denies_end_user(body_.end_user))) return no;
    if (gateway_.ledger().accepting()) return std::nullopt;
    return Refusal{.status = 503,
                   .type = "service_unavailable",
                   .message =
                       "the ledger can't be written, so no call may be made; the disk is full or "
                       "broken",
                   .retry_after = Duration::seconds(5)};
}

Task<void> ClientCall::admit() {
    const Usage expected{.input = prompt_tokens_, .output = answer_tokens_};
    auto hold = co_await gateway_.admission().reserve(
        *caller_, body_.model, body_.end_user,
        {.tokens = weighted(expected, setup_->config),
         .cost = setup_->upstreams.estimate(meant(), expected, now())},
        started_);
    if (hold)
        hold_ = std::move(*hold);
    else
        refusal_ = std::move(hold).error();
}

Task<void> ClientCall::wait_for_slot() {
    auto slot = co_await gateway_.waiting_room().enter(
        caller_->priority, ScopeId{fnv1a64(caller_->tenant)},
        static_cast<int64_t>(request_.body.size()), responder_);
    if (!slot) {
        refusal_ = std::move(slot).error();
        co_return;
    }
    slot_ = std::move(*slot);
    slot_.on_reclaim([this] {
        reclaimed_ = true;
        if (exchange_) exchange_->abort();
    });
}

/// The model that the caller's and our own aliases make of the one asked for.
std::string ClientCall::meant() const {
    return std::string(setup_->upstreams.resolve_alias(caller_->resolve(body_.model)));
}

// --- the end ----------------------------------------------------------------------------------

void ClientCall::count_usage() {
    usage_ = {};
    usage_counted_here_ = false;
    if (meter_.reported()) {
        usage_ = *meter_.reported();
        gateway_.token_estimate().learn(body_.model, prompt_.bytes, usage_.prompt());
        gateway_.metrics().prompt_prediction(is_prompt_counted_, prompt_tokens_, usage_.prompt());
        return;
    }
    if (status_ == CallStatus::upstream_error) return;  // nothing was answered
    usage_ = {.input = prompt_tokens_, .output = meter_.output_events()};
    usage_counted_here_ = true;
}

CallRecord ClientCall::record() const {
    return {.id = record_id_,
            .started = started_,
            .first_byte = first_byte_,
            .ended = WallClock().now(),
            .organisation = caller_->organisation,
            .team = caller_->team,
            .user = caller_->user,
            .key = caller_->key,
            .end_user = setup_->config.budgets.tracks_end_users ? body_.end_user : "",
            .session = identity_.key(),
            .model_asked = body_.model,
            .model_served = model_served_,
            .upstream = attempts_.back().upstream,
            .dialect = std::string(to_string(dialect_)),
            .status = status_,
            .http_status = http_status_,
            .usage = usage_,
            .usage_counted_here = usage_counted_here_,
            .cost = cost_,
            .rates = rates_for(price_, usage_.prompt()),
            .fee = price_.per_request,
            .attempts = attempts_,
            .tags = body_.tags};
}

/// The record is safe when this returns: the client may see the end.
Task<void> ClientCall::settle() {
    count_usage();
    cost_ = cost(price_, usage_);
    hold_.settle(weighted(usage_, setup_->config), cost_, WallClock().now());
    gateway_.metrics().spent(served_by_->model_name, caller_->team, usage_, cost_);
    if (refusal_) http_status_ = refusal_status(*refusal_, dialect_);

    const CallRecord entry = record();
    gateway_.budgets().add_to_totals(entry);
    attempts_.clear();  // settled: run() does it only once
    auto written = std::make_shared<Signal>(gateway_.loop().executor());
    gateway_.ledger().append(entry, open_.value(),
                             [written, &loop = gateway_.loop()](const Result<void>&) {
                                 if (loop.in_loop())
                                     written->notify();
                                 else
                                     (void)loop.post([written] { written->notify(); });
                             });
    co_await written->wait();
}

Task<void> ClientCall::send_refusal() {
    http_status_ = refusal_status(*refusal_, dialect_);
    if (responder_.client_gone()) co_return;
    if (!stream_.started()) {
        co_await stream_.stop();
        if (!stream_.started()) {
            co_await responder_.send(http_status_, refusal_headers(*refusal_, dialect_),
                                     refusal_body(*refusal_, dialect_));
            co_return;
        }
    }
    co_await stream_.finish(broken_end());
}

}  // namespace brigada
