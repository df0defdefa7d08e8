// What the tests of this folder share: the small real models of testdata/models, opened and loaded,
// and sequences run through a transformer by hand.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "engine/transformer.h"
#include "model/model.h"

namespace brigada {

inline Path model_path(const std::string& name) {
    return Path(BRIGADA_TESTDATA) / "models" / name;
}

/// A transformer with its model and a block table that lies straight: block i holds the tokens from
/// 16 * i on. `blocks` is room for one sequence.
class TestModel {
  public:
    TestModel(const Path& path, const TransformerOptions& options, uint32_t blocks = 64) {
        Result<Model> opened = open_model(path);
        CHECK(opened.ok(), opened.error().message);
        model_ = std::make_unique<Model>(std::move(opened).value());
        TransformerOptions with_context = options;
        with_context.max_context = blocks * kKvBlockTokens;
        auto loaded = Transformer::load(*model_, with_context, {});
        CHECK(loaded.ok(), loaded.error().message);
        transformer_ = std::move(loaded).value();
        CHECK(transformer_->allocate_kv(blocks).ok());
        for (uint32_t i = 0; i < blocks; ++i)
            table_.push_back(BlockId{i});
    }

    /// Logits after the last of `tokens`, which stand at `first` and later.
    std::vector<float> run(std::span<const TokenId> tokens, uint32_t first = 0) {
        StepBatch batch;
        batch.add(
            {.tokens = tokens, .first_position = first, .blocks = table_, .wants_logits = true});
        std::vector<float> logits(transformer_->vocab());
        transformer_->forward(batch, logits.data());
        return logits;
    }

    const Model& model() const { return *model_; }
    Transformer& transformer() { return *transformer_; }
    std::span<const BlockId> table() const { return table_; }

  private:
    std::unique_ptr<Model> model_;
    std::unique_ptr<Transformer> transformer_;
    std::vector<BlockId> table_;
};

/// The instruction sets this machine runs.
inline std::vector<Isa> runnable_isas() {
    std::vector<Isa> out;
    for (Isa isa : kAllIsas)
        if (isa <= best_isa()) out.push_back(isa);
    return out;
}

inline Tokens tokens_of(const Json& ids) {
    Tokens out;
    for (uint32_t id : ids)
        out.push_back(TokenId{id});
    return out;
}

}  // namespace brigada
