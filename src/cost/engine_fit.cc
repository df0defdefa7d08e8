#include "cost/engine_fit.h"

#include <algorithm>

#include "base/check.h"
#include "cost/collective.h"

namespace brigada {

namespace {

constexpr double kActivationBytes = 2;    // bf16 between layers, and the output matrix
constexpr uint32_t kIndexerKeyDim = 128;  // of DeepSeek-V3.2 and GLM-5

template <typename... Cases>
struct Overloaded : Cases... {
    using Cases::operator()...;
};

/// One rank's part of a step. Seconds for a token of the replica, a position of KV and a pair;
/// bytes for a step.
struct Work {
    double token_s = 0;              // linear layers, and attention where it is bounded
    double pair_s = 0;               // attention of a prompt's query to one key
    double reread_s = 0;             // what an earlier position costs a chunk besides
    double decode_pair_s = 0;        // attention of a decode's query to one key
    double weights = 0;              // bytes read each step
    double expert = 0;               // bytes of one routed expert, all layers
    double experts = 0, chosen = 0;  // of a layer: on this rank, of those by a token
    uint32_t expert_layers = 0;
    uint32_t reduces = 0;  // all-reduces among the tensor parallel ranks
};

/// What the accelerator multiplies in a second, as reached. Weights in 4 or 8 bits that it cannot
/// multiply are widened to bf16 first.
class Speed {
  public:
    Speed(const Accelerator& a, ComputeDtype dtype, double mfu)
        : bf16_(a.bf16_flops * mfu), narrow_(narrow(a, dtype) * mfu) {}

    double bf16() const { return bf16_; }
    double linear(double param_bytes) const { return param_bytes < 2 ? narrow_ : bf16_; }

  private:
    static double narrow(const Accelerator& a, ComputeDtype dtype) {
        const double own = dtype == ComputeDtype::fp8   ? a.fp8_flops
                           : dtype == ComputeDtype::fp4 ? a.fp4_flops
                                                        : 0;
        return own > 0 ? own : a.bf16_flops;
    }

