// Choice: one answer growing token by token: draws, decodes to whole characters, watches for the
// end. Pure: logits go in, a step comes out. Each choice of a request has its own, so n answers
// never mix.
//
// With a grammar, tokens that end the answer (the model's and the request's) may be drawn exactly
// when its text may end, and the answer ends by itself when nothing can follow. The grammar comes
// before min_tokens and ignore_eos: a text that is complete ends. Stop strings and max_tokens end
// an answer wherever it is.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/request.h"
#include "engine/sampler.h"
#include "engine/stop_matcher.h"
#include "grammar/grammar_masks.h"
#include "kernels/elementwise.h"
#include "tokens/stream_decoder.h"
#include "tokens/tokenizer.h"

namespace brigada {

/// What answers are made with, borrowed from whoever owns the model; must outlive them.
struct AnswerContext {
    const Tokenizer& tokenizer;
    std::span<const TokenId> end_tokens;  // the model's, of generation
    const ElementwiseKernels& kernels;
};

class Choice {
  public:
    /// `masks` of the request's grammar; null without one.
    Choice(const AnswerContext& context, uint32_t index, const EngineRequest& request,
           uint64_t seed, std::shared_ptr<GrammarMasks> masks);

    struct Step {
        TokenEvent event;
        bool stopped = false;  // by an end token, a stop string or the grammar; finish() follows
    };

    /// Draws the next token from `logits` [vocab], which it overwrites.
    Step next(std::span<float> logits);

    /// The closing event; `reason` is length unless a stop was found.
    ChoiceFinished finish();

    /// Whether it stopped because the vocabulary cannot spell what the grammar wants next.
    bool at_dead_end() const { return at_dead_end_; }

  private:
    SampledToken draw(std::span<float> logits);
    void follow(TokenId token);
    bool is_end(TokenId token) const;

    uint32_t index_;
    StopRules rules_;
    const Tokenizer& tokenizer_;
    std::vector<TokenId> ends_;  // end of generation and the request's stop tokens
    std::shared_ptr<GrammarMasks> masks_;
    Position position_ = kDead;  // in the grammar
    Sampler sampler_;
    StreamDecoder decoder_;
    StopMatcher matcher_;
    uint32_t tokens_ = 0;
    bool stopped_ = false;
    bool at_dead_end_ = false;
    std::optional<std::string> stop_string_;
};

}  // namespace brigada
