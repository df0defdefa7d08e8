// ActiveRequest: one request from its arrival in the engine to its last event. It owns the choices,
// turns logits into tokens and tokens into events, and keeps the times that usage reports.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "engine/choice.h"
#include "engine/request.h"
#include "sched/plan.h"
#include "sched/sequence.h"
#include "tokens/tokenizer.h"

namespace brigada {

class ActiveRequest {
  public:
    /// Choice i is sequence `first` + i. `seed` is used where the request names none.
    /// `masks` of the request's grammar; null without one.
    ActiveRequest(const AnswerContext& context, EngineRequest request, SequenceId first,
                  uint64_t seed, const std::shared_ptr<GrammarMasks>& masks);

    /// What the scheduler needs to know, once: the prompt goes with it. `longest_output` is what
    /// the context leaves.
    SequenceSpec take_spec(uint32_t longest_output);

    uint32_t choices() const { return static_cast<uint32_t>(choices_.size()); }
    SequenceId sequence(uint32_t choice) const { return SequenceId{raw(first_) + choice}; }
    uint32_t choice_of(SequenceId sequence) const {
        return static_cast<uint32_t>(raw(sequence) - raw(first_));
    }
    bool done() const { return unfinished_ == 0; }

    /// The first chunk of its prompt is planned.
    void begin(const Sequence& sequence, Instant now);

    /// Draws the next token of a choice from `logits` [vocab], sends it, and says what the
    /// scheduler must know.
    Sampled sample(uint32_t choice, std::span<float> logits, Instant now);

    /// A choice ended; after the last one the request's own last event is sent.
    void finish(uint32_t choice, Instant now);

    bool at_dead_end(uint32_t choice) const { return choices_[choice].at_dead_end(); }

    void fail(Error error);

    const EngineUsage& usage() const { return usage_; }
    Instant received() const { return request_.received; }
    std::optional<Instant> first_token_at() const { return first_token_; }
    std::optional<Instant> last_token_at(uint32_t choice) const { return last_tokens_[choice]; }

  private:
    EngineRequest request_;
    SequenceId first_;
    std::vector<Choice> choices_;
    std::vector<std::optional<Instant>> last_tokens_;  // of each choice
    uint32_t unfinished_;
    EngineUsage usage_;
    std::optional<Instant> begun_, first_token_;
};

}  // namespace brigada
