#include "grammar/token_trie.h"

#include <algorithm>
#include <limits>

#include "tokens/unicode.h"

namespace brigada {

namespace {

struct Token {
    std::string_view bytes;
    TokenId id;
};

std::vector<Token> text_tokens(const Tokenizer& tokenizer) {
    std::vector<Token> out;
    for (uint32_t i = 0; i < tokenizer.size(); ++i) {
        const TokenId id{i};
        const std::string_view bytes = tokenizer.bytes(id);
        const bool text = !bytes.empty() && !tokenizer.is_special(id) &&
                          !tokenizer.ends_answer(id) &&
                          bytes.size() <= std::numeric_limits<uint16_t>::max();
        if (text) out.push_back({bytes, id});
    }
    std::sort(out.begin(), out.end(), [](const Token& a, const Token& b) {
        return a.bytes != b.bytes ? a.bytes < b.bytes : a.id < b.id;
    });
    return out;
}

/// `tokens` sorted by bytes.
TokenTrie::Walk lay_out(std::span<const Token> tokens) {
    TokenTrie::Walk out;
    std::vector<uint32_t> path;  // the open nodes, by depth
    std::string_view last;
    const auto close_to = [&](size_t depth) {
        for (; path.size() > depth; path.pop_back())
            out.nodes[path.back()].end = static_cast<uint32_t>(out.nodes.size());
    };
    for (const Token& token : tokens) {
        const auto differs =
            std::mismatch(last.begin(), last.end(), token.bytes.begin(), token.bytes.end());
        close_to(static_cast<size_t>(differs.first - last.begin()));
        for (size_t i = path.size(); i < token.bytes.size(); ++i) {
            const auto node = static_cast<uint32_t>(out.nodes.size());
            const uint32_t parent = path.empty() ? node : path.back();
            path.push_back(node);
            out.nodes.push_back({.parent = parent,
                                 .tokens = static_cast<uint32_t>(out.ids.size()),
                                 .depth = static_cast<uint16_t>(i + 1),
                                 .byte = static_cast<uint8_t>(token.bytes[i])});
        }
        ++out.nodes[path.back()].count;
        out.ids.push_back(token.id);
        out.max_depth = std::max(out.max_depth, static_cast<uint32_t>(token.bytes.size()));
        last = token.bytes;
    }
    close_to(0);
    return out;
}

}  // namespace

std::optional<uint32_t> plain_characters(std::string_view text) {
    uint32_t characters = 0;
    for (size_t at = 0; at < text.size(); ++characters) {
        const Char c = char_at(text, at);
        if (c.code == kNotACharacter || c.code < 0x20 || c.code == '"' || c.code == '\\')
            return std::nullopt;
        at += c.bytes;
    }
    return characters;
}

TokenTrie::TokenTrie(const Tokenizer& tokenizer)
    : vocabulary_(tokenizer.size()), plain_(kMaxPlainCharacters + 1, TokenMask(tokenizer.size())) {
    const std::vector<Token> tokens = text_tokens(tokenizer);
    all_ = lay_out(tokens);
    std::vector<Token> others;
    for (const Token& token : tokens) {
        const auto characters = plain_characters(token.bytes);
        if (!characters || *characters > kMaxPlainCharacters) {
            others.push_back(token);
            continue;
        }
        for (uint32_t most = *characters; most <= kMaxPlainCharacters; ++most)
            plain_[most].add(token.id);
    }
    not_plain_ = lay_out(others);
}

}  // namespace brigada
