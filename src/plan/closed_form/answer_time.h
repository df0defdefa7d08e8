// Answer time: how long calls take on one replica of a given load. Steps that carry a slice of a
// prompt are slower for all who decode; reading a prompt waits for those read before it.
#pragma once

#include <map>
#include <vector>

#include "cost/step_cost.h"
#include "plan/closed_form/situation.h"

namespace brigada {

struct ReplicaLoad {
    double calls_per_s = 0;
    double sources = 1;  // sessions that these come from: one does not wait for itself
    double output_tokens = 1;
};

struct AnswerTime {
    double decode_batch = 0;
    double tpot_s = 0;
    double read_busy = 0;  // share of the time in mixed steps; 1 or more: it never catches up
    double wait_s = 0;     // mean, until its prompt is being read
    double read_s = 0;     // mean
    double call_s() const { return wait_s + read_s + decode_s; }
    double decode_s = 0;
};

/// Seconds of a step in which `batch` sequences (not a whole number) decode at `context` tokens.
double decode_step(const StepCost& cost, double batch, double context);

/// Seconds to read the last `uncached` of `prompt` tokens in slices while `batch` others decode.
double read_prompt(const StepCost& cost, uint32_t batch, double context, double prompt,
                   double uncached, uint32_t step_tokens);

/// How long a replica takes for prompts of some sizes, whatever the shares of them: what was
/// reckoned once for so many that decode meanwhile is kept.
class PromptTimes {
  public:
    /// Decodes read `context` tokens of KV.
    PromptTimes(const StepCost& cost, double context, uint32_t step_tokens)
        : cost_(cost), context_(context), step_tokens_(step_tokens) {}

    const StepCost& cost() const { return cost_; }
    double context() const { return context_; }
    uint32_t step_tokens() const { return step_tokens_; }

    struct Reading {
        double seconds = 0;
        double steps = 0;  // that carry a slice
    };

    /// Of each reading, in their order; they have the same sizes each time.
    const std::vector<Reading>& of(const std::vector<PromptReading>& readings, uint32_t batch);

  private:
    const StepCost& cost_;
    double context_;
    uint32_t step_tokens_;
    std::map<uint32_t, std::vector<Reading>> by_batch_;
};

/// Fills in read_s of each reading. Endless times where the replica can't keep up.
AnswerTime answer_time(PromptTimes& times, const ReplicaLoad& load,
                       std::vector<PromptReading>& readings);

}  // namespace brigada
