#include "cost/placement.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/concat.h"
#include "base/joined.h"
#include "cost/rank_weights.h"
#include "model/shown.h"

namespace brigada {

namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;

/// Cards without links work together over PCIe within one machine, of at most this many.
constexpr uint32_t kMachine = 8;

std::string gib(double bytes) {
    return fmt::format("{:.2f} GiB", bytes / kGiB);
}

std::string name_of(const Placement& d) {
    return concat(d.model.name.empty() ? d.model.architecture : d.model.name, " on ",
                  d.accelerator.name, " with tp ", d.tp, d.dp > 1 ? concat(", dp ", d.dp) : "");
}

uint32_t context_of(const Placement& d) {
    return d.max_context != 0 ? d.max_context : d.model.max_context;
}

// --- what can be laid out at all ----------------------------------------------------------------

uint32_t ranks_in_reach(const Accelerator& a) {
    if (a.is_slice || a.link_bytes_per_s <= 0) return 1;
    return std::max(a.link_domain, kMachine);
}

/// Query heads must split evenly, KV heads evenly or be copied evenly.
bool heads_split(const ModelGeometry& model, uint32_t tp) {
    return std::ranges::all_of(model.layers, [&](const LayerGeometry& layer) {
        if (std::holds_alternative<StateKv>(layer.kv)) return true;
        const auto* kv = std::get_if<HeadsKv>(&layer.kv);
        const bool kv_splits =
            !kv || kv->kv_heads == 0 || kv->kv_heads % tp == 0 || tp % kv->kv_heads == 0;
        return layer.heads % tp == 0 && kv_splits;
    });
}

/// The numbers of ranks that work, in order.
std::vector<uint32_t> possible_tp(const Placement& d) {
    std::vector<uint32_t> out;
    for (uint32_t tp = 1; tp <= ranks_in_reach(d.accelerator); ++tp)
        if (heads_split(d.model, tp)) out.push_back(tp);
    return out;
}

/// "tp 4: 171.3 GiB for KV", for the nearest below and above that fit.
std::string neighbours(Placement d) {
    std::vector<std::string> out;
    const uint32_t asked = d.tp;
    for (const uint32_t tp : possible_tp(d)) {
        d.tp = tp;
        d.ep = d.ep > 1 ? tp * d.dp : 1;
        const Result<MemoryBudget> budget = memory_budget(d);
        if (!budget.ok()) continue;
        if (tp < asked) out.clear();
        out.push_back(concat("tp ", tp, " (", gib(static_cast<double>(budget->kv)),
                             " for KV on each, ", budget->kv_tokens, " tokens together)"));
        if (tp > asked) break;
    }
    if (out.empty()) return "no number of ranks within reach fits either";
    return concat(fmt::format("{}", fmt::join(out, " or ")), out.size() > 1 ? " do" : " does");
}

Result<void> check_numbers(const Placement& d) {
    const auto wrong = [&](std::string_view what, auto value, std::string_view possible) {
        return Error{Code::invalid_argument,
                     concat(name_of(d), ": ", what, " is ", value, "; ", possible, " is possible")};
    };
    if (d.tp == 0 || d.tp > 4096) return wrong("tp", d.tp, "1 or more");
    if (d.dp == 0 || d.dp > 65'536) return wrong("dp", d.dp, "1 or more");
    if (d.ep > 1 && d.ep != d.accelerators())
        return wrong("ep", d.ep, concat("1 or tp x dp, ", d.accelerators(), ","));
    if (!(d.utilisation > 0 && d.utilisation <= 1))
        return wrong("utilisation", d.utilisation, "more than 0 and at most 1");
    if (d.max_num_seqs == 0) return wrong("max_num_seqs", 0, "1 or more");
    if (d.step_tokens == 0) return wrong("step_tokens", 0, "1 or more");
    if (d.max_context > d.model.max_context)
        return wrong("max_context", d.max_context,
                     concat("up to the model's ", d.model.max_context));
    return {};
}

Result<void> check_layout(const Placement& d) {
    TRY(check_numbers(d));
    const Accelerator& a = d.accelerator;
    if (d.accelerators() > 1 && a.is_slice)
        return Error{Code::unsupported,
                     concat(name_of(d),
                            ": slices of a card have no links among them (MIG turns "
                            "NVLink off); 1 rank per replica works, or a whole card")};
    if (d.tp > ranks_in_reach(a))
        return Error{Code::unsupported, concat(name_of(d), ": ", ranks_in_reach(a),
                                               " of these are linked; ", neighbours(d))};
    if (!heads_split(d.model, d.tp))
        return Error{Code::unsupported,
                     concat(name_of(d), ": ", d.model.heads,
                            " query heads (and their KV heads) cannot be split over ", d.tp,
                            " ranks; ", neighbours(d))};
    if (d.ep > 1 && !d.model.is_moe())
        return Error{Code::unsupported, concat(name_of(d), ": ep ", d.ep,
                                               " needs routed experts, and the model has none")};
    if (d.accelerators() > ranks_in_reach(a) && d.ep > 1 && a.scale_out_bytes_per_s <= 0)
        return Error{Code::unsupported, concat(name_of(d), ": experts on ", d.accelerators(),
                                               " ranks, ", ranks_in_reach(a),
                                               " of which are linked, need a network between "
                                               "machines; ",
                                               a.name, " has none")};
    return {};
}

// --- what an engine needs beside weights and KV -------------------------------------------------

/// Sampling sorts the logits of every sequence: 4 bytes each in fp32, 2 in bf16, and what sorting
/// them with their indices takes. Measured on an H100 with 1,024 sequences (llm-d-planner): 4.76
/// GiB for a vocabulary of 128,256, 5.56 for 151,936, 7.38 for 201,088, which is one figure for
/// all.
constexpr double kBytesPerLogit = 38.2;

/// The same measurements differ by 0.08 GiB between 8B and 70B, 4,096 and 8,192 wide, at 8,192
/// tokens.
constexpr double kBytesPerResidual = 2.6;

/// Widest layer at once: the inner numbers of its feed-forward part, in bf16.
double forward_bytes(const Placement& d) {
    double widest = 0;
    for (const LayerGeometry& layer : d.model.layers) {
        const double model = d.model.d_model;
        const double dense = static_cast<double>(layer.dense_params) / model / d.tp;
        const double expert = static_cast<double>(layer.expert_params) / model / d.tp;
        widest = std::max(widest, dense + layer.experts_per_token * (expert + model) + 4 * model);
    }
    return 2 * widest * d.step_tokens;
}

/// Peak of a step: either the logits or the forward pass, which do not overlap.
uint64_t activation_bytes(const Placement& d) {
    const double residual = kBytesPerResidual * d.step_tokens * d.model.d_model;
    const double logits = kBytesPerLogit * d.max_num_seqs * d.model.vocab;
    return static_cast<uint64_t>(std::min(std::max(logits + residual, forward_bytes(d)), 1e18));
}

/// Outside of what PyTorch counts: context and libraries, and with several ranks the buffers of
/// their collectives. Measured as above: 0.13 to 0.14 GiB and 0.54 to 0.55. CUDA graphs come on top
/// of what the engine may take (-0.9 to +1.0 GiB).
uint64_t engine_bytes(const Placement& d) {
    return static_cast<uint64_t>((d.accelerators() == 1 ? 0.14 : 0.55) * kGiB);
}

// --- what fits ----------------------------------------------------------------------------------

double needed_bytes(const MemoryBudget& b) {
    return static_cast<double>(b.weights) + static_cast<double>(b.activations) +
           static_cast<double>(b.engine);
}

MemoryBudget before_kv(const Placement& d) {
    MemoryBudget b;
    b.memory =
        static_cast<uint64_t>(static_cast<double>(d.accelerator.memory_bytes) * d.utilisation);
    b.weights = rank_weight_bytes(d);
    b.activations = activation_bytes(d);
    b.engine = engine_bytes(d);
    if (needed_bytes(b) < static_cast<double>(b.memory))
        b.kv = b.memory - b.weights - b.activations - b.engine;
    return b;
}

/// "the smallest tp that does is 4", or what more there is to try.
std::string smallest_tp(Placement d) {
    for (const uint32_t tp : possible_tp(d)) {
        if (tp <= d.tp) continue;
        d.tp = tp;
        d.ep = d.ep > 1 ? tp * d.dp : 1;
        if (before_kv(d).kv > 0) return concat("the smallest tp that does is ", tp);
    }
    return concat("no tp up to ", ranks_in_reach(d.accelerator),
                  " does; fewer bits per weight, more expert parallel ranks or more memory may");
}

Error weights_too_large(const Placement& d, const MemoryBudget& b) {
    return {Code::too_large,
            concat(name_of(d), ": weights of ", gib(static_cast<double>(b.weights)), " and ",
                   gib(static_cast<double>(b.activations + b.engine)),
                   " for the engine do not fit ", gib(static_cast<double>(b.memory)), " (",
                   d.utilisation, " of the memory); ", smallest_tp(d))};
}

/// The longest sequence that fits, in tokens.
uint64_t longest(const MemoryBudget& b) {
    if (b.kv <= b.kv_size.per_sequence) return 0;
    if (b.kv_size.per_token == 0) return std::numeric_limits<uint32_t>::max();
    const uint64_t blocks =
        (b.kv - b.kv_size.per_sequence) / (b.kv_size.per_token * b.kv_size.block_tokens);
    return blocks * b.kv_size.block_tokens;
}

Error context_too_long(const Placement& d, const MemoryBudget& b) {
    const double needed = static_cast<double>(b.kv_size.sequence_bytes(context_of(d)));
    return {Code::too_large,
            concat(name_of(d), ": one sequence of ", context_of(d), " tokens needs ", gib(needed),
                   " of KV, ", gib(static_cast<double>(b.kv)), " is left; ", longest(b),
                   " tokens fit, or more with KV in fewer bits or more ranks")};
}

void count_blocks(const Placement& d, MemoryBudget& b) {
    const KvSize& size = b.kv_size;
    const uint64_t block = std::max<uint64_t>(1, size.block_bytes());
    b.blocks = b.kv / block;
    b.sequence_blocks = (size.per_sequence + block - 1) / block;
    b.kv_tokens = b.blocks * size.block_tokens * d.dp;
    if (size.per_sequence == 0) return;
    const double sequences =
        static_cast<double>(b.kv) / static_cast<double>(size.sequence_bytes(context_of(d)));
    b.kv_tokens = static_cast<uint64_t>(sequences * context_of(d)) * d.dp;
}

}  // namespace

Result<MemoryBudget> memory_budget(const Placement& deployment) {
    TRY(check_layout(deployment));
    MemoryBudget budget = before_kv(deployment);
    budget.kv_size = kv_size(deployment.model, deployment.kv_dtype, deployment.tp);
    if (budget.kv == 0) return weights_too_large(deployment, budget);
    if (longest(budget) < context_of(deployment)) return context_too_long(deployment, budget);
    count_blocks(deployment, budget);
    return budget;
}

}  // namespace brigada
