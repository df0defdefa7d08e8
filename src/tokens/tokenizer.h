// Tokenizer: text to token ids and back, exactly as the model was trained. One object per
// vocabulary; everything is const after it is built, so any number of threads share one.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/result.h"
#include "tokens/vocabulary.h"

namespace brigada {

struct TokenizerParts;

/// Which added tokens (those of AddedToken) are looked for in a text.
enum class Specials {
    recognise,  // all: text a chat template has rendered
    none,  // only those that are not special: content a user wrote, who may not speak for others
    no_added,  // none at all
};

/// What Tokenizer::count() may ask and is told: counts of stretches, the pieces of a text that
/// added tokens leave between them. A stretch's tokens depend on nothing but itself and whether a
/// text begins with it.
class StretchCounts {
  public:
    virtual std::optional<uint32_t> find(std::string_view stretch, bool is_first) = 0;
    virtual void keep(std::string_view stretch, bool is_first, uint32_t tokens) = 0;

  protected:
    ~StretchCounts() = default;
};

class Tokenizer {
  public:
    /// Checks the spec and builds the tables. Error::corrupt when it contradicts itself (a merge of
    /// unknown pieces, a wrong number of scores), Error::unsupported for a `pre` or a pattern that
    /// this build does not know; both name it.
    static Result<Tokenizer> from_spec(VocabularySpec spec);

    /// Hugging Face's tokenizer.json and, where there is one, tokenizer_config.json (else empty).
    /// Errors as read_tokenizer_json and from_spec.
    static Result<Tokenizer> from_json(std::string_view tokenizer_json,
                                       std::string_view tokenizer_config_json);

    Tokenizer(Tokenizer&&) noexcept;
    Tokenizer& operator=(Tokenizer&&) noexcept;
    ~Tokenizer();

    /// The ids of `text`; no BOS or EOS is added. Any bytes are accepted: what is not UTF-8 becomes
    /// byte tokens where the vocabulary has them, else the unknown token.
    Tokens encode(std::string_view text, Specials specials) const;

    /// The same, appended to `out`: append_encoded(a), append_encoded(b) is encode(a) then
    /// encode(b).
    void append_encoded(std::string_view text, Specials specials, Tokens& out) const;

    /// encode(text, specials).size(), with the work only for stretches that `known` does not have.
    size_t count(std::string_view text, Specials specials, StretchCounts* known = nullptr) const;

    /// Whether an added token begins or ends within [from, to] of `text`: there encode() cuts,
    /// whatever stands on either side. Needs from <= to <= text.size().
    bool cuts_within(std::string_view text, size_t from, size_t to) const;

    /// The text of `ids`: always UTF-8, a byte that is none becomes U+FFFD. With `skip_special`
    /// control tokens are left out. Ids outside the vocabulary add nothing.
    std::string decode(std::span<const TokenId> ids, bool skip_special) const;

    /// The bytes that one token adds to the decoded text: possibly part of a character; for a
    /// control token its name. "" outside the vocabulary. SentencePiece's space at the start of a
    /// text is still there: see strips_first_space().
    std::string_view bytes(TokenId id) const;

    /// Whether decode drops one space at the start of a text.
    bool strips_first_space() const;

    /// The token whose bytes() are these, if there is one; control tokens by name: "<|im_end|>".
    std::optional<TokenId> find(std::string_view bytes) const;

    /// Control tokens: what Specials::recognise reads and decode can skip.
    bool is_special(TokenId id) const;

    /// Whether an answer ends with this token: EOS, and the vocabulary's ends of turn or message.
    bool ends_answer(TokenId id) const;
    std::span<const TokenId> ends() const;

    /// Number of ids: every id is below it.
    size_t size() const;

    std::optional<TokenId> bos() const;
    std::optional<TokenId> eos() const;
    std::optional<TokenId> unk() const;
    std::optional<TokenId> pad() const;
    /// What the source says of whole prompts; a rendered chat template usually has its BOS already.
    bool add_bos() const;
    bool add_eos() const;

  private:
    explicit Tokenizer(std::unique_ptr<const TokenizerParts> parts);

    std::unique_ptr<const TokenizerParts> parts_;
};

}  // namespace brigada
