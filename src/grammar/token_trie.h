// TokenTrie: the text tokens of a vocabulary by their bytes, as a tree laid out in the order of a
// walk: tokens with a common beginning share it, and a beginning that does not fit is skipped with
// all that begins so. Immutable; one serves all grammars of a model.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "grammar/token_mask.h"
#include "tokens/tokenizer.h"

namespace brigada {

/// Plain text is what a JSON string may hold as it stands: whole characters of UTF-8, none of them
/// a quotation mark, a backslash or a control character. Nearly all tokens are plain, and where all
/// plain text may follow they are allowed without a look. Longer ones are not worth counting.
inline constexpr uint32_t kMaxPlainCharacters = 24;

/// The characters of `text`, or nullopt when it is not plain.
std::optional<uint32_t> plain_characters(std::string_view text);

class TokenTrie {
  public:
    /// Control tokens, ends of an answer and tokens without bytes are left out.
    explicit TokenTrie(const Tokenizer& tokenizer);

    struct Node {
        uint32_t end = 0;     // of its subtree: the next node that does not begin like this one
        uint32_t parent = 0;  // the node before its last byte; itself at depth 1
        uint32_t tokens = 0;  // where its tokens begin in ids
        uint16_t count = 0;   // tokens that are over here
        uint16_t depth = 0;   // bytes from the root, at least 1
        uint8_t byte = 0;     // the last of them
    };
    struct Walk {
        std::vector<Node> nodes;   // each before its subtree, siblings by byte
        std::vector<TokenId> ids;  // in the order of nodes
        uint32_t max_depth = 0;
        std::span<const TokenId> tokens(const Node& node) const {
            return {ids.data() + node.tokens, node.count};
        }
    };

    const Walk& all() const { return all_; }
    /// The tokens that are not plain, or of more than kMaxPlainCharacters.
    const Walk& not_plain() const { return not_plain_; }
    /// Plain tokens of at most so many characters.
    const TokenMask& plain(uint32_t characters) const { return plain_[characters]; }
    /// The size of masks.
    size_t vocabulary() const { return vocabulary_; }

  private:
    size_t vocabulary_;
    Walk all_, not_plain_;
    std::vector<TokenMask> plain_;  // [0 .. kMaxPlainCharacters]
};

}  // namespace brigada
