// Unigram: SentencePiece's other model. Of all ways to cut a word into pieces it takes the one with
// the greatest sum of scores (Viterbi); a character without a piece counts as unknown, at a price.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "tokens/bpe.h"
#include "tokens/flat_map.h"
#include "tokens/piece_map.h"
#include "tokens/vocabulary.h"

namespace brigada {

class Unigram {
  public:
    struct Scratch {
        struct Best {
            double score;
            size_t from;  // where the last piece of the best cut begins
            uint32_t id;  // kUnknown: no piece
        };
        std::vector<Best> best;  // [byte position]
        std::vector<Best> path;
    };

    /// `pieces` are those of `spec`. Error::corrupt when there are no scores.
    static Result<Unigram> create(const VocabularySpec& spec, const StringTable& pieces);

    void append(std::string_view word, Scratch& scratch, Tokens& out) const;

  private:
    static constexpr uint32_t kUnknown = UINT32_MAX;
    static constexpr double kUnknownPenalty = 10.0;  // below the least score; SentencePiece's

    void insert(std::string_view piece, uint32_t id);
    void append_unknown(std::string_view text, Tokens& out) const;

    std::vector<float> scores_;
    double unknown_score_ = 0;
    FlatMap<uint32_t> edges_;              // node << 8 | byte -> node; the root is 0
    std::vector<uint32_t> piece_at_node_;  // id of the piece that ends at a node, or kUnknown
    std::vector<std::optional<TokenId>> byte_ids_;  // [256], or empty without byte fallback
    std::optional<TokenId> unk_;
};

}  // namespace brigada
