#include "cost/describe_geometry.h"

#include <algorithm>
#include <array>

#include "base/concat.h"

namespace brigada {

namespace {

constexpr std::array kDtypes = {KvDtype::bf16, KvDtype::fp8, KvDtype::q8_0, KvDtype::q4_0};
constexpr std::array<uint32_t, 5> kRanks = {1, 2, 4, 8, 16};
constexpr double kGiB = 1024.0 * 1024 * 1024;

std::string line(std::string_view name, std::string_view value) {
    return fmt::format("{:<14}{}\n", name, value);
}

std::string gib(uint64_t bytes) {
    return fmt::format("{:.2f} GiB", static_cast<double>(bytes) / kGiB);
}

std::string mib(uint64_t bytes) {
    return fmt::format("{:.2f} MiB", static_cast<double>(bytes) / (1024.0 * 1024));
}

/// "30.5 B", "596 M".
std::string count_text(uint64_t params) {
    const auto n = static_cast<double>(params);
    if (n >= 1e11) return fmt::format("{:.0f} B", n / 1e9);
    if (n >= 1e9) return fmt::format("{:.2f} B", n / 1e9);
    return fmt::format("{:.1f} M", n / 1e6);
}

// --- kinds of layers ----------------------------------------------------------------------------

struct KvText {
    std::string operator()(const HeadsKv& kv) const {
        const std::string heads =
            concat(kv.kv_heads, " KV heads of ", kv.key_dim, " + ", kv.value_dim);
        if (kv.window == 0) return concat("full attention, ", heads);
        return concat("attention within ", kv.window, " tokens, ", heads);
    }
    std::string operator()(const LatentKv& kv) const {
        return concat("latent attention (MLA), ", kv.latent, " + ", kv.rope, " for all heads",
                      kv.indexer_bytes == 0
                          ? std::string()
                          : concat(", sparse indexer of ", kv.indexer_bytes, " bytes a token"));
    }
    std::string operator()(const CompressedKv& kv) const {
        const std::string window =
            concat("latent of ", kv.latent, " within ", kv.window, " tokens");
        return kv.ratio == 0 ? window : concat(window, ", behind them one for each ", kv.ratio);
    }
    std::string operator()(const StateKv& kv) const {
        return concat("state that does not grow, ", mib(kv.bytes), " a sequence");
    }
    std::string operator()(const NoKv&) const { return "no KV of its own"; }
};

std::string feed_forward_text(const LayerGeometry& layer) {
    if (layer.experts == 0)
        return layer.dense_params == 0 ? "" : concat("dense ", count_text(layer.dense_params));
    return concat(layer.experts_per_token, " of ", layer.experts, " experts of ",
                  count_text(layer.expert_params), ", ", count_text(layer.dense_params),
                  " for every token");
}

/// Lines that occur, each with how often, in order of first appearance.
std::vector<std::string> counted(const std::vector<std::string>& lines) {
    std::vector<std::pair<std::string, uint32_t>> counts;
    for (const std::string& each : lines) {
        if (each.empty()) continue;
        const auto at = std::ranges::find(counts, each, &std::pair<std::string, uint32_t>::first);
        if (at == counts.end())
            counts.emplace_back(each, 1);
        else
            ++at->second;
    }
    std::vector<std::string> out;
    for (const auto& [text, count] : counts)
        out.push_back(concat(count, " x ", text));
    return out;
}

std::string block_of(std::string_view name, const std::vector<std::string>& lines) {
    std::string out;
    for (size_t i = 0; i < lines.size(); ++i)
        out += line(i == 0 ? name : "", lines[i]);
    return out;
}

std::vector<std::string> feed_forward_lines(const ModelGeometry& model) {
    std::vector<std::string> lines;
    for (const LayerGeometry& layer : model.layers)
        lines.push_back(feed_forward_text(layer));
    return counted(lines);
}

// --- the parts of the page ----------------------------------------------------------------------

std::string_view to_string(ComputeDtype dtype) {
    switch (dtype) {
        case ComputeDtype::bf16:
            return "bf16";
        case ComputeDtype::fp8:
            return "fp8";
        case ComputeDtype::fp4:
            return "fp4";
    }
    return "";
}

std::string weights_text(const ModelGeometry& model) {
    const uint64_t bytes = model.weight_bytes();
    return fmt::format("{}, {:.3g} bytes a parameter, multiplied in {}", gib(bytes),
                       static_cast<double>(bytes) / static_cast<double>(model.params()),
                       to_string(model.compute));
}

/// Bytes of a token by ranks and dtype; beside them, where there is something fixed, that of a
/// sequence and the block it makes necessary, in bf16.
std::string kv_table(const ModelGeometry& model) {
    const bool fixed = kv_size(model, KvDtype::bf16, 1).per_sequence > 0;
    std::string out = fmt::format("{:<14}", "bytes / token");
    for (const KvDtype dtype : kDtypes)
        out += fmt::format("{:>9}", brigada::to_string(dtype));
    out += fixed ? "   fixed / sequence   tokens / block\n" : "\n";
    for (const uint32_t tp : kRanks) {
        out += fmt::format("{:<14}", concat("  tp ", tp));
        for (const KvDtype dtype : kDtypes)
            out += fmt::format("{:>9}", kv_size(model, dtype, tp).per_token);
        const KvSize size = kv_size(model, KvDtype::bf16, tp);
        if (fixed) out += fmt::format("{:>19}{:>17}", mib(size.per_sequence), size.block_tokens);
        out += '\n';
    }
    return out;
}

std::string assumed_text(const ModelGeometry& model) {
    std::string out;
    for (const std::string& each : model.assumed)
        out += line(out.empty() ? "assumed" : "", each);
    return out;
}

Json size_json(const KvSize& size) {
    return {{"bytes_per_token", size.per_token},
            {"bytes_per_sequence", size.per_sequence},
            {"bytes_per_token_full_pages", size.per_token_full_pages},
            {"block_tokens", size.block_tokens}};
}

}  // namespace

std::vector<std::string> layer_lines(const ModelGeometry& model) {
    std::vector<std::string> lines;
    for (const LayerGeometry& layer : model.layers)
        lines.push_back(std::visit(KvText{}, layer.kv));
    return counted(lines);
}

std::string geometry_text(const ModelGeometry& model) {
    std::string out = line("model", concat(model.name, " (", model.architecture, ")"));
    out += line("parameters", concat(count_text(model.params()), ", of which a token passes ",
                                     count_text(model.active_params())));
    out += line("weights", weights_text(model));
    out += line("shape",
                concat("width ", model.d_model, ", ", model.heads, " query heads, vocabulary ",
                       model.vocab, model.tied_embeddings ? ", tied embeddings" : ""));
    out += line("context", concat(model.max_context, " tokens"));
    out += block_of("layers", layer_lines(model));
    out += block_of("feed-forward", feed_forward_lines(model));
    return out + kv_table(model) + assumed_text(model);
}

Json geometry_json(const ModelGeometry& model) {
    Json kv = Json::object();
    for (const KvDtype dtype : kDtypes)
        for (const uint32_t tp : kRanks)
            kv[std::string(brigada::to_string(dtype))][concat("tp", tp)] =
                size_json(kv_size(model, dtype, tp));
    return {{"name", model.name},
            {"architecture", model.architecture},
            {"parameters", model.params()},
            {"active_parameters", model.active_params()},
            {"weight_bytes", model.weight_bytes()},
            {"computes_in", to_string(model.compute)},
            {"d_model", model.d_model},
            {"query_heads", model.heads},
            {"vocabulary", model.vocab},
            {"tied_embeddings", model.tied_embeddings},
            {"max_context", model.max_context},
            {"layers", layer_lines(model)},
            {"feed_forward", feed_forward_lines(model)},
            {"kv", std::move(kv)},
            {"assumed", model.assumed}};
}

std::string budget_text(const Placement& d, const MemoryBudget& b) {
    std::string out = line("on", concat(d.accelerators(), " x ", d.accelerator.name, ", tp ", d.tp,
                                        d.dp > 1 ? concat(", dp ", d.dp) : "", ", KV in ",
                                        brigada::to_string(d.kv_dtype)));
    out += line("memory", concat(gib(b.memory), " for the engine on each (", d.utilisation,
                                 " of what there is)"));
    out += line("- weights", gib(b.weights));
    out += line("- activations", concat(gib(b.activations), " (", d.max_num_seqs,
                                        " sequences, steps of ", d.step_tokens, " tokens)"));
    out += line("- engine", gib(b.engine));
    out += line("= KV",
                concat(gib(b.kv), ", ", b.blocks, " blocks of ", b.kv_size.block_tokens, " tokens",
                       b.sequence_blocks > 0 ? concat(", ", b.sequence_blocks,
                                                      " of them for the windows "
                                                      "and states of a sequence")
                                             : ""));
    return out + line("tokens", concat(b.kv_tokens, " of KV in the replica"));
}

Json budget_json(const Placement& d, const MemoryBudget& b) {
    return {{"accelerator", d.accelerator.name},
            {"tp", d.tp},
            {"dp", d.dp},
            {"kv_dtype", brigada::to_string(d.kv_dtype)},
            {"memory_bytes", b.memory},
            {"weight_bytes", b.weights},
            {"activation_bytes", b.activations},
            {"engine_bytes", b.engine},
            {"kv_bytes", b.kv},
            {"blocks", b.blocks},
            {"block_tokens", b.kv_size.block_tokens},
            {"blocks_per_sequence", b.sequence_blocks},
            {"kv_tokens", b.kv_tokens}};
}

}  // namespace brigada
