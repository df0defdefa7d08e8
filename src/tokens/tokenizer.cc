#include "tokens/tokenizer.h"

#include <algorithm>

#include "tokens/tokenizer_json.h"
#include "tokens/tokenizer_parts.h"
#include "tokens/unicode.h"
#include "tokens/word_cache.h"

namespace brigada {

namespace {

/// A longer run without a place to cut is cut there all the same, so that memory stays bounded.
constexpr size_t kLongestWord = 1 << 22;

/// One call of encode: what it reuses from word to word.
class Encoding {
  public:
    Encoding(const TokenizerParts& parts, size_t text_bytes, Tokens& out)
        : parts_(parts), out_(out), cache_(text_bytes) {
        if (const auto* bpe = std::get_if<Bpe>(&*parts.model))
            bpe_ = bpe;
        else
            unigram_ = std::get_if<Unigram>(&*parts.model);
    }

    void append_text(std::string_view text, Specials specials);
    size_t count_text(std::string_view text, Specials specials, StretchCounts* known);

  private:
    size_t count_segment(std::string_view text, bool at_start, Specials specials,
                         StretchCounts* known);
    void append_segment(std::string_view text, bool at_start, Specials specials);
    void append_words(std::string_view text, bool at_start);
    void append_word(std::string_view word);
    void form_word(std::string_view word);

