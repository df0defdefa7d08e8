// StreamDecoder: tokens in, text out, one token at a time and never half a character. What comes
// out, put together, is what Tokenizer::decode says of the whole.
#pragma once

#include <string>

#include "base/ids.h"
#include "tokens/tokenizer.h"

namespace brigada {

/// Borrows the tokenizer, which must outlive it.
class StreamDecoder {
  public:
    /// With `skip_special` control tokens are left out, except those in `shown`.
    explicit StreamDecoder(const Tokenizer& tokenizer, bool skip_special = true, Tokens shown = {});

    /// The text that is complete now: UTF-8, possibly empty. Bytes that may still become a
    /// character wait; bytes that cannot are U+FFFD.
    std::string append(TokenId id);

    /// What still waits, as U+FFFD. The decoder then stands at the start of a new text.
    std::string flush();

  private:
    bool is_left_out(TokenId id) const;

    const Tokenizer* tokenizer_;
    bool skip_special_;
    Tokens shown_;
    bool at_start_ = true;
    std::string pending_;  // the beginning of a character, at most 3 bytes
};

}  // namespace brigada
