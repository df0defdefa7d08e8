// StepCost: how long a step takes on one replica, from its shape. Few coefficients, in seconds;
// they come from the datasheet and the model's geometry, or from fitting measured runs.
#pragma once

#include <cstdint>

#include "base/time.h"
#include "cost/step_shape.h"

namespace brigada {

/// The seconds that one unit of each kind of work takes. A step takes
///     max(compute, weights) + kv + comm + overhead
/// with
///     compute  = flop_per_token x tokens + flop_per_sequence x sequences
///                + flop_per_pair x chunk_pairs + flop_per_reread x (chunk_context - chunk_tokens)
///                + flop_per_decode_pair x decode_context
///     weights  = weights_s + expert_s x experts touched, where tokens touch of E experts, k each,
///                E x (1 - (1 - k / E)^tokens) (they choose as if at random)
///     kv       = kv_per_token x (decode_context + chunk_context) + state_per_sequence x sequences
///     comm     = comm_s + comm_per_token x tokens
///     overhead = step_s + sequence_s x sequences
struct StepCoefficients {
    double flop_per_token = 0;        // linear layers of one token, attention within windows
    double flop_per_sequence = 0;     // output matrix: one position of a sequence is sampled
    double flop_per_pair = 0;         // a prompt's query over one key, all layers that see all
    double flop_per_reread = 0;       // what an earlier position costs a chunk: expanding latents
    double flop_per_decode_pair = 0;  // a decode's query over one key
    double weights_s = 0;             // reading all weights that every step reads
    double expert_s = 0;              // reading one routed expert of every layer
    double experts = 0;               // routed experts per layer (on one rank); 0: a dense model
    double experts_per_token = 0;     // of those
    double kv_per_token = 0;          // reading the KV of one position, all layers
    double state_per_sequence = 0;    // reading and writing what does not grow (windows, states)
    double comm_s = 0;                // collectives of a step, whatever its size
    double comm_per_token = 0;
    double step_s = 0;      // the engine's own time, each step
    double sequence_s = 0;  // and for each sequence in it

    bool operator==(const StepCoefficients&) const = default;
};

class StepCost {
  public:
    StepCost() = default;
    explicit StepCost(const StepCoefficients& coefficients) : c_(coefficients) {}

    Duration time(const StepShape& shape) const;

    /// `steps` steps in a row that only decode: the first is `shape`, and in each further one every
    /// context is a token longer. Equal to the sum of time() up to rounding.
    Duration run(const StepShape& shape, uint32_t steps) const;

    const StepCoefficients& coefficients() const { return c_; }

  private:
    double seconds(const StepShape& shape) const;
    double weights_of(const StepShape& shape) const;  // seconds

    StepCoefficients c_;
};

}  // namespace brigada
