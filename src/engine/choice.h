// Choice: one answer growing token by token: draws, decodes to whole characters, watches for the
// end. Pure: logits go in, a step comes out. Each choice of a request has its own, so n answers
// never mix.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/request.h"
#include "engine/sampler.h"
#include "engine/stop_matcher.h"
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
    Choice(const AnswerContext& context, uint32_t index, const EngineRequest& request,
           uint64_t seed);

    struct Step {
        TokenEvent event;
        bool stopped = false;  // by an end token or a stop string; finish() follows
    };

    /// Draws the next token from `logits` [vocab], which it overwrites.
    Step next(std::span<float> logits);

    /// The closing event; `reason` is length unless a stop was found.
    ChoiceFinished finish();

  private:
    bool is_end(TokenId token) const;
    std::span<const TokenId> banned() const;

    uint32_t index_;
    StopRules rules_;
    std::vector<TokenId> ends_;  // end of generation and the request's stop tokens
    Sampler sampler_;
    StreamDecoder decoder_;
    StopMatcher matcher_;
    uint32_t tokens_ = 0;
    bool stopped_ = false;
    std::optional<std::string> stop_string_;
};

}  // namespace brigada
