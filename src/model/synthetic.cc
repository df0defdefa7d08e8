#include "model/synthetic.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include "base/check.h"
#include "base/concat.h"
#include "base/fnv.h"
#include "base/rng.h"
#include "model/quantise.h"
#include "model/weight_names.h"

namespace brigada {

namespace {

constexpr uint32_t kByteTokens = 3;  // the first of 256
constexpr uint32_t kWords = kByteTokens + 256;

/// Normal with deviation 1 (Box and Muller, one of each pair).
float draw_normal(Rng& rng) {
    const double radius = std::sqrt(-2 * std::log(1 - rng.uniform()));
    return static_cast<float>(radius * std::cos(2 * std::numbers::pi * rng.uniform()));
}

GgufWriter::RowMaker random_rows(uint64_t seed, float deviation) {
    auto rng = std::make_shared<Rng>(seed);
    return [rng, deviation](uint64_t, std::span<float> out) {
        for (float& value : out)
            value = deviation * draw_normal(*rng);
    };
}

GgufWriter::RowMaker constant_rows(float value) {
    return [value](uint64_t, std::span<float> out) { std::ranges::fill(out, value); };
}

bool writes_to_residual(std::string_view name) {
    return name.ends_with("attn_output.weight") || name.ends_with("ffn_down.weight");
}

GgufWriter::RowMaker rows_of(const NeededWeight& weight, uint64_t seed) {
    if (weight.name.ends_with("norm.weight")) return constant_rows(1);
    if (weight.name.ends_with(".bias")) return constant_rows(0);
    const float deviation = writes_to_residual(weight.name) ? 0.02f / 40 : 0.02f;
    return random_rows(seed ^ fnv1a64(weight.name), deviation);
}

DType dtype_of(const NeededWeight& weight, DType wanted) {
    if (weight.shape.size() == 1) return DType::f32;
    return weight.shape.back() % block_elements(wanted) == 0 ? wanted : DType::f16;
}

void add_config(GgufWriter& writer, const ModelConfig& c) {
    const std::string_view architecture =
        to_string(c.architecture == Architecture::mistral ? Architecture::llama : c.architecture);
    const auto key = [&](std::string_view name) { return concat(architecture, ".", name); };
    writer.add_string("general.architecture", architecture);
    writer.add_string("general.name", c.name);
    writer.add_u32(key("context_length"), c.max_context);
    writer.add_u32(key("embedding_length"), c.d_model);
    writer.add_u32(key("block_count"), c.layers);
    writer.add_u32(key("feed_forward_length"), c.d_ff);
    writer.add_u32(key("attention.head_count"), c.heads);
    writer.add_u32(key("attention.head_count_kv"), c.kv_heads);
    writer.add_u32(key("attention.key_length"), c.head_dim);
    writer.add_u32(key("attention.value_length"), c.head_dim);
    writer.add_f32(key("attention.layer_norm_rms_epsilon"), c.norm_eps);
    writer.add_u32(key("rope.dimension_count"), c.rope.dims);
    writer.add_f32(key("rope.freq_base"), static_cast<float>(c.rope.theta));
}

std::string piece(uint32_t id) {
    constexpr std::array<std::string_view, kByteTokens> kControl = {"<unk>", "<s>", "</s>"};
    if (id < kByteTokens) return std::string(kControl[id]);
    if (id < kWords) return fmt::format("<0x{:02X}>", id - kByteTokens);
    return concat("▁word", id);
}

void add_vocabulary(GgufWriter& writer, uint32_t size) {
    std::vector<std::string> pieces;
    std::vector<float> scores;
    std::vector<int32_t> types;
    for (uint32_t id = 0; id < size; ++id) {
        pieces.push_back(piece(id));
        scores.push_back(id < kWords ? 0.0f : -static_cast<float>(id));
        types.push_back(id == 0 ? 2 : id < kByteTokens ? 3 : id < kWords ? 6 : 1);
    }
    writer.add_string("tokenizer.ggml.model", "llama");
    writer.add_strings("tokenizer.ggml.tokens", pieces);
    writer.add_f32s("tokenizer.ggml.scores", scores);
    writer.add_i32s("tokenizer.ggml.token_type", types);
    writer.add_u32("tokenizer.ggml.bos_token_id", 1);
    writer.add_u32("tokenizer.ggml.eos_token_id", 2);
    writer.add_u32("tokenizer.ggml.unknown_token_id", 0);
}

}  // namespace

GgufWriter synthetic_gguf(const ModelConfig& config, const SyntheticOptions& options) {
    CHECK(config.vocab >= kWords, "vocab=", config.vocab);
    CHECK(std::holds_alternative<RopeUnscaled>(config.rope.scaling),
          to_string(config.rope.scaling));
    CHECK(can_quantise(options.dtype), to_string(options.dtype));
    GgufWriter writer;
    add_config(writer, config);
    add_vocabulary(writer, config.vocab);
    for (NeededWeight& weight : needed_weights(config)) {
        const DType dtype = dtype_of(weight, options.dtype);
        auto rows = rows_of(weight, options.seed);
        writer.add_tensor(std::move(weight.name), dtype, std::move(weight.shape), std::move(rows));
    }
    return writer;
}

ModelConfig qwen3_0_6b_shape() {
    ModelConfig c;
    c.architecture = Architecture::qwen3;
    c.name = "Qwen3-0.6B, random weights";
    c.vocab = 151'936;
    c.d_model = 1024;
    c.layers = 28;
    c.heads = 16;
    c.kv_heads = 8;
    c.head_dim = 128;
    c.d_ff = 3072;
    c.max_context = 40'960;
    c.norm_eps = 1e-6f;
    c.tied_embeddings = true;
    c.qk_norm = true;
    c.rope = Rope{.theta = 1e6, .dims = 128};
    c.layer_kinds.assign(c.layers, FullAttention{});
    return c;
}

ModelConfig llama_3_2_1b_shape() {
    ModelConfig c;
    c.architecture = Architecture::llama;
    c.name = "Llama-3.2-1B, random weights";
    c.vocab = 128'256;
    c.d_model = 2048;
    c.layers = 16;
    c.heads = 32;
    c.kv_heads = 8;
    c.head_dim = 64;
    c.d_ff = 8192;
    c.max_context = 131'072;
    c.norm_eps = 1e-5f;
    c.tied_embeddings = true;
    c.rope = Rope{.theta = 500'000, .dims = 64, .pairing = RopePairing::adjacent};
    c.layer_kinds.assign(c.layers, FullAttention{});
    return c;
}

}  // namespace brigada
