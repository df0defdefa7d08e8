// GrammarBook: the masks of the grammars that answers are being drawn with, kept for the next
// request that asks for the same. The engine's thread only.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "grammar/grammar.h"
#include "grammar/grammar_masks.h"
#include "grammar/token_trie.h"
#include "tokens/tokenizer.h"

namespace brigada {

/// Grammars kept; the one asked for longest ago goes first.
inline constexpr size_t kMaxOpenGrammars = 16;

class GrammarBook {
  public:
    /// `tokenizer` must outlive it.
    explicit GrammarBook(const Tokenizer& tokenizer) : tokenizer_(tokenizer), trie_(tokenizer) {}

    /// Of `grammar`, for answers that show these control tokens as text; null for null. Answers
    /// that run keep theirs, whatever the book forgets.
    std::shared_ptr<GrammarMasks> masks_of(const std::shared_ptr<const Grammar>& grammar,
                                           const Tokens& controls = {});

  private:
    struct Entry {
        std::shared_ptr<const Grammar> grammar;
        Tokens controls;
        std::shared_ptr<GrammarMasks> masks;
    };
    std::shared_ptr<GrammarMasks> new_masks(const Entry& entry) const;

    const Tokenizer& tokenizer_;
    TokenTrie trie_;
    std::vector<Entry> entries_;  // the one asked for last comes first
};

}  // namespace brigada
