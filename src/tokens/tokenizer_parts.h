// TokenizerParts: the tables of a Tokenizer, built once from a complete VocabularySpec.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "tokens/added_tokens.h"
#include "tokens/bpe.h"
#include "tokens/cut_points.h"
#include "tokens/normalizer.h"
#include "tokens/piece_map.h"
#include "tokens/pre_tokenizer.h"
#include "tokens/unigram.h"
#include "tokens/vocabulary.h"

namespace brigada {

struct TokenizerParts {
    using Model = std::variant<Bpe, Unigram>;

    enum : uint8_t { kSpecial = 1, kEnds = 2 };

    /// `spec` must come from complete_spec. Errors are those of the parts: an unknown pattern, a
    /// merge of unknown pieces.
    static Result<std::unique_ptr<const TokenizerParts>> build(const VocabularySpec& spec);

    bool is_special(TokenId id) const { return flags[raw(id)] & kSpecial; }

    StringTable pieces;          // [id]: what words are looked up by
    StringTable decoded;         // [id]: what the token adds to a decoded text
    PieceMap by_bytes;           // of `decoded`
    std::vector<uint8_t> flags;  // [id]
    std::vector<TokenId> ends;
    AddedTokens added_raw;         // looked for first
    AddedTokens added_normalized;  // looked for after normalisation
    Normalizer normalizer;
    PreTokenizer pre_tokenizer;
    std::optional<Model> model;
    CutPoints cuts;  // of words, where the vocabulary lets us
    bool strips_first_space = false;
    bool add_bos = false, add_eos = false;
    std::optional<TokenId> bos, eos, unk, pad;

  private:
    TokenizerParts(const VocabularySpec& spec, Normalizer normalizer_in,
                   PreTokenizer pre_tokenizer_in);

    void mark_ends(const VocabularySpec& spec);
};

}  // namespace brigada
