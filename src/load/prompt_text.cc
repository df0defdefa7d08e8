#include "load/prompt_text.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "dialect/escaped.h"
#include "load/corpus.h"
#include "tokens/tokenizer.h"

namespace brigada {

namespace {

constexpr uint64_t kWeightOfToken = 1'000;
constexpr uint32_t kLongestStretch = 2'048;  // tokens; a longer piece is several stretches

bool is_space(char c) {
    return c == ' ' || c == '\n';
}

/// Where units begin: at a single space between words, where tokenizers cut.
std::vector<size_t> unit_starts(std::string_view corpus) {
    std::vector<size_t> out;
    for (size_t i = 1; i + 1 < corpus.size(); ++i)
        if (corpus[i] == ' ' && !is_space(corpus[i - 1]) && !is_space(corpus[i + 1]))
            out.push_back(i);
    return out;
}

/// What a word adds where it stands in a text: at its beginning some tokenizers count otherwise.
size_t tokens_within(const Tokenizer& tokenizer, std::string_view unit) {
    const std::string before = "a";
    return tokenizer.count(before + std::string(unit), Specials::no_added) -
           tokenizer.count(before, Specials::no_added);
}

/// For vocabularies so small that no word is one token: what adds one however often it stands
/// there.
std::vector<std::string> one_token_marks(const Tokenizer& tokenizer) {
    std::vector<std::string> out;
    for (const char* mark : {" a", " I", ".", ",", ";", "!", "e", "s", "z", "Q"}) {
        std::string marks;
        bool adds_one = true;
        for (size_t n = 1; n <= 8; ++n) {
            marks += mark;
            adds_one = adds_one && tokens_within(tokenizer, " word" + marks + " word") ==
                                       2 * tokens_within(tokenizer, " word") + n;
        }
        if (adds_one) out.emplace_back(mark);
    }
    return out;
}

/// Source: the finaliser of splitmix64.
uint64_t mixed(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

/// The n-th number drawn for a key.
uint64_t draw(uint64_t key, uint64_t n) {
    return mixed(key + (n + 1) * 0x9e3779b97f4a7c15);
}

}  // namespace

uint64_t estimated_tokens(std::string_view text) {
    enum class Kind { space, letter, digit, line, mark };
    const auto kind_of = [](char c) {
        return c == ' '                                           ? Kind::space
               : c == '\n'                                        ? Kind::line
               : c >= '0' && c <= '9'                             ? Kind::digit
               : (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ? Kind::letter
                                                                  : Kind::mark;
    };
    const auto tokens_of = [](Kind kind, uint64_t run) -> uint64_t {
        switch (kind) {
            case Kind::letter:
                return 1 + (run - 1) / 10;
            case Kind::digit:
                return (run + 2) / 3;
            case Kind::mark:
                return run < 8 ? (run + 1) / 2 : 2;
            case Kind::line:
                return 1;
            case Kind::space:
                break;
        }
        return 0;
    };
    uint64_t out = 0;
    for (size_t i = 0; i < text.size();) {
        const Kind kind = kind_of(text[i]);
        size_t end = i + 1;
        while (end < text.size() &&
               (kind_of(text[end]) == kind || (kind == Kind::line && text[end] == ' ')))
            ++end;
        out += tokens_of(kind, end - i);
        i = end;
    }
    return out;
}

uint64_t prompt_text_key(uint64_t block, uint32_t from) {
    return mixed(mixed(block + 0x9e3779b97f4a7c15) + from);
}

PromptText::PromptText(const Tokenizer& tokenizer) : exact_(true) {
    read_corpus();
    const std::string_view corpus = load_corpus();
    const std::vector<size_t> starts = unit_starts(corpus);
    for (size_t i = 0; i + 1 < starts.size(); ++i) {
        const std::string_view unit = corpus.substr(starts[i], starts[i + 1] - starts[i]);
        const size_t tokens = tokens_within(tokenizer, unit);
        weights_.push_back(weights_.back() + tokens * kWeightOfToken);
        const bool is_word = std::ranges::none_of(unit.substr(1), is_space);
        if (tokens == 1 && is_word) short_words_.push_back(escaped(unit));
    }
    if (short_words_.empty()) short_words_ = one_token_marks(tokenizer);
    find_places();
}

PromptText::PromptText(double scale) : scale_(scale) {
    CHECK(scale >= kLeastScale && scale <= kMostScale);
    read_corpus();
    const std::string_view corpus = load_corpus();
    const std::vector<size_t> starts = unit_starts(corpus);
    uint64_t tokens = 0;
    for (size_t i = 0; i + 1 < starts.size(); ++i) {
        tokens += estimated_tokens(corpus.substr(starts[i], starts[i + 1] - starts[i]));
        weights_.push_back(static_cast<uint64_t>(
            std::llround(static_cast<double>(tokens * kWeightOfToken) * scale)));
    }
    find_places();
}

void PromptText::read_corpus() {
    const std::string_view corpus = load_corpus();
    const std::vector<size_t> starts = unit_starts(corpus);
    CHECK(starts.size() > 2 && starts.back() < UINT32_MAX);
    for (size_t i = 0; i + 1 < starts.size(); ++i) {
        offsets_.push_back(static_cast<uint32_t>(text_.size()));
        append_escaped(text_, corpus.substr(starts[i], starts[i + 1] - starts[i]));
    }
    offsets_.push_back(static_cast<uint32_t>(text_.size()));
    corpus_bytes_ = starts.back() - starts.front();
    weights_ = {0};
}

// Anywhere the longest stretch fits: what begins there does not depend on how long it is to be.
void PromptText::find_places() {
    constexpr uint64_t kLongest = kLongestStretch * kWeightOfToken;
    CHECK(weights_.back() > kLongest, "the corpus is too short for these tokens");
    const auto end = std::ranges::upper_bound(weights_, weights_.back() - kLongest);
    places_ = static_cast<uint64_t>(end - weights_.begin());
}

double PromptText::bytes_per_token() const {
    return static_cast<double>(corpus_bytes_) * double{kWeightOfToken} /
           static_cast<double>(weights_.back());
}

int64_t PromptText::append(std::string& out, uint64_t key, uint32_t tokens, int64_t owed) const {
    for (uint64_t n = 0; tokens > 0; ++n) {
        const uint32_t part = std::min(tokens, kLongestStretch);
        const int64_t wanted = int64_t{part} * int64_t{kWeightOfToken} + owed;
        owed =
            wanted <= 0 ? wanted : append_stretch(out, draw(key, n), static_cast<uint64_t>(wanted));
        tokens -= part;
    }
    return owed;
}

// A run of the corpus, up to the nearest end of a unit, or of at most this weight and what is
// missing in words of one token. Returns what is missing then.
int64_t PromptText::append_stretch(std::string& out, uint64_t key, uint64_t weight) const {
    const auto first = weights_.begin() + static_cast<std::ptrdiff_t>(draw(key, 0) % places_);
    auto last = std::ranges::upper_bound(first, weights_.end(), *first + weight) - 1;
    const auto missing = [&] {
        return static_cast<int64_t>(*first + weight) - static_cast<int64_t>(*last);
    };
    const bool next_is_nearer =
        last + 1 != weights_.end() && static_cast<int64_t>(last[1] - *last) < 2 * missing();
    if (!exact_ && next_is_nearer) ++last;
    const uint32_t from = offsets_[static_cast<size_t>(first - weights_.begin())];
    const uint32_t to = offsets_[static_cast<size_t>(last - weights_.begin())];
    out.append(text_, from, to - from);
    if (!exact_) return missing();
    const uint64_t words = static_cast<uint64_t>(missing()) / kWeightOfToken;
    return missing() - static_cast<int64_t>(append_short_words(out, key, words) * kWeightOfToken);
}

// How many were appended: none where there are none to choose from.
uint64_t PromptText::append_short_words(std::string& out, uint64_t key, uint64_t count) const {
    if (short_words_.empty()) return 0;
    for (uint64_t n = 1; n <= count; ++n)
        out += short_words_[draw(key, n) % short_words_.size()];
    return count;
}

}  // namespace brigada
