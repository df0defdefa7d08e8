// What a shell asks of the engine and what it gets back: a prompt of tokens with its sampling, and
// a stream of events per choice. Values only; they cross from the server's loop to the engine's
// thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "base/time.h"
#include "grammar/grammar.h"

namespace brigada {

/// Temperatures below this are 0: the most likely token would win anyway, and its inverse must stay
/// a number.
inline constexpr float kGreedyBelow = 1e-5f;

/// How the next token is chosen from the logits. Defaults are the OpenAI API's.
struct Sampling {
    float temperature = 1.0f;         // 0: the most likely token, ties to the lowest id
    uint32_t top_k = 0;               // keep the k most likely; 0: all
    float top_p = 1.0f;               // keep the smallest set with this probability
    float min_p = 0.0f;               // drop what is less likely than min_p * the most likely
    float repetition_penalty = 1.0f;  // divides or multiplies the logits of tokens seen so far
    float presence_penalty = 0.0f;    // subtracted once from the logits of generated tokens
    float frequency_penalty = 0.0f;   // subtracted per occurrence among generated tokens
    std::optional<uint64_t> seed{};   // the same seed, prompt and settings give the same text
    std::vector<std::pair<TokenId, float>> logit_bias{};

    bool greedy() const { return temperature < kGreedyBelow; }
};

/// When a choice ends.
struct StopRules {
    std::vector<std::string> strings{};  // the first to be completed ends the choice
    std::vector<TokenId> tokens{};       // in addition to the model's end-of-generation tokens
    bool include_in_output = false;      // whether a stop string stays in the text
    bool ignore_eos = false;             // go on after an end-of-generation token
    uint32_t min_tokens = 0;             // no end by token or string before so many
    uint32_t max_tokens = 0;             // at most so many; 0: what the context leaves
};

struct LogprobRequest {
    bool wanted = false;
    uint32_t top = 0;  // alternatives per position, at most kMaxTopLogprobs
};
inline constexpr uint32_t kMaxTopLogprobs = 20;

enum class FinishReason { stop, length };

struct TokenLogprob {
    TokenId token{};
    float logprob = 0;  // natural logarithm of the probability under the unmodified logits
};

/// One more token of a choice. `text` holds the characters it completed: empty while a character or
/// a possible stop string is still open, more than one token's worth when it resolves.
struct TokenEvent {
    uint32_t choice = 0;
    TokenId token{};
    std::string text;
    TokenLogprob logprob;
    std::vector<TokenLogprob> top;  // most likely first
    bool ends_answer = false;       // an end-of-generation token: no part of the answer
};

/// A choice ended. `text` is what was held back and is now known to belong to the answer.
struct ChoiceFinished {
    uint32_t choice = 0;
    FinishReason reason = FinishReason::stop;
    std::string text;
    std::optional<std::string> stop_string;  // the stop string that ended it
};

struct EngineUsage {
    uint32_t prompt_tokens = 0;
    uint32_t cached_tokens = 0;      // of the prompt, KV found in the prefix tree
    uint32_t reread_tokens = 0;      // of the prompt, KV that had been cached and was evicted
    uint32_t completion_tokens = 0;  // all choices
    Duration queued, prefill, decode;
};

struct RequestFinished {
    EngineUsage usage;
};

struct RequestFailed {
    Error error;
};

using EngineEvent = std::variant<TokenEvent, ChoiceFinished, RequestFinished, RequestFailed>;

/// Called on the engine's thread; must hand the event on and return at once. The last event of a
/// request is RequestFinished or RequestFailed.
using EventSink = std::move_only_function<void(EngineEvent)>;

/// Names a request for cancelling; from the engine's counter.
enum class RequestId : uint64_t {};

struct EngineRequest {
    Tokens prompt;
    Sampling sampling;
    StopRules stop;
    LogprobRequest logprobs;
    Tokens shown_controls;  // control tokens that are part of the text; others are left out
    /// What the text of each choice must be one of; null: anything. See Choice for how it goes with
    /// StopRules.
    std::shared_ptr<const Grammar> grammar;
    uint32_t choices = 1;
    int32_t priority = 0;    // lower is sooner
    std::string tenant;      // fairness is between tenants
    std::string cache_salt;  // prompts share KV only within one salt
    std::string session;     // a newer turn supersedes the older state of its session
    std::optional<Duration> queue_deadline;
    Instant received;
    EventSink sink;
};

}  // namespace brigada
