// GrammarMasks: which tokens of a vocabulary may come next at a position of a grammar. What a frame
// allows whoever called its rule is worked out once per frame; the tokens that run past the end of
// the rule are looked at once per position; both are kept. One for each grammar in use, on the
// thread that samples; answers with the same grammar share it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "grammar/code_points.h"
#include "grammar/grammar.h"
#include "grammar/recogniser.h"
#include "grammar/token_mask.h"
#include "grammar/token_trie.h"

namespace brigada {

/// What a GrammarMasks may keep before its owner begins a new one for new answers.
inline constexpr size_t kManyGrammarBytes = 16 << 20;

class GrammarMasks {
  public:
    /// Control tokens that count as text, where it fits.
    struct Control {
        TokenId token{};
        std::string text;
    };
    /// `trie` must outlive it.
    GrammarMasks(std::shared_ptr<const Grammar> grammar, const TokenTrie& trie,
                 std::vector<Control> controls = {});

    /// Where an answer begins. `strips_first_space`: as the tokenizer says.
    Position start(bool strips_first_space) {
        return strips_first_space ? recogniser_.start_before_space() : recogniser_.start();
    }

    /// After a token with these bytes.
    Position step(Position at, std::string_view bytes);

    bool may_end(Position at) const { return recogniser_.may_end(at); }

    /// The text tokens after which the text is still the beginning of one of the grammar's. Valid
    /// until the next call.
    const TokenMask& allowed(Position at);

    size_t size_bytes() const { return recogniser_.size_bytes() + bytes_; }

  private:
    /// What a frame says of tokens by itself.
    struct FrameMask {
        std::vector<TokenId> few;         // allowed, when they are few
        std::optional<TokenMask> many{};  // when not
        /// Nodes behind which the rule's caller goes on: their subtrees are looked at each time.
        std::vector<uint32_t> open, open_not_plain;
    };

    TokenMask work_out(Position at);
    void add_text(Position at, TokenMask& out);
    void add_open(Position at, const TokenTrie::Walk& walk, const std::vector<uint32_t>& open,
                  TokenMask& out);
    const FrameMask& frame_mask(Recogniser::Frame frame);
    FrameMask work_out(Recogniser::Frame frame);
    void walk(Position at, const TokenTrie::Walk& walk, uint32_t node, uint32_t end, bool alone,
              TokenMask& out, std::vector<uint32_t>& open);

    // How much plain text may follow.
    uint32_t plain_run(Position at);
    bool survives(Position at, uint32_t characters);
    bool plain_targets(Position at, std::vector<Position>& out);

    struct PlainRun {
        uint8_t survives = 0;                    // this many characters, whatever they are
        uint8_t dies = kMaxPlainCharacters + 1;  // not so many
    };

    const TokenTrie& trie_;
    std::vector<Control> controls_;
    Recogniser recogniser_;
    std::vector<ByteRanges> plain_bytes_;                  // of plain characters
    std::unordered_map<uint32_t, TokenMask> masks_;        // [position]
    std::unordered_map<uint32_t, FrameMask> frame_masks_;  // [frame]
    std::unordered_map<uint32_t, PlainRun> plain_runs_;    // [position]
    std::vector<Position> path_;                           // scratch of walk
    size_t bytes_ = 0;
};

}  // namespace brigada
