// Answer time: how long calls take on one replica of a given load. Steps that carry a slice of a
// prompt are slower for all who decode; reading a prompt waits for those read before it.
#pragma once

#include <vector>

#include "cost/step_cost.h"
#include "plan/closed_form/situation.h"

namespace brigada {

struct ReplicaLoad {
    double calls_per_s = 0;
    double sources = 1;  // sessions that these come from: one does not wait for itself
    double context = 0;  // tokens of KV that a decode reads
    double output_tokens = 1;
    uint32_t step_tokens = 2048;
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

/// Fills in read_s of each reading. Endless times where the replica can't keep up.
AnswerTime answer_time(const StepCost& cost, const ReplicaLoad& load,
                       std::vector<PromptReading>& readings);

/// Seconds of a step in which `batch` sequences (not a whole number) decode at `context` tokens.
double decode_step(const StepCost& cost, double batch, double context);

/// Seconds to read the last `uncached` of `prompt` tokens in slices while `batch` others decode.
double read_prompt(const StepCost& cost, double batch, double context, double prompt,
                   double uncached, uint32_t step_tokens);

}  // namespace brigada
