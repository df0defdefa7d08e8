// PromptText: text that a model reads as a given number of tokens: stretches of real prose and
// code, chosen by a key. The same key gives the same text, so what a trace's prompts share, the
// prompts that are sent share too.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace brigada {

class Tokenizer;

class PromptText {
  public:
    /// Counts with the model's own tokenizer; exact to the token as far as the tokenizer cuts at
    /// words, as nearly all do. It is not kept.
    explicit PromptText(const Tokenizer& tokenizer);

    /// Without one: words and marks are estimated, and each token of the estimate is `scale` tokens
    /// of the server; within [kLeastScale, kMostScale]. On 64 tokens the estimate is off by 8 %
    /// (root mean square over seven public vocabularies), on long texts by little, as each
    /// vocabulary has a scale of its own: 0.95 to 1.2.
    explicit PromptText(double scale);
    static constexpr double kLeastScale = 0.1, kMostScale = 8;

    /// Appends `tokens` tokens of text, escaped as inside a JSON string. It begins with a space.
    /// Fewer tokens of the same key are the beginning of more, except for the last few words.
    /// Words are whole, so something may be missing or too much: that, in thousandths of a token,
    /// is returned, and `owed` by the text that follows.
    int64_t append(std::string& out, uint64_t key, uint32_t tokens, int64_t owed = 0) const;

    /// Whether a tokenizer counts.
    bool is_exact() const { return exact_; }
    /// Bytes of text, not escaped, per token.
    double bytes_per_token() const;
    /// Of the estimate; 1 where a tokenizer counts.
    double scale() const { return scale_; }

  private:
    void read_corpus();
    void find_places();
    int64_t append_stretch(std::string& out, uint64_t key, uint64_t weight) const;
    uint64_t append_short_words(std::string& out, uint64_t key, uint64_t count) const;

    /// The corpus, escaped, is units: a space, a word, and what follows it up to the next such
    /// space. Unit i is the bytes from offsets_[i] to offsets_[i + 1]; all before it weigh
    /// weights_[i], in thousandths of a token.
    std::string text_;
    std::vector<uint32_t> offsets_;
    std::vector<uint64_t> weights_;
    std::vector<std::string> short_words_;  // of one token each, where a tokenizer counts
    uint64_t corpus_bytes_ = 0;             // not escaped
    uint64_t places_ = 0;                   // a stretch begins at a unit below
    double scale_ = 1;
    bool exact_ = false;
};

/// Words of up to ten letters, runs of up to three digits, pairs of other marks and line ends, of
/// which vocabularies make about one token each. Of ASCII text, not escaped.
uint64_t estimated_tokens(std::string_view text);

/// A key for part of a block: `block` is the name that a trace gives it, `from` the token of it at
/// which the text begins.
uint64_t prompt_text_key(uint64_t block, uint32_t from);

}  // namespace brigada
