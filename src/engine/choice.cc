#include "engine/choice.h"

#include <algorithm>
#include <utility>

namespace brigada {

namespace {

std::vector<TokenId> end_tokens(const StopRules& rules, std::span<const TokenId> ends) {
    std::vector<TokenId> out = rules.tokens;
    if (!rules.ignore_eos) out.insert(out.end(), ends.begin(), ends.end());
    return out;
}

}  // namespace

Choice::Choice(const AnswerContext& context, uint32_t index, const EngineRequest& request,
               uint64_t seed, std::shared_ptr<GrammarMasks> masks)
    : index_(index),
      rules_(request.stop),
      tokenizer_(context.tokenizer),
      ends_(end_tokens(request.stop, context.end_tokens)),
      masks_(std::move(masks)),
      sampler_(context.kernels, request.sampling, request.logprobs, request.prompt, seed),
      decoder_(context.tokenizer, true, request.shown_controls),
      matcher_(request.stop.strings, request.stop.include_in_output) {
    if (masks_) position_ = masks_->start(tokenizer_.strips_first_space());
}

Choice::Step Choice::next(std::span<float> logits) {
    SampledToken drawn = draw(logits);
    ++tokens_;
    Step step{.event = {.choice = index_,
                        .token = drawn.token,
                        .text = {},
                        .logprob = drawn.logprob,
                        .top = std::move(drawn.top)}};
    if (is_end(drawn.token)) {
        step.event.ends_answer = step.stopped = stopped_ = true;
        return step;
    }
    if (masks_) follow(drawn.token);
    step.stopped = stopped_;
    std::string text = decoder_.append(drawn.token);
    if (tokens_ < rules_.min_tokens) {  // a stop string does not count yet
        step.event.text = std::move(text);
        return step;
    }
    StopMatcher::Step matched = matcher_.append(text);
    step.event.text = std::move(matched.text);
    stop_string_ = std::move(matched.stop);
    step.stopped = stopped_ = stopped_ || stop_string_.has_value();
    return step;
}

ChoiceFinished Choice::finish() {
    ChoiceFinished out{.choice = index_,
                       .reason = stopped_ ? FinishReason::stop : FinishReason::length,
                       .text = {},
                       .stop_string = stop_string_};
    if (stop_string_) return out;
    StopMatcher::Step rest = matcher_.append(decoder_.flush());
    out.text = std::move(rest.text) + matcher_.flush();
    return out;
}

bool Choice::is_end(TokenId token) const {
    return std::find(ends_.begin(), ends_.end(), token) != ends_.end();
}

/// Before min_tokens no end token may be drawn: the answer has to go on with something.
SampledToken Choice::draw(std::span<float> logits) {
    bool may_end = tokens_ >= rules_.min_tokens;
    Sampler::Bounds bounds;
    if (masks_) {
        bounds.only = &masks_->allowed(position_);
        may_end = masks_->may_end(position_) && (may_end || !bounds.only->first());
        if (may_end) bounds.also = ends_;
    }
    if (!may_end) bounds.banned = ends_;
    return sampler_.draw(logits, bounds);
}

void Choice::follow(TokenId token) {
    position_ = masks_->step(position_, tokenizer_.bytes(token));
    if (masks_->allowed(position_).first()) return;
    stopped_ = true;
    at_dead_end_ = !masks_->may_end(position_);
}

}  // namespace brigada
