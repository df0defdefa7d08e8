#include "grammar/grammar_masks.h"

#include <gtest/gtest.h>

#include "base/rng.h"
#include "grammar/toy_vocabulary.h"

namespace brigada {
namespace {

/// Grammars in which tokens end inside of rules, at their ends and behind them, some ambiguous.
constexpr const char* kGrammars[] = {
    R"(root ::= "{" pair ("," pair)* "}"
       pair ::= string ":" value
       value ::= string | "true" | "12" "3"* | root | "[" (value ("," value)*)? "]"
       string ::= "\"" ([^"\\\x00-\x1f] | "\\" ["\\n])* "\"")",
    R"(root ::= "\"" [^"\\\x00-\x1f]{0,40} "\"" | "\"" [^"\\\x00-\x1f]{30,60} "\"")",
    R"(root ::= word (" " word)* "."
       word ::= [a-z]+ | "The" | "é" word | word "€"
       unused ::= "x")",
    R"(root ::= .* "<" root ">" | .+)",
    R"(root ::= " "? "a" root | "b" root "c" | "")",
    R"(root ::= a | b
       a ::= "aa" a "aa" | "ab"
       b ::= "a" b "a" | "a" root)",
};

TEST(GrammarMasks, are_what_trying_each_token_gives) {
    const Tokenizer tokenizer = toy_tokenizer();
    const TokenTrie trie(tokenizer);
    size_t compared = 0;
    for (const char* text : kGrammars) {
        SCOPED_TRACE(text);
        const auto grammar = gbnf_grammar(text);
        GrammarMasks masks(grammar, trie);
        for (uint64_t seed = 0; seed < 12; ++seed) {
            Rng rng(seed);
            Position at = masks.start(false);
            std::string before;
            for (int step = 0; step < 14; ++step) {
                const TokenMask allowed = masks.allowed(at);
                ASSERT_EQ(allowed, naive_mask(grammar, tokenizer, before)) << "after " << before;
                ++compared;
                std::vector<TokenId> choices;
                for (uint32_t id = 0; id < tokenizer.size(); ++id)
                    if (allowed.contains(TokenId{id})) choices.push_back(TokenId{id});
                if (choices.empty()) break;
                const auto bytes = tokenizer.bytes(choices[rng.below(choices.size())]);
                at = masks.step(at, bytes);
                before += bytes;
                ASSERT_EQ(masks.may_end(at), accepts(grammar, before));
            }
        }
    }
    EXPECT_GT(compared, 400u);
}

TEST(GrammarMasks, control_tokens_are_never_allowed) {
    const Tokenizer tokenizer = toy_tokenizer();
    const TokenTrie trie(tokenizer);
    GrammarMasks masks(gbnf_grammar("root ::= .*"), trie);
    EXPECT_FALSE(masks.allowed(masks.start(false)).contains(*tokenizer.eos()));
    EXPECT_TRUE(masks.may_end(masks.start(false)));
}

TEST(GrammarMasks, control_tokens_that_are_shown_count_where_their_text_fits) {
    const Tokenizer tokenizer = toy_tokenizer();
    const TokenTrie trie(tokenizer);
    const TokenId control = *tokenizer.eos();
    GrammarMasks masks(gbnf_grammar(R"(root ::= "a<|end|>b" | "c")"), trie, {{control, "<|end|>"}});
    EXPECT_FALSE(masks.allowed(masks.start(false)).contains(control));
    const Position behind = masks.step(masks.start(false), "a");
    EXPECT_TRUE(masks.allowed(behind).contains(control));
    EXPECT_TRUE(masks.may_end(masks.step(masks.step(behind, "<|end|>"), "b")));
}

TEST(GrammarMasks, the_first_space_does_not_count_where_decoding_drops_it) {
    const Tokenizer tokenizer = toy_tokenizer();
    const TokenTrie trie(tokenizer);
    GrammarMasks masks(gbnf_grammar(R"(root ::= "the" | " the")"), trie);
    const TokenId word = *tokenizer.find("the"), spaced = *tokenizer.find(" the");
    const TokenMask first = masks.allowed(masks.start(true));
    EXPECT_TRUE(first.contains(word) && first.contains(spaced));
    EXPECT_TRUE(masks.may_end(masks.step(masks.start(true), " the")));
    const Position after_space = masks.step(masks.start(true), " ");
    EXPECT_TRUE(masks.allowed(after_space).contains(spaced));
    GrammarMasks strict(gbnf_grammar(R"(root ::= "the")"), trie);
    EXPECT_FALSE(strict.allowed(strict.start(false)).contains(spaced));
    EXPECT_TRUE(strict.allowed(strict.start(true)).contains(spaced));
    EXPECT_EQ(strict.step(strict.step(strict.start(true), " "), " the"), kDead);
}

TEST(PlainCharacters, are_counted_and_told_from_others) {
    EXPECT_EQ(plain_characters("ab é€😀"), 6u);
    EXPECT_EQ(plain_characters(""), 0u);
    for (const char* text : {"\"", "a\\", "\n", "\xc3", "\xa9", "a\x1f"})
        EXPECT_EQ(plain_characters(text), std::nullopt);
}

}  // namespace
}  // namespace brigada
