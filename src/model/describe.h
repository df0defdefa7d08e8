// What one wants to know of a model before serving it: where its bytes are, what a token of context
// costs and how many sequences fit. Pure arithmetic over a config and a list of tensors; text and
// JSON for `brigada model inspect` and `brigada model kv`.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "model/config.h"
#include "model/model.h"

namespace brigada {

/// How a number in the KV cache is stored.
enum class KvNumber { f32, f16, bf16 };

std::string_view to_string(KvNumber number);
uint64_t bytes_of(KvNumber number);

/// Keys and values that one more token adds, over all layers, as long as no window is full.
uint64_t kv_bytes_per_token(const ModelConfig& config, KvNumber number);

/// The same once every window is full: full-attention layers only.
uint64_t kv_bytes_per_growing_token(const ModelConfig& config, KvNumber number);

/// Keys and values of a sequence of `tokens`: a window layer holds its last tokens only.
uint64_t kv_bytes_per_sequence(const ModelConfig& config, KvNumber number, uint64_t tokens);

/// The longest sequence whose KV fits in `bytes`, at most config.max_context; 0 when not even one
/// token.
uint64_t longest_sequence(const ModelConfig& config, KvNumber number, uint64_t bytes);

struct DTypeShare {
    DType dtype;
    uint64_t tensors = 0;
    uint64_t elements = 0;
    uint64_t bytes = 0;
};

struct ModelFacts {
    ModelConfig config;
    uint64_t parameters = 0;         // numbers in all weights
    uint64_t weight_bytes = 0;       // in the file
    std::vector<DTypeShare> dtypes;  // in the order of DType, those that occur
    bool has_chat_template = false;
    uint32_t full_layers = 0;
    uint32_t window_layers = 0;
};

ModelFacts facts_of(const Model& model);
ModelFacts facts_of(const ModelConfig& config, std::span<const Tensor> tensors);

/// What fits beside the weights in `ram_bytes` of memory: one line of the table for each of these
/// lengths, and the longest single sequence.
struct KvFit {
    uint64_t tokens = 0;  // length of a sequence
    uint64_t bytes_per_sequence = 0;
    uint64_t sequences = 0;  // that fit at once
};
std::vector<KvFit> kv_fits(const ModelFacts& facts, KvNumber number, uint64_t ram_bytes);

/// Pages for a person: architecture, weights, layers; KV per token, per sequence, and what fits.
std::string inspect_text(const ModelFacts& facts);
std::string kv_text(const ModelFacts& facts, uint64_t ram_bytes);

/// The same for machines; keys carry their unit.
Json inspect_json(const ModelFacts& facts);
Json kv_json(const ModelFacts& facts, uint64_t ram_bytes);

/// "1.24 B", "257 K" of things; "1.31 GB", "620 MB" of bytes (powers of ten).
std::string count_text(uint64_t count);
std::string bytes_text(uint64_t bytes);

}  // namespace brigada
