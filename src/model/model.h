// Model: one model on disk, opened. Its config, its weights under one set of names whatever the
// file called them, its tokenizer, its chat template and what ends a generation. Weights stay in
// the mapped files; opening reads headers and vocabulary only.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/ids.h"
#include "base/result.h"
#include "model/config.h"
#include "model/tensor.h"

namespace brigada {

class Tokenizer;

/// What the publisher recommends; a request may say otherwise.
struct GenerationDefaults {
    std::optional<float> temperature;
    std::optional<float> top_p;
    std::optional<float> min_p;
    std::optional<uint32_t> top_k;
    std::optional<float> repetition_penalty;
    std::optional<bool> do_sample;  // false: greedy

    bool operator==(const GenerationDefaults&) const = default;
};

/// A chat template's source. Most models have one, named "default"; some a second, "tool_use".
struct ChatTemplateSource {
    std::string name;
    std::string source;
};

class Model {
  public:
    Model(Model&&) noexcept;
    Model& operator=(Model&&) noexcept;
    ~Model();

    const ModelConfig& config() const { return parts_.config; }
    const Path& path() const { return parts_.path; }

    /// Weights by GGUF's names, sorted by name. For layer N of `config().layers`:
    ///   token_embd.weight          [vocab][d_model]
    ///   blk.N.attn_norm.weight     [d_model]
    ///   blk.N.attn_q.weight        [heads * head_dim][d_model]     .bias [heads * head_dim]
    ///   blk.N.attn_k.weight        [kv_heads * head_dim][d_model]  .bias [kv_heads * head_dim]
    ///   blk.N.attn_v.weight        as attn_k
    ///   blk.N.attn_q_norm.weight   [head_dim]; attn_k_norm too, when qk_norm
    ///   blk.N.attn_output.weight   [d_model][heads * head_dim]     .bias [d_model]
    ///   blk.N.ffn_norm.weight      [d_model]
    ///   blk.N.ffn_gate.weight      [d_ff][d_model]; ffn_up too     .bias [d_ff]
    ///   blk.N.ffn_down.weight      [d_model][d_ff]                 .bias [d_model]
    ///   output_norm.weight         [d_model]
    ///   output.weight              [vocab][d_model], absent when tied_embeddings
    /// All of them are present with these shapes, biases exactly when the config says so. Norms and
    /// biases are f32 in GGUF files, f32, f16 or bf16 in Hugging Face's: read them with
    /// dequantise_row.
    std::span<const Tensor> tensors() const { return parts_.tensors; }

    /// Null when there is none of this name.
    const Tensor* find(std::string_view name) const;

    /// CHECKs that it exists: for the names that the list above promises.
    const Tensor& tensor(std::string_view name) const;

    /// The matrix that makes logits: output.weight, or token_embd.weight when tied.
    const Tensor& output() const;

    const Tokenizer& tokenizer() const { return *parts_.tokenizer; }

    /// Jinja source, "" when the model has none of this name.
    std::string_view chat_template(std::string_view name = "default") const;

    /// Tokens that end a generation, ascending: end of text, of turn, of message.
    std::span<const TokenId> end_of_generation() const { return parts_.end_of_generation; }

    const GenerationDefaults& generation_defaults() const { return parts_.defaults; }

    /// Everything a Model is made of; the files that own the weights' bytes are kept in `owner`.
    struct Parts {
        Path path;
        ModelConfig config;
        std::vector<Tensor> tensors;
        std::unique_ptr<Tokenizer> tokenizer;
        std::vector<ChatTemplateSource> templates;
        std::vector<TokenId> end_of_generation;
        GenerationDefaults defaults;
        std::shared_ptr<const void> owner;
    };

    /// Checks names and shapes against the config. Error::corrupt names the tensor.
    static Result<Model> make(Parts parts);

  private:
    explicit Model(Parts parts);

    Parts parts_;
};

/// Opens a .gguf file, or a directory with config.json, safetensors and tokenizer.json.
Result<Model> open_model(const Path& path);

}  // namespace brigada