    double bf16_;
    double narrow_;
};

/// Adds attention of one layer: what a query does to one key costs `pair` operations; with a
/// `bound` it sees that many keys at most and is taken to see so many.
void add_attention(Work& work, double pair, uint32_t bound, double flops) {
    if (bound) {
        work.token_s += pair * bound / flops;
        return;
    }
    work.pair_s += pair / flops;
    work.decode_pair_s += pair / flops;
}

/// Latents of `heads` heads, every position seen. Decodes attend to them as they lie (absorbed);
/// prompts expand each position once for a chunk, and then a pair costs a third of it.
void add_latent_attention(Work& work, const LatentKv& kv, double heads, double flops) {
    const double absorbed = 2 * heads * (2.0 * kv.latent + kv.rope);
    const double expanded = 2 * heads * (double(kv.nope) + kv.rope + kv.value_dim);
    const bool expands = kv.nope > 0 && kv.value_dim > 0 && expanded < absorbed;
    work.decode_pair_s += absorbed / flops;
    work.pair_s += (expands ? expanded : absorbed) / flops;
    if (expands) work.reread_s += 2 * heads * kv.latent * (double(kv.nope) + kv.value_dim) / flops;
}

void add_attention(Work& work, const LayerGeometry& layer, const Placement& d, double flops) {
    const double heads = static_cast<double>((layer.heads + d.tp - 1) / d.tp) / d.dp;
    const auto indexer = [&](uint32_t queries) { return 2.0 * queries / d.dp * kIndexerKeyDim; };
    std::visit(Overloaded{[&](const HeadsKv& kv) {
                              const double pair = 2 * heads * (kv.key_dim + kv.value_dim);
                              add_attention(work, pair, kv.window, flops);
                          },
                          [&](const LatentKv& kv) {
                              if (kv.indexer_top == 0)
                                  return add_latent_attention(work, kv, heads, flops);
                              const double pair = 2 * heads * (2.0 * kv.latent + kv.rope);
                              add_attention(work, pair, kv.indexer_top, flops);
                              add_attention(work, indexer(kv.indexer_heads), 0, flops);
                          },
                          [&](const CompressedKv& kv) {
                              const double pair = 2 * heads * 2 * kv.latent;
                              add_attention(work, pair, kv.window + kv.indexer_top, flops);
                              if (kv.ratio == 0) return;
                              const double behind =
                                  kv.indexer_top ? indexer(kv.indexer_heads) : pair;
                              add_attention(work, behind / kv.ratio, 0, flops);
                          },
                          // The update of a state is a small part of its layer's products.
                          [](const StateKv&) {}, [](const NoKv&) {}},
               layer.kv);
}

/// What every token passes: on each of the tensor parallel ranks a part, and some of it whole.
void add_shared(Work& work, const LayerGeometry& layer, const Placement& d, const Speed& speed) {
    const auto attention = static_cast<double>(layer.attention_params);
    const auto dense = static_cast<double>(layer.dense_params);
    const auto whole = static_cast<double>(layer.whole_params);
    if (attention + dense == 0) return;
    const double part = ((attention + dense - whole) / d.tp + whole) / (attention + dense);
    work.token_s += 2 * part / d.dp *
                    (attention / speed.linear(layer.attention_param_bytes) +
                     dense / speed.linear(layer.dense_param_bytes));
    work.weights +=
        part * (attention * layer.attention_param_bytes + dense * layer.dense_param_bytes);
}

/// Routed experts: whole ones on each of the `ep` ranks, or a slice of each on `tp`.
void add_experts(Work& work, const LayerGeometry& layer, const Placement& d, const Speed& speed) {
    if (layer.experts == 0) return;
    const auto expert = static_cast<double>(layer.expert_params);
    const bool apart = d.ep > 1;
    ++work.expert_layers;
    work.token_s += 2 * layer.experts_per_token * expert / d.accelerators() /
                    speed.linear(layer.expert_param_bytes);
    work.expert += expert * layer.expert_param_bytes / (apart ? 1 : d.tp);
    work.experts = std::max(work.experts, double(layer.experts) / (apart ? d.ep : 1));
    work.chosen = std::max(work.chosen, double(layer.experts_per_token) / (apart ? d.ep : d.dp));
}

Work work_of(const Placement& d, const Speed& speed) {
    Work work;
    for (const LayerGeometry& layer : d.model.layers) {
        add_shared(work, layer, d, speed);
        add_attention(work, layer, d, speed.bf16());
        add_experts(work, layer, d, speed);
        const bool reduces_experts = layer.experts > 0 && d.ep <= 1;
        work.reduces += (layer.attention_params > 0 ? 1 : 0) +
                        (layer.dense_params > 0 || reduces_experts ? 1 : 0);
    }
    return work;
}

double link_bytes_per_s(const Placement& d, const EngineFit& fit) {
    const Accelerator& a = d.accelerator;
    const bool inside =
        d.accelerators() <= std::max(a.link_domain, 1u) || a.scale_out_bytes_per_s == 0;
    return (inside ? a.link_bytes_per_s : a.scale_out_bytes_per_s) * fit.link_efficiency;
}

/// Collectives of one step. Tokens of the shape are the replica's; a rank has 1 / dp of them.
void add_collectives(StepCoefficients& c, const Placement& d, const Work& work,
                     const EngineFit& fit) {
    if (d.accelerators() == 1) return;
    const double link = link_bytes_per_s(d, fit);
    CHECK(link > 0, d.accelerator.name, ": no link among ", d.accelerators(), " ranks");
    const double message = d.model.d_model * kActivationBytes;  // of one token
    const CollectiveTime reduce = all_reduce(d.tp, link);
    c.comm_s = work.reduces * reduce.start_s;
    c.comm_per_token = work.reduces * reduce.per_byte_s * message / d.dp;
    if (d.ep <= 1) return;

    // To the ranks of its experts, at most to all; and back.
    const CollectiveTime way = exchange(d.ep, link);
    const double copies = std::min(1.0, work.chosen);
    c.comm_s += 2 * work.expert_layers * way.start_s;
    c.comm_per_token += 2 * work.expert_layers * way.per_byte_s * message * copies;
}

}  // namespace

StepCoefficients step_coefficients(const Placement& d, const EngineFit& fit) {
    CHECK(d.tp > 0 && d.dp > 0 && (d.ep <= 1 || d.ep == d.accelerators()), d.ep);
    const Speed speed(d.accelerator, d.model.compute, fit.mfu);
    const Work work = work_of(d, speed);
    const double bandwidth = d.accelerator.memory_bytes_per_s * fit.mbu;
    const double output = static_cast<double>(d.model.output_params()) / d.tp;
    const KvSize kv = kv_size(d.model, d.kv_dtype, d.tp);

    StepCoefficients c;
    c.flop_per_token = work.token_s;
    c.flop_per_sequence = 2 * output / speed.bf16() / d.dp;
    c.flop_per_pair = work.pair_s;
    c.flop_per_reread = work.reread_s;
    c.flop_per_decode_pair = work.decode_pair_s;
    c.weights_s = (work.weights + output * kActivationBytes) / bandwidth;
    c.expert_s = work.expert / bandwidth;
    c.experts = work.experts;
    c.experts_per_token = work.chosen;
    c.kv_per_token = static_cast<double>(kv.per_token) / bandwidth / d.dp;
    c.state_per_sequence = static_cast<double>(kv.per_sequence) / bandwidth / d.dp;
    c.step_s = fit.step_s + fit.layer_s * static_cast<double>(d.model.layers.size());
    c.sequence_s = fit.sequence_s / d.dp;
    add_collectives(c, d, work, fit);
    return c;
}

}  // namespace brigada
