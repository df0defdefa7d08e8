#include "load/prompt_text.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/file.h"
#include "base/rng.h"
#include "dialect/escaped.h"
#include "tokens/tokenizer.h"

namespace brigada {

namespace {

Tokenizer tokenizer(const std::string& name) {
    const auto text =
        read_file(std::string(BRIGADA_TESTDATA) + "/tokenizer-tiny/" + name, 64 << 20);
    return Tokenizer::from_json(text.value(), "").value();
}

std::string text_of(const PromptText& text, uint64_t key, uint32_t tokens) {
    std::string out;
    text.append(out, key, tokens);
    return out;
}

TEST(PromptText, is_as_many_tokens_as_asked_for) {
    for (const char* name : {"shakespeare.json", "stories260K.json"}) {
        SCOPED_TRACE(name);
        const Tokenizer counter = tokenizer(name);
        const PromptText text(counter);
        EXPECT_TRUE(text.is_exact());
        Rng rng(3);
        for (int i = 0; i < 60; ++i) {
            const auto tokens = static_cast<uint32_t>(rng.between(1, 3'000));
            const std::string all = "a" + unescaped({text_of(text, rng.next(), tokens)});
            const size_t seen =
                counter.count(all, Specials::no_added) - counter.count("a", Specials::no_added);
            EXPECT_EQ(seen, tokens);
        }
    }
}

// What a session's prompts are made of: many short texts, one behind the other.
TEST(PromptText, adds_up_when_pieces_stand_side_by_side) {
    const Tokenizer counter = tokenizer("shakespeare.json");
    const PromptText text(counter);
    std::string all;
    int64_t owed = 0;
    for (uint32_t i = 0; i < 500; ++i)
        owed = text.append(all, prompt_text_key(i, 0), 16, owed);
    EXPECT_EQ(counter.count("a" + unescaped({all}), Specials::no_added) -
                  counter.count("a", Specials::no_added),
              500u * 16);
}

TEST(PromptText, of_one_key_is_the_same_and_of_another_is_not) {
    const PromptText text(1.0);
    EXPECT_EQ(text_of(text, 5, 100), text_of(PromptText(1.0), 5, 100));
    EXPECT_NE(text_of(text, 5, 100), text_of(text, 6, 100));
    EXPECT_NE(prompt_text_key(1, 0), prompt_text_key(1, 1));
    EXPECT_NE(prompt_text_key(1, 0), prompt_text_key(0, 1));
}

TEST(PromptText, of_fewer_tokens_is_the_beginning_but_for_the_last_words) {
    const Tokenizer counter = tokenizer("shakespeare.json");
    for (const PromptText& text : {PromptText(1.0), PromptText(counter)}) {
        const std::string longer = text_of(text, 11, 300), shorter = text_of(text, 11, 200);
        EXPECT_TRUE(longer.starts_with(shorter.substr(0, shorter.size() / 2)));
    }
}

TEST(PromptText, without_a_tokenizer_is_as_long_as_estimated) {
    for (const double scale : {0.5, 1.0, 1.3}) {
        const PromptText text(scale);
        EXPECT_FALSE(text.is_exact());
        std::string all;
        int64_t owed = 0;
        for (uint32_t i = 0; i < 2'000; ++i)
            owed = text.append(all, prompt_text_key(i, 0), 16, owed);
        const double seen = static_cast<double>(estimated_tokens(unescaped({all}))) * scale;
        EXPECT_NEAR(seen / (2'000 * 16), 1, 0.001);
    }
}

TEST(EstimatedTokens, are_words_numbers_marks_and_lines) {
    EXPECT_EQ(estimated_tokens(""), 0u);
    EXPECT_EQ(estimated_tokens(" word word"), 2u);
    EXPECT_EQ(estimated_tokens(" internationally"), 2u);
    EXPECT_EQ(estimated_tokens(" 1234567"), 3u);
    EXPECT_EQ(estimated_tokens(" f(x);\n    y = 1;"), 9u);
    EXPECT_EQ(estimated_tokens("================"), 2u);
}

TEST(PromptText, can_stand_in_a_json_string) {
    const std::string text = text_of(PromptText(1.0), 1, 5'000);
    EXPECT_EQ(escaped(unescaped({text})), text);
}

}  // namespace

}  // namespace brigada
