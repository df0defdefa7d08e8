// Synthetic models: random weights in the shapes of a config, as a GGUF file. For benchmarks at
// real geometry, where what is written matters less than how fast, and for tests of loaders and
// engines.
#pragma once

#include <cstdint>

#include "model/config.h"
#include "model/gguf_writer.h"

namespace brigada {

struct SyntheticOptions {
    DType dtype = DType::q8_0;  // of the matrices whose rows it can hold; others are F16
    uint64_t seed = 1;
};

/// A writer holding metadata, vocabulary and every weight that `config` needs; rows are drawn while
/// it writes. Matrices are normal with deviation 0.02, those that write to the residual stream 40
/// times smaller, so that it stays near the embeddings; norms are 1, biases 0. The vocabulary is
/// SentencePiece's: <unk>, <s>, </s>, the 256 bytes and then made-up words, so config.vocab must be
/// at least 259. CHECKs that the architecture is one that GGUF has (mistral is written as llama)
/// and that RoPE is unscaled.
GgufWriter synthetic_gguf(const ModelConfig& config, const SyntheticOptions& options);

/// The shapes of Qwen3-0.6B and Llama-3.2-1B, the latter with its RoPE unscaled.
ModelConfig qwen3_0_6b_shape();
ModelConfig llama_3_2_1b_shape();

}  // namespace brigada
