// The memory half of an explained plan: KV of a token by kinds of layers, and what fits on a rank.
#include <map>

#include "base/concat.h"
#include "plan/closed_form/explain.h"

namespace brigada {

namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;
constexpr double kGB = 1e9;

double bytes_per_number(KvDtype dtype) {
    switch (dtype) {
        case KvDtype::bf16:
            return 2;
        case KvDtype::fp8:
            return 1;
        case KvDtype::q8_0:
            return 34.0 / 32;  // 32 numbers and a half-precision scale
        case KvDtype::q4_0:
            return 18.0 / 32;
    }
    return 2;
}

/// What a kind of layer keeps of a token, in words and numbers.
struct KindOfLayer {
    std::string formula = {};
    std::string numbers = {};
    double of_a_token = 0;  // numbers of one layer on one rank
};

KindOfLayer heads_kind(const HeadsKv& kv, uint32_t tp) {
    const uint32_t heads = (kv.kv_heads + tp - 1) / tp;
    KindOfLayer out{.of_a_token = double(heads) * (kv.key_dim + kv.value_dim)};
    if (kv.key_dim == kv.value_dim)
        out.numbers = concat("2 x ", heads, " x ", kv.key_dim);
    else
        out.numbers = concat(heads, " x (", kv.key_dim, " + ", kv.value_dim, ")");
    out.formula = tp == 1 ? "layers x 2 (K and V) x KV heads x head dimension x bytes"
                          : "layers x 2 (K and V) x KV heads of a rank x head dimension x bytes";
    return out;
}

/// Nothing for layers that keep nothing that grows.
KindOfLayer kind_of(const LayerKv& kv, uint32_t tp) {
    if (const auto* heads = std::get_if<HeadsKv>(&kv))
        return heads->window == 0 ? heads_kind(*heads, tp) : KindOfLayer{};
    if (const auto* latent = std::get_if<LatentKv>(&kv))
        return {.formula = "layers x (latent + rope) x bytes, whole on every rank",
                .numbers = concat("(", latent->latent, " + ", latent->rope, ")"),
                .of_a_token = double(latent->latent) + latent->rope};
    return {};
}

struct Group {
    KindOfLayer kind = {};
    uint32_t layers = 0;
};

std::map<std::string, Group> groups_of(const ModelGeometry& model, uint32_t tp) {
    std::map<std::string, Group> groups;
    for (const LayerGeometry& layer : model.layers) {
        KindOfLayer kind = kind_of(layer.kv, tp);
        Group& group = groups[kind.numbers];
        ++group.layers;
        group.kind = std::move(kind);
    }
    return groups;
}

void explain_groups(PlanPage& page, const ModelGeometry& model, KvDtype dtype, uint32_t tp) {
    const double bytes = bytes_per_number(dtype);
    for (const auto& [numbers, group] : groups_of(model, tp)) {
        if (group.kind.of_a_token == 0) {
            page.note(concat(group.layers, " layers keep nothing that grows with the sequence"));
            continue;
        }
        page.add({.name = "KV of a token, these layers",
                  .formula = group.kind.formula,
                  .numbers = fmt::format("{} x {} x {:g}", group.layers, numbers, bytes),
                  .value = group.layers * group.kind.of_a_token * bytes,
                  .unit = "B",
                  .source = model.name});
    }
}

}  // namespace

