// geometry_from_gguf: a GGUF file's metadata and tensors to a ModelGeometry. Parameters and bytes
// are those of the tensors, so they are exact; metadata say how layers look back.
#include <algorithm>
#include <array>

#include "base/concat.h"
#include "cost/geometry.h"
#include "cost/read/check_geometry.h"
#include "cost/read/config_fields.h"
#include "cost/read/tensor_sums.h"
#include "model/gguf.h"

namespace brigada {

namespace {

/// The keys of the file's architecture: count("block_count") reads llama.block_count.
class GgufKeys {
  public:
    GgufKeys(const GgufFile& file, std::string_view architecture)
        : file_(file), architecture_(architecture) {}

    Result<uint32_t> count_or(std::string_view key, uint64_t most, uint64_t otherwise) const {
        TRY(const auto value, file_.unsigned_integer(full(key)));
        return checked(key, value.value_or(otherwise), most);
    }

    Result<uint32_t> needed(std::string_view key, uint64_t most) const {
        TRY(const uint32_t value, count_or(key, most, 0));
        if (value == 0) return Error{Code::corrupt, concat(file_.name(), ": has no ", full(key))};
        return value;
    }

    /// Of layer `i`: one number for all layers, or an array of one for each.
    Result<uint32_t> of_layer(std::string_view key, uint32_t i, uint64_t most,
                              uint64_t otherwise) const {
        const GgufEntry* entry = file_.entry(full(key));
        if (!entry || entry->type != GgufType::array) return count_or(key, most, otherwise);
        TRY(const auto values, file_.integers(full(key)));
        if (i >= values->size())
            return Error{Code::corrupt,
                         concat(file_.name(), ": ", full(key), " has ", values->size(),
                                " numbers, and there is a layer ", i)};
        if ((*values)[i] < 0) return checked(key, ~uint64_t{0}, most);
        return checked(key, static_cast<uint64_t>((*values)[i]), most);
    }

    bool has(std::string_view key) const { return file_.entry(full(key)) != nullptr; }

  private:
    std::string full(std::string_view key) const { return concat(architecture_, ".", key); }

    Result<uint32_t> checked(std::string_view key, uint64_t value, uint64_t most) const {
        if (value <= most) return static_cast<uint32_t>(value);
        return Error{Code::corrupt, concat(file_.name(), ": ", full(key), " is ", value,
                                           "; at most ", most, " is believed")};
    }

    const GgufFile& file_;
    std::string_view architecture_;
};

/// Layers with a window are those whose place in the period is not the last; period 1: all.
struct WindowPattern {
    std::string_view architecture;
    uint32_t period;
};

constexpr std::array kWindowPatterns = {
    WindowPattern{"gemma2", 2},  WindowPattern{"gemma3", 6},  WindowPattern{"gemma4", 6},
    WindowPattern{"gpt-oss", 2}, WindowPattern{"cohere2", 4}, WindowPattern{"olmo2", 4},
    WindowPattern{"llama4", 4},  WindowPattern{"phi3", 1},    WindowPattern{"exaone4", 4},
};

class GgufReader {
  public:
    GgufReader(const GgufFile& file, std::string_view architecture)
        : file_(file), keys_(file, architecture), architecture_(architecture) {}

    Result<ModelGeometry> read() {
        TRY(read_measures());
        measure_tensors();
        for (uint32_t i = 0; i < sums_.layers.size(); ++i)
            TRY(add_layer(i));
        g_.embedding_params = sums_.embedding.params;
        g_.embedding_param_bytes = sums_.embedding.param_bytes(2);
        g_.other_params = sums_.other.params;
        g_.other_param_bytes = sums_.other.param_bytes(2);
        TRY(check_geometry(g_, file_.name()));
        return std::move(g_);
    }

  private:
    Result<void> read_measures() {
        TRY(const auto name, file_.string("general.name"));
        g_.name = name.value_or(file_.name());
        g_.architecture = architecture_;
        TRY(g_.d_model, keys_.needed("embedding_length", kMostWidth));
        TRY(g_.max_context, keys_.needed("context_length", kMostTokens));
        TRY(const uint32_t layers, keys_.needed("block_count", kMostLayers));
        TRY(const uint32_t further, keys_.count_or("nextn_predict_layers", layers, 0));
        sums_.layers.resize(layers - further);
        const Tensor* embedding = file_.tensor("token_embd.weight");
        if (!embedding || embedding->rows() > kMostVocab)
            return Error{Code::corrupt,
                         concat(file_.name(), ": has no token_embd.weight of at most ", kMostVocab,
                                " rows")};
        g_.vocab = static_cast<uint32_t>(embedding->rows());
        g_.tied_embeddings = file_.tensor("output.weight") == nullptr;
        return read_window();
    }

    Result<void> read_window() {
        const uint64_t otherwise = architecture_ == "llama4" ? 8192 : 0;
        TRY(window_, keys_.count_or("attention.sliding_window", kMostTokens, otherwise));
        if (window_ >= g_.max_context) window_ = 0;
        const auto at =
            std::ranges::find(kWindowPatterns, architecture_, &WindowPattern::architecture);
        if (at != kWindowPatterns.end())
            period_ = at->period;
        else if (window_ != 0)
            g_.assumed.push_back(concat("which layers have the window of ", window_,
                                        " tokens is not known of ", architecture_,
                                        ": none is counted"));
        return {};
    }

