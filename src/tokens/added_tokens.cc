#include "tokens/added_tokens.h"

#include "tokens/unicode.h"

namespace brigada {

namespace {

size_t total_bytes(const std::vector<AddedToken>& tokens) {
    size_t bytes = 0;
    for (const AddedToken& token : tokens)
        bytes += token.text.size();
    return bytes;
}

/// Where the character before byte `at` begins.
size_t char_before(std::string_view text, size_t at) {
    size_t begin = at - 1;
    while (begin > 0 && at - begin < 4 && (static_cast<uint8_t>(text[begin]) & 0xc0) == 0x80)
        --begin;
    return char_at(text.substr(0, at), begin).bytes == at - begin ? begin : at - 1;
}

uint8_t classes_at(std::string_view text, size_t at) {
    return classes_of(char_at(text, at).code);
}

bool is_word(std::string_view text, size_t at) {
    return text[at] == '_' || classes_at(text, at) & (kLetter | kMark | kNumber);
}

bool touches_word(std::string_view text, Span span) {
    return (span.begin > 0 && is_word(text, char_before(text, span.begin))) ||
           (span.end < text.size() && is_word(text, span.end));
}

/// Takes the white space around, but nothing before `from`.
Span with_white_space(std::string_view text, Span span, size_t from, const AddedToken& token) {
    while (token.lstrip && span.begin > from) {
        const size_t before = char_before(text, span.begin);
        if (before < from || !(classes_at(text, before) & kSpace)) break;
        span.begin = before;
    }
    while (token.rstrip && span.end < text.size() && classes_at(text, span.end) & kSpace)
        span.end += char_at(text, span.end).bytes;
    return span;
}

uint16_t two_bytes(std::string_view text, size_t at) {
    return static_cast<uint16_t>(static_cast<uint8_t>(text[at]) << 8 |
                                 (at + 1 < text.size() ? static_cast<uint8_t>(text[at + 1]) : 0));
}

}  // namespace

AddedTokens::AddedTokens(std::vector<AddedToken> tokens)
    : tokens_(std::move(tokens)),
      first_two_(65536 / 64),
      edges_(total_bytes(tokens_)),
      token_at_node_(1) {
    const auto mark = [&](unsigned two) { first_two_[two / 64] |= uint64_t{1} << two % 64; };
    for (size_t i = 0; i < tokens_.size(); ++i) {
        const std::string_view text = tokens_[i].text;
        if (text.empty()) continue;
        const unsigned first = two_bytes(text, 0) & 0xff00u;
        if (text.size() > 1)
            mark(two_bytes(text, 0));
        else
            for (unsigned second = 0; second < 256; ++second)
                mark(first | second);

        uint32_t node = 0;
        for (const char c : text) {
            const uint64_t edge = uint64_t{node} << 8 | static_cast<uint8_t>(c);
            const auto next = static_cast<uint32_t>(token_at_node_.size());
            if (edges_.insert(edge, next)) token_at_node_.push_back(0);
            node = *edges_.find(edge);
        }
        if (token_at_node_[node] == 0) token_at_node_[node] = static_cast<uint32_t>(i + 1);
    }
}

const AddedToken* AddedTokens::longest_at(std::string_view text, size_t at) const {
    const AddedToken* longest = nullptr;
    uint32_t node = 0;
    for (; at < text.size(); ++at) {
        const uint32_t* next = edges_.find(uint64_t{node} << 8 | static_cast<uint8_t>(text[at]));
        if (!next) break;
        node = *next;
        if (token_at_node_[node]) longest = &tokens_[token_at_node_[node] - 1];
    }
    return longest;
}

AddedTokens::Found AddedTokens::find(std::string_view text, size_t from, bool skip_special) const {
    if (tokens_.empty()) return {{text.size(), text.size()}, nullptr};
    for (size_t at = from; at < text.size();) {
        const unsigned two = two_bytes(text, at);
        const AddedToken* token = nullptr;
        if (first_two_[two / 64] >> two % 64 & 1) token = longest_at(text, at);
        if (!token) {
            ++at;
            continue;
        }
        const Span span{at, at + token->text.size()};
        at = span.end;
        if (skip_special && token->special) continue;
        if (token->single_word && touches_word(text, span)) continue;
        return {with_white_space(text, span, from, *token), token};
    }
    return {{text.size(), text.size()}, nullptr};
}

}  // namespace brigada
