// EngineFit: the few figures in which an engine on an accelerator differs from the datasheet; and
// the coefficients of StepCost that follow from them and the deployment.
#pragma once

#include <string>

#include "cost/placement.h"
#include "cost/step_cost.h"

namespace brigada {

struct EngineFit {
    double mfu = 0.55;                // compute reached / peak
    double mbu = 0.8;                 // bandwidth reached / peak
    double step_s = 0.002;            // the engine's own time per step
    double layer_s = 0.00003;         // and per layer in it: launching kernels, small ones, waiting
    double sequence_s = 0.000015;     // and per sequence in it
    double link_efficiency = 0.6;     // bandwidth of collectives / the link's
    std::string source = "defaults";  // or what it was fitted to

    bool operator==(const EngineFit&) const = default;
};

/// What a step costs on one replica of `deployment`. The shape that StepCost is asked about is the
/// whole replica's, all data parallel ranks together; work is taken to be spread evenly over them.
///   compute   2 operations for each parameter a token passes, embedding apart; the output matrix
///             for one position of a sequence. Attention: 4 x heads x head_dim for a pair. Decodes
///             attend to a latent as it lies (absorbed); a chunk expands it, its own positions and
///             the earlier ones it reads; behind a sparse indexer it stays as it lies. A layer with
///             a window, or whose indexer picks some positions, costs each token its whole window,
///             however short the context.
///   weights   what a rank holds and reads each step, and the routed experts that are touched
///   kv        of layers that keep all positions, each; windows and states once for a sequence
///   comm      two all-reduces a layer among the `tp` ranks; with experts apart (`ep`), tokens go
///             to their experts and back
StepCoefficients step_coefficients(const Placement& deployment, const EngineFit& fit);

}  // namespace brigada
