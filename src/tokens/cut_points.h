// CutPoints: where a text can be cut without changing its pieces: between two characters that stand
// side by side in no piece of the vocabulary. SentencePiece's vocabularies name no words to cut
// into, and short words are formed faster, and found again in the cache.
#pragma once

#include <bitset>
#include <string_view>

#include "tokens/piece_map.h"
#include "tokens/vocabulary.h"

namespace brigada {

class CutPoints {
  public:
    /// None for bpe_bytes. A vocabulary that makes one unknown token of several characters is cut
    /// only before runs of ▁, which is never unknown.
    CutPoints(const VocabularySpec& spec, const StringTable& pieces);

    bool any() const { return any_; }

    /// The end of the first stretch of `text`, which is not empty: a cut point or the end.
    size_t first(std::string_view text) const;

  private:
    /// A character as far as we tell them apart: ASCII by itself, ▁, others by their first byte.
    static size_t kind(std::string_view text, size_t at);
    void join_all_but_marks();

    bool any_ = false;
    std::bitset<65536> joined_;  // [kind << 8 | kind of the next]: side by side in some piece
};

}  // namespace brigada
