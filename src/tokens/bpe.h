// Bpe: byte pair encoding of one word. The two neighbours whose merge comes first in the
// vocabulary's order become one, the leftmost of equals, until no neighbours can.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "tokens/flat_map.h"
#include "tokens/piece_map.h"
#include "tokens/vocabulary.h"

namespace brigada {

class Bpe {
  public:
    /// Memory for words too long to merge on the stack, to reuse from word to word.
    struct Scratch {
        struct Node {
            uint32_t id;
            uint32_t rank;  // of the merge with the next node
            uint32_t prev;
            uint32_t next;
        };
        std::vector<uint32_t> symbols;
        std::vector<Node> nodes;
        std::vector<uint64_t> heap;  // rank << 32 | node, least first
    };

    /// `pieces` are those of `spec`, decoded to bytes for bpe_bytes; they must outlive this.
    /// Without a merge list bpe_spm merges by score. Error::corrupt names a merge of pieces that do
    /// not exist.
    static Result<Bpe> create(const VocabularySpec& spec, const StringTable& pieces);

    /// The piece that `word` becomes as a whole, if it is one.
    std::optional<TokenId> whole(std::string_view word) const {
        return whole_.find(word, *pieces_);
    }

    /// Appends the ids of `word`. What the vocabulary has no piece for becomes byte pieces, else
    /// the unknown token, else nothing.
    void append(std::string_view word, Scratch& scratch, Tokens& out) const;

  private:
    struct Target {
        uint32_t rank;
        uint32_t id;
    };

    Bpe(const VocabularySpec& spec, const StringTable& pieces);

    Result<void> read_merges(const VocabularySpec& spec);
    void derive_merges(const VocabularySpec& spec);
    void find_bytes(const VocabularySpec& spec);
    void find_whole(const VocabularySpec& spec);

    const Target* target(uint32_t left, uint32_t right) const {
        return targets_.find(uint64_t{left} << 32 | right);
    }
    uint32_t rank_of(uint32_t left, uint32_t right) const {
        const Target* t = target(left, right);
        return t ? t->rank : kNoRank;
    }
    void append_symbols(std::string_view word, std::vector<uint32_t>& symbols) const;
    size_t merge_few(uint32_t* ids, size_t count) const;
    void merge_many(Scratch& scratch) const;

    static constexpr uint32_t kNoRank = UINT32_MAX;
    static constexpr uint32_t kUnknown = UINT32_MAX - 1;  // a symbol without a piece
    static constexpr size_t kFew = 32;

    const StringTable* pieces_;
    bool over_bytes_;
    bool byte_fallback_;
    bool fuse_unk_;
    std::optional<TokenId> unk_;
    PieceMap known_;  // pieces that text can become
    PieceMap whole_;  // of these, the ones a word equal to them does become
    FlatMap<Target> targets_;
    std::array<uint32_t, 256> byte_ids_{};
};

/// Whether text may become this piece: not the control, unknown and byte ones.
bool is_textual(const VocabularySpec& spec, size_t id);

/// The byte of a byte piece: 10 for "<0x0A>".
std::optional<uint8_t> byte_of_piece(std::string_view piece);

}  // namespace brigada
