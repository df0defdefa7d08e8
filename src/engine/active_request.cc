#include "engine/active_request.h"

#include <algorithm>
#include <utility>

#include "base/fnv.h"

namespace brigada {

ActiveRequest::ActiveRequest(const AnswerContext& context, EngineRequest request, SequenceId first,
                             uint64_t seed, const std::shared_ptr<GrammarMasks>& masks)
    : request_(std::move(request)),
      first_(first),
      last_tokens_(request_.choices),
      unfinished_(request_.choices) {
    usage_.prompt_tokens = static_cast<uint32_t>(request_.prompt.size());
    const uint64_t base_seed = request_.sampling.seed.value_or(seed);
    choices_.reserve(request_.choices);
    for (uint32_t i = 0; i < request_.choices; ++i)
        choices_.emplace_back(context, i, request_, base_seed + i, masks);
}

SequenceSpec ActiveRequest::take_spec(uint32_t longest_output) {
    SequenceSpec spec{.id = first_,
                      .forks = {},
                      .prompt = std::move(request_.prompt),
                      .max_new_tokens = request_.stop.max_tokens,
                      .priority = request_.priority,
                      .tenant = TenantId{static_cast<uint32_t>(fnv1a64(request_.tenant))},
                      .scope = {.salt = request_.cache_salt, .lora = {}, .session = {}},
                      .retention = {},
                      .arrival = request_.received};
    for (uint32_t i = 1; i < choices(); ++i)
        spec.forks.push_back(sequence(i));
    if (spec.max_new_tokens == 0) spec.max_new_tokens = std::max(longest_output, 1u);
    if (!request_.session.empty()) spec.scope.session = SessionId{fnv1a64(request_.session)};
    if (request_.queue_deadline) spec.deadline = request_.received + *request_.queue_deadline;
    return spec;
}

void ActiveRequest::begin(const Sequence& sequence, Instant now) {
    if (begun_) return;
    begun_ = now;
    usage_.queued = now - request_.received;
    usage_.cached_tokens = sequence.cached_tokens;
    usage_.reread_tokens = sequence.reread_tokens;
}

Sampled ActiveRequest::sample(uint32_t choice, std::span<float> logits, Instant now) {
    if (!first_token_) {
        first_token_ = now;
        usage_.prefill = now - *begun_;
    }
    last_tokens_[choice] = now;
    ++usage_.completion_tokens;
    Choice::Step step = choices_[choice].next(logits);
    const Sampled out{sequence(choice), step.event.token, step.stopped};
    request_.sink(std::move(step.event));
    return out;
}

void ActiveRequest::finish(uint32_t choice, Instant now) {
    request_.sink(choices_[choice].finish());
    if (--unfinished_ > 0) return;
    if (first_token_) usage_.decode = now - *first_token_;
    request_.sink(RequestFinished{usage_});
}

void ActiveRequest::fail(Error error) {
    unfinished_ = 0;
    request_.sink(RequestFailed{std::move(error)});
}

}  // namespace brigada
