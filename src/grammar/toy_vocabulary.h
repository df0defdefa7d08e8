// What the tests of this folder share: a vocabulary of every byte and some hundred pieces that
// grammars meet, characters cut in the middle among them; grammars from a notation; and a model of
// the masks that is too simple to be wrong.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "grammar/gbnf.h"
#include "grammar/grammar_builder.h"
#include "grammar/grammar_masks.h"
#include "grammar/regex_syntax.h"
#include "grammar/token_trie.h"
#include "tokens/byte_alphabet.h"
#include "tokens/tokenizer.h"

namespace brigada {

inline std::vector<std::string> toy_pieces() {
    std::vector<std::string> out;
    for (int byte = 0; byte < 256; ++byte)
        out.emplace_back(1, static_cast<char>(byte));
    for (const char* piece : {"{\"",
                              "\":",
                              "\": ",
                              "\",\"",
                              "\", \"",
                              "\"}",
                              "\"},",
                              "\"]",
                              "],",
                              "]}",
                              "}}",
                              "},{",
                              "{}",
                              "[]",
                              "[{",
                              "[\"",
                              "\"\"",
                              ", ",
                              ": ",
                              ",\n",
                              "{\n",
                              "\n  ",
                              "\n    ",
                              "  ",
                              "    ",
                              "true",
                              "false",
                              "null",
                              "tr",
                              "ue",
                              ",true",
                              "10",
                              "12",
                              "123",
                              "2024",
                              "-0",
                              "0.",
                              ".5",
                              "1.5",
                              "-1",
                              "e+",
                              "e1",
                              "00",
                              "1,",
                              "1}",
                              "1]",
                              "a",
                              "ab",
                              "abc",
                              "name",
                              "\"name",
                              "name\"",
                              "na",
                              "me\":",
                              "id",
                              "\"id\":",
                              "\"a\":",
                              "\"b\":",
                              "\"a\"",
                              "value",
                              "the",
                              " the",
                              "The quick",
                              "\\\"",
                              "\\n",
                              "\\u",
                              "\\u00",
                              "\\ud83d",
                              "\\\\",
                              "u00e9",
                              "\xc3\xa9",
                              "\xc3\xa9\xc3",
                              "\xa9\"",
                              "\xe2\x82",
                              "\xe2\x82\xac",
                              "\x82\xac",
                              "\xf0\x9f",
                              "\xf0\x9f\x98\x80",
                              "\x98\x80",
                              "-07-",
                              "T10:",
                              ":00Z",
                              "@x.",
                              ".com",
                              "://",
                              "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                              "aaaaaaaa"})
        out.emplace_back(piece);
    return out;
}

/// The last token is the end of an answer, and the only control token.
inline Tokenizer toy_tokenizer() {
    VocabularySpec spec;
    spec.kind = VocabularyKind::bpe_bytes;
    spec.pre = "gpt-2";
    for (const std::string& piece : toy_pieces()) {
        std::string written = alphabet_of_bytes(piece);
        if (std::find(spec.pieces.begin(), spec.pieces.end(), written) == spec.pieces.end())
            spec.pieces.push_back(std::move(written));
    }
    spec.types.assign(spec.pieces.size(), PieceType::normal);
    spec.pieces.push_back("<|end|>");
    spec.types.push_back(PieceType::control);
    spec.eos = TokenId{static_cast<uint32_t>(spec.pieces.size() - 1)};
    auto tokenizer = Tokenizer::from_spec(std::move(spec));
    CHECK(tokenizer.ok(), tokenizer.error().message);
    return std::move(tokenizer).value();
}

inline std::shared_ptr<const Grammar> built(const GrammarBuilder& builder, Expr root) {
    auto grammar = builder.build(root);
    CHECK(grammar.ok(), grammar.error().message);
    return std::make_shared<const Grammar>(std::move(grammar).value());
}

inline std::shared_ptr<const Grammar> gbnf_grammar(std::string_view text) {
    GrammarBuilder builder;
    const auto root = read_gbnf(builder, text);
    CHECK(root.ok(), root.error().message);
    return built(builder, *root);
}

/// Whether `text` is one of the grammar's.
inline bool accepts(const std::shared_ptr<const Grammar>& grammar, std::string_view text) {
    Recogniser recogniser(grammar);
    Position at = recogniser.start();
    for (char c : text)
        at = recogniser.step(at, static_cast<uint8_t>(c));
    return recogniser.may_end(at);
}

/// Token by token, byte by byte.
inline TokenMask naive_mask(const std::shared_ptr<const Grammar>& grammar,
                            const Tokenizer& tokenizer, std::string_view before) {
    TokenMask out(tokenizer.size());
    Recogniser recogniser(grammar);
    const auto after = [&](Position at, std::string_view text) {
        for (char c : text)
            at = recogniser.step(at, static_cast<uint8_t>(c));
        return at;
    };
    const Position here = after(recogniser.start(), before);
    for (uint32_t id = 0; id < tokenizer.size(); ++id) {
        const TokenId token{id};
        if (tokenizer.is_special(token) || tokenizer.bytes(token).empty()) continue;
        if (after(here, tokenizer.bytes(token)) != kDead) out.add(token);
    }
    return out;
}

}  // namespace brigada