void explain_kv(PlanPage& page, const ModelGeometry& model, KvDtype dtype, uint32_t tp,
                double tokens) {
    const KvSize size = kv_size(model, dtype, tp);
    page.section(concat("KV of a sequence, ", to_string(dtype),
                        tp > 1 ? concat(", on one of ", tp, " ranks") : std::string()));
    explain_groups(page, model, dtype, tp);
    const auto per_token = static_cast<double>(size.per_token);
    page.add({.name = "KV of a token",
              .formula = "sum of the layers, with what an indexer or compressed layers add",
              .numbers = concat(shown(per_token), " B = ", shown(per_token / 1024), " KiB"),
              .value = per_token,
              .unit = "B",
              .source = model.name});
    const auto fixed = static_cast<double>(size.per_sequence);
    if (fixed > 0)
        page.add({.name = "windows and states of a sequence",
                  .formula = "layers that do not grow",
                  .numbers = concat(shown(fixed), " B"),
                  .value = fixed / (1024 * 1024),
                  .unit = "MiB",
                  .source = model.name});
    const double whole = tokens * per_token + fixed;
    page.add({.name = "KV of a sequence",
              .formula = "tokens x KV of a token + windows and states",
              .numbers = fmt::format("{:.0f} x {:.0f} + {:.0f} B = {:.2f} GB (10^9) = {:.2f} GiB "
                                     "(2^30)",
                                     tokens, per_token, fixed, whole / kGB, whole / kGiB),
              .value = whole / kGiB,
              .unit = "GiB"});
    page.add({.name = "blocks of a sequence",
              .formula = "tokens / tokens of a block, rounded up",
              .numbers = fmt::format("{:.0f} / {}", tokens, size.block_tokens),
              .value = std::ceil(tokens / size.block_tokens),
              .unit = "blocks"});
}

void explain_move(PlanPage& page, double kv_bytes, double link_bytes_per_s) {
    page.add(
        {.name = "moving a sequence to another replica",
         .formula = "KV of a sequence / bandwidth of the link",
         .numbers = fmt::format("{:.3f} GB / {:.1f} GB/s", kv_bytes / kGB, link_bytes_per_s / kGB),
         .value = kv_bytes / link_bytes_per_s * 1000,
         .unit = "ms",
         .source = "datasheet; KV holds K and V, so nothing is counted twice"});
}

void explain_memory(PlanPage& page, const Placement& deployment, const MemoryBudget& memory,
                    double tokens) {
    const auto gib = [](uint64_t bytes) { return static_cast<double>(bytes) / kGiB; };
    page.section("Memory of one rank");
    page.add({.name = "memory",
              .formula = "usable x utilisation",
              .numbers = fmt::format("{:.2f} GiB x {:g}", gib(deployment.accelerator.memory_bytes),
                                     deployment.utilisation),
              .value = gib(memory.memory),
              .unit = "GiB",
              .source = "as the driver reports it, which is less than the name says"});
    page.add({.name = "weights",
              .formula = "of one rank",
              .numbers = fmt::format("{:.2f} GB = {:.2f} GiB; all ranks {:.2f} GiB",
                                     static_cast<double>(memory.weights) / kGB, gib(memory.weights),
                                     gib(deployment.model.weight_bytes())),
              .value = gib(memory.weights),
              .unit = "GiB",
              .source = deployment.model.name});
    page.add(
        {.name = "activations and engine",
         .formula = "peak of a step + runtime, graphs, collectives",
         .numbers = fmt::format("{:.2f} + {:.2f}", gib(memory.activations), gib(memory.engine)),
         .value = gib(memory.activations) + gib(memory.engine),
         .unit = "GiB"});
    page.add({.name = "left for KV",
              .formula = "memory - weights - activations and engine",
              .numbers = fmt::format("{:.2f} - {:.2f} - {:.2f} = {:.2f} GiB = {:.2f} GB",
                                     gib(memory.memory), gib(memory.weights),
                                     gib(memory.activations) + gib(memory.engine), gib(memory.kv),
                                     static_cast<double>(memory.kv) / kGB),
              .value = gib(memory.kv),
              .unit = "GiB"});
    const auto blocks = static_cast<double>(memory.blocks);
    page.add({.name = "blocks",
              .formula = "left for KV / (tokens of a block x KV of a token on the rank)",
              .numbers = fmt::format("{} / ({} x {})", memory.kv, memory.kv_size.block_tokens,
                                     memory.kv_size.per_token),
              .value = blocks,
              .unit = "blocks"});
    const double room =
        page.add({.name = "room for KV",
                  .formula = "blocks x tokens of a block x data parallel ranks",
                  .numbers = fmt::format("{:.0f} x {} x {}", blocks, memory.kv_size.block_tokens,
                                         deployment.dp),
                  .value = blocks * memory.kv_size.block_tokens * deployment.dp,
                  .unit = "tokens"});
    page.add({.name = "sequences that fit",
              .formula = "room / tokens of a sequence",
              .numbers = concat(shown(room), " / ", shown(tokens)),
              .value = room / tokens,
              .unit = "sequences"});
}

}  // namespace brigada