    void measure_tensors() {
        for (const Tensor& tensor : file_.tensors())
            add_gguf_tensor(sums_, tensor.name, tensor.elements(), tensor.data.size(),
                            tensor.shape.size() < 2);
    }

    Result<void> add_layer(uint32_t i) {
        const LayerSums& sums = sums_.layers[i];
        LayerGeometry layer{
            .kv = NoKv{},
            .attention_params = sums.attention.params,
            .dense_params = sums.dense.params,
            .attention_param_bytes = sums.attention.param_bytes(2),
            .dense_param_bytes = sums.dense.param_bytes(2),
            .expert_param_bytes = sums.experts.param_bytes(2),
            .whole_params = std::min(sums.whole_params, sums.attention.params + sums.dense.params)};
        TRY(read_experts(sums, layer));
        if (sums.has_state) {
            TRY(layer.kv, state());
            if (sums.has_keys && file_.tensor(concat("blk.", i, ".attn_k.weight"))) {
                LayerGeometry beside;  // attention and Mamba in one layer
                TRY(beside.kv, heads(i, beside));
                g_.layers.push_back(beside);
            }
        } else if (sums.has_latent && keys_.has("attention.kv_lora_rank")) {
            TRY(layer.kv, latent(i, layer));
        } else if (sums.has_keys || sums.has_latent) {
            TRY(layer.kv, heads(i, layer));
        }
        g_.layers.push_back(layer);
        return {};
    }

    Result<void> read_experts(const LayerSums& sums, LayerGeometry& layer) const {
        if (sums.experts.params == 0) return {};
        TRY(layer.experts, keys_.needed("expert_count", kMostExperts));
        TRY(layer.experts_per_token, keys_.needed("expert_used_count", kMostExperts));
        layer.expert_params = sums.experts.params / layer.experts;
        return {};
    }

    Result<void> read_query_heads(uint32_t i, LayerGeometry& layer) {
        TRY(layer.heads, keys_.of_layer("attention.head_count", i, kMostHeads, 0));
        if (layer.heads == 0)
            return Error{Code::corrupt, concat(file_.name(), ": layer ", i, " attends, and ",
                                               architecture_, ".attention.head_count is 0")};
        g_.heads = std::max(g_.heads, layer.heads);
        return {};
    }

    Result<LayerKv> heads(uint32_t i, LayerGeometry& layer) {
        TRY(read_query_heads(i, layer));
        const uint32_t dim = g_.d_model / layer.heads;
        HeadsKv kv;
        TRY(kv.kv_heads, keys_.of_layer("attention.head_count_kv", i, kMostHeads, layer.heads));
        TRY(kv.key_dim, keys_.count_or("attention.key_length", kMostWidth, dim));
        TRY(kv.value_dim, keys_.count_or("attention.value_length", kMostWidth, dim));
        const bool windowed = period_ == 1 || (period_ > 1 && (i + 1) % period_ != 0);
        kv.window = windowed ? window_ : 0;
        if (kv.kv_heads == 0) return LayerKv(NoKv{});
        return LayerKv(kv);
    }

    Result<LayerKv> latent(uint32_t i, LayerGeometry& layer) {
        TRY(read_query_heads(i, layer));
        LatentKv kv;
        TRY(kv.latent, keys_.needed("attention.kv_lora_rank", kMostWidth));
        TRY(kv.rope, keys_.count_or("rope.dimension_count", kMostWidth, 0));
        // Older files have the expanded widths where newer ones have those of the latent.
        TRY(const uint32_t key, keys_.count_or("attention.key_length", kMostWidth, 0));
        TRY(const uint32_t value, keys_.count_or("attention.value_length", kMostWidth, 0));
        TRY(const uint32_t expanded, keys_.count_or("attention.key_length_mla", kMostWidth, key));
        TRY(kv.value_dim, keys_.count_or("attention.value_length_mla", kMostWidth, value));
        kv.nope = expanded > kv.rope ? expanded - kv.rope : 0;
        return LayerKv(kv);
    }

    /// llama.cpp keeps the state and the last inputs of the convolution in fp32.
    Result<LayerKv> state() const {
        TRY(const uint64_t inner, keys_.needed("ssm.inner_size", kMostInner));
        TRY(const uint64_t size, keys_.needed("ssm.state_size", kMostWidth));
        TRY(const uint64_t taps, keys_.needed("ssm.conv_kernel", 1 << 10));
        TRY(const uint64_t groups, keys_.count_or("ssm.group_count", kMostHeads, 0));
        return LayerKv(StateKv{4 * (inner * size + (taps - 1) * (inner + 2 * groups * size))});
    }

    const GgufFile& file_;
    GgufKeys keys_;
    std::string architecture_;
    TensorSums sums_;
    ModelGeometry g_;
    uint32_t window_ = 0;
    uint32_t period_ = 0;
};

}  // namespace

Result<ModelGeometry> geometry_from_gguf(const GgufFile& file) {
    TRY(const auto architecture, file.string("general.architecture"));
    if (!architecture)
        return Error{Code::corrupt, concat(file.name(), ": has no general.architecture")};
    return GgufReader(file, *architecture).read();
}

}  // namespace brigada