    const TokenizerParts& parts_;
    Tokens& out_;
    WordCache cache_;
    std::string normalized_;
    Words words_;
    const Bpe* bpe_ = nullptr;
    const Unigram* unigram_ = nullptr;
    Bpe::Scratch bpe_scratch_;
    Unigram::Scratch unigram_scratch_;
};

void Encoding::append_text(std::string_view text, Specials specials) {
    const AddedTokens& added = parts_.added_raw;
    if (specials == Specials::no_added) return append_segment(text, true, specials);
    for (size_t at = 0; at < text.size();) {
        const auto [span, token] = added.find(text, at, specials == Specials::none);
        append_segment(text.substr(at, span.begin - at), at == 0, specials);
        if (token) out_.push_back(token->id);
        at = span.end;
    }
}

/// The ids are made all the same: words that come again are copied from them.
size_t Encoding::count_text(std::string_view text, Specials specials, StretchCounts* known) {
    const AddedTokens& added = parts_.added_raw;
    if (specials == Specials::no_added) return count_segment(text, true, specials, known);
    size_t tokens = 0;
    for (size_t at = 0; at < text.size();) {
        const auto [span, token] = added.find(text, at, specials == Specials::none);
        tokens += count_segment(text.substr(at, span.begin - at), at == 0, specials, known);
        tokens += token ? 1 : 0;
        at = span.end;
    }
    return tokens;
}

size_t Encoding::count_segment(std::string_view text, bool at_start, Specials specials,
                               StretchCounts* known) {
    if (text.empty()) return 0;
    if (known)
        if (const auto found = known->find(text, at_start)) return *found;
    const size_t before = out_.size();
    append_segment(text, at_start, specials);
    const size_t tokens = out_.size() - before;
    if (known) known->keep(text, at_start, static_cast<uint32_t>(tokens));
    return tokens;
}

/// A stretch without raw added tokens.
void Encoding::append_segment(std::string_view text, bool at_start, Specials specials) {
    if (text.empty()) return;
    text = parts_.normalizer.normalize(text, normalized_);
    const AddedTokens& added = parts_.added_normalized;
    if (specials == Specials::no_added || added.empty()) return append_words(text, at_start);
    for (size_t at = 0; at < text.size();) {
        const auto [span, token] = added.find(text, at, specials == Specials::none);
        append_words(text.substr(at, span.begin - at), at_start && at == 0);
        if (token) out_.push_back(token->id);
        at = span.end;
    }
}

void Encoding::append_words(std::string_view text, bool at_start) {
    parts_.pre_tokenizer.split(text, at_start, words_);
    for (const auto [begin, end] : words_.spans) {
        std::string_view word = words_.text.substr(begin, end - begin);
        while (parts_.cuts.any() && !word.empty()) {
            const size_t cut = parts_.cuts.first(word);
            append_word(word.substr(0, cut));
            word.remove_prefix(cut);
        }
        if (!word.empty()) append_word(word);
    }
}

void Encoding::append_word(std::string_view word) {
    if (bpe_) {
        if (const auto id = bpe_->whole(word)) {
            out_.push_back(*id);
            return;
        }
    }
    if (cache_.append_again(word, out_)) return;
    const size_t from = out_.size();
    for (size_t at = 0; at < word.size(); at += kLongestWord)
        form_word(word.substr(at, kLongestWord));
    cache_.remember(word, from, out_);
}

void Encoding::form_word(std::string_view word) {
    if (bpe_)
        bpe_->append(word, bpe_scratch_, out_);
    else
        unigram_->append(word, unigram_scratch_, out_);
}

}  // namespace

Result<Tokenizer> Tokenizer::from_spec(VocabularySpec spec) {
    TRY(spec, complete_spec(std::move(spec)));
    TRY(auto parts, TokenizerParts::build(spec));
    return Tokenizer(std::move(parts));
}

Result<Tokenizer> Tokenizer::from_json(std::string_view tokenizer_json,
                                       std::string_view tokenizer_config_json) {
    TRY(VocabularySpec spec, read_tokenizer_json(tokenizer_json, tokenizer_config_json));
    return from_spec(std::move(spec));
}

Tokenizer::Tokenizer(std::unique_ptr<const TokenizerParts> parts) : parts_(std::move(parts)) {}
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;
Tokenizer::~Tokenizer() = default;

Tokens Tokenizer::encode(std::string_view text, Specials specials) const {
    Tokens out;
    append_encoded(text, specials, out);
    return out;
}

void Tokenizer::append_encoded(std::string_view text, Specials specials, Tokens& out) const {
    Encoding(*parts_, text.size(), out).append_text(text, specials);
}

size_t Tokenizer::count(std::string_view text, Specials specials, StretchCounts* known) const {
    Tokens made;
    return Encoding(*parts_, text.size(), made).count_text(text, specials, known);
}

bool Tokenizer::cuts_within(std::string_view text, size_t from, size_t to) const {
    for (size_t at = 0; at < text.size();) {
        const auto [span, token] = parts_->added_raw.find(text, at, false);
        if (!token || span.begin > to) return false;
        if (span.begin >= from || (span.end >= from && span.end <= to)) return true;
        at = span.end;
    }
    return false;
}

std::string Tokenizer::decode(std::span<const TokenId> ids, bool skip_special) const {
    std::string joined;
    for (const TokenId id : ids)
        if (!(skip_special && is_special(id))) joined += bytes(id);
    std::string_view text = joined;
    if (strips_first_space() && text.starts_with(' ')) text.remove_prefix(1);
    std::string out;
    append_valid_utf8(text, out);
    return out;
}

std::string_view Tokenizer::bytes(TokenId id) const {
    return raw(id) < size() ? parts_->decoded[raw(id)] : std::string_view();
}

std::optional<TokenId> Tokenizer::find(std::string_view bytes) const {
    return parts_->by_bytes.find(bytes, parts_->decoded);
}

bool Tokenizer::is_special(TokenId id) const {
    return raw(id) < size() && parts_->is_special(id);
}
bool Tokenizer::ends_answer(TokenId id) const {
    return raw(id) < size() && parts_->flags[raw(id)] & TokenizerParts::kEnds;
}
std::span<const TokenId> Tokenizer::ends() const {
    return parts_->ends;
}
bool Tokenizer::strips_first_space() const {
    return parts_->strips_first_space;
}
size_t Tokenizer::size() const {
    return parts_->decoded.size();
}
std::optional<TokenId> Tokenizer::bos() const {
    return parts_->bos;
}
std::optional<TokenId> Tokenizer::eos() const {
    return parts_->eos;
}
std::optional<TokenId> Tokenizer::unk() const {
    return parts_->unk;
}
std::optional<TokenId> Tokenizer::pad() const {
    return parts_->pad;
}
bool Tokenizer::add_bos() const {
    return parts_->add_bos;
}
bool Tokenizer::add_eos() const {
    return parts_->add_eos;
}

}  // namespace brigada
