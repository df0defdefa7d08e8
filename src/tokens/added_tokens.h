// AddedTokens: finds the added tokens of a vocabulary in a text, in one pass. At each place the
// longest one that begins there is found, and the search goes on behind it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tokens/flat_map.h"
#include "tokens/pattern_split.h"
#include "tokens/vocabulary.h"

namespace brigada {

class AddedTokens {
  public:
    /// Empty texts are never found; of two equal texts the first is.
    explicit AddedTokens(std::vector<AddedToken> tokens);

    struct Found {
        Span span;  // with the white space that lstrip and rstrip take
        const AddedToken* token = nullptr;
    };

    /// The first added token at or after `from`; token == nullptr and an empty span at the end if
    /// there is none. With `skip_special` special ones are ordinary text, though nothing is found
    /// inside them.
    Found find(std::string_view text, size_t from, bool skip_special) const;

    const std::vector<AddedToken>& all() const { return tokens_; }
    bool empty() const { return tokens_.empty(); }

  private:
    /// The longest token that begins at `at`, or nullptr.
    const AddedToken* longest_at(std::string_view text, size_t at) const;

    std::vector<AddedToken> tokens_;
    std::vector<uint64_t> first_two_;      // 65,536 bits: two bytes with which a token may begin
    FlatMap<uint32_t> edges_;              // node << 8 | byte -> node; the root is 0
    std::vector<uint32_t> token_at_node_;  // index + 1 of the token that ends at a node
};

}  // namespace brigada
