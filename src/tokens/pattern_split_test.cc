#include "tokens/pattern_split.h"

#include <gtest/gtest.h>

#include "base/rng.h"
#include "tokens/regex.h"
#include "tokens/unicode.h"

namespace brigada {
namespace {

/// What a regular expression engine makes of the published pattern: matches, and what lies between.
std::vector<Span> split_by_regex(const Regex& regex, std::string_view text, Span range) {
    std::vector<Span> matches, words;
    regex.find_all(text, range, matches);
    size_t at = range.begin;
    for (const Span match : matches) {
        if (at < match.begin) words.push_back({at, match.begin});
        words.push_back(match);
        at = match.end;
    }
    if (at < range.end) words.push_back({at, range.end});
    return words;
}

std::string joined(std::string_view text, const std::vector<Span>& words) {
    std::string out;
    for (const Span word : words)
        out.append(text, word.begin, word.end - word.begin) += '|';
    return out;
}

/// Characters whose order and number decide what a pattern does, each class more than once.
constexpr std::string_view kTelling[] = {
    "a",      "s",      "t",      "re",     "LL",     "D",      "Z",      "é",  "É",  "ß",
    "ſ",      "ǅ",      "ʰ",      "中",     "龥",     "あ",     "ヿ",     "한", "ا",  "ी",
    "\u0301", "\u20dd", "1",      "23",     "½",      "٣",      "Ⅷ",      " ",  "  ", "\t",
    "\n",     "\r",     "\r\n",   "\u0085", "\u00a0", "\u3000", "\u2028", "'",  "'S", "'ſ",
    ".",      "/",      "!",      "_",      "$",      "+",      "€",      "、", "😀", "\u200d",
    "\u200b", "\x01",   "\u00ad", "\ufeff", "\ue000", "\ufffd",
};

std::string random_text(Rng& rng) {
    std::string text;
    for (uint64_t n = rng.below(24); n > 0; --n)
        text += kTelling[rng.below(std::size(kTelling))];
    return text;
}

class EveryPattern : public testing::TestWithParam<KnownPattern> {};

TEST_P(EveryPattern, splits_as_a_regular_expression_engine_does) {
    const auto regex = Regex::compile(GetParam().regex);
    ASSERT_TRUE(regex.ok()) << regex.error().message;
    for (uint64_t seed = 0; seed < 4000; ++seed) {
        Rng rng(seed);
        const std::string text = random_text(rng);
        const Span range{0, text.size()};
        std::vector<Span> words;
        GetParam().split(text, range, words);
        ASSERT_EQ(joined(text, words), joined(text, split_by_regex(*regex, text, range)))
            << "seed " << seed;
    }
}

/// Code points that PCRE2 10.42 (Unicode 14) and our tables (15) know alike.
bool is_known_to_both(char32_t code) {
    const bool surrogate = code >= 0xd800 && code <= 0xdfff;
    const bool new_in_15 =
        code == 0x0cf3 || code == 0x0ece || (code >= 0x10efd && code <= 0x10eff) ||
        (code >= 0x1123f && code <= 0x11241) || (code >= 0x11b00 && code <= 0x11b09) ||
        (code >= 0x11f00 && code <= 0x11f59) || (code >= 0x1342f && code <= 0x13455) ||
        code == 0x1b132 || code == 0x2b739 || code == 0x1b155 ||
        (code >= 0x1d2c0 && code <= 0x1d2d3) || (code >= 0x1df25 && code <= 0x1df2a) ||
        (code >= 0x1e030 && code <= 0x1e08f) || (code >= 0x1e4d0 && code <= 0x1e4f9) ||
        (code >= 0x1f6dc && code <= 0x1f6dc) || (code >= 0x1f774 && code <= 0x1f77f) ||
        (code >= 0x1f7d9 && code <= 0x1f7d9) || (code >= 0x1fa75 && code <= 0x1faff) ||
        (code >= 0x31350 && code <= 0x323af);
    return !surrogate && !new_in_15;
}

TEST_P(EveryPattern, knows_the_class_of_every_character) {
    const auto regex = Regex::compile(GetParam().regex);
    ASSERT_TRUE(regex.ok()) << regex.error().message;
    std::string text;
    for (char32_t code = 0; code < 0x32400; ++code) {
        if (!is_known_to_both(code)) continue;
        append_utf8(code, text);
        text += code % 3 == 0 ? "a" : code % 3 == 1 ? " 1" : ".";
        if (text.size() < 4096) continue;
        std::vector<Span> words;
        GetParam().split(text, {0, text.size()}, words);
        ASSERT_EQ(joined(text, words), joined(text, split_by_regex(*regex, text, {0, text.size()})))
            << "up to " << uint32_t{code};
        text.clear();
    }
}

TEST_P(EveryPattern, sees_nothing_outside_its_range) {
    const std::string text = "word  42'll  \n next";
    for (size_t begin = 0; begin < text.size(); ++begin) {
        for (size_t end = begin; end <= text.size(); ++end) {
            std::vector<Span> inside, alone;
            GetParam().split(text, {begin, end}, inside);
            GetParam().split(text.substr(begin, end - begin), {0, end - begin}, alone);
            for (Span& span : alone)
                span.begin += begin, span.end += begin;
            ASSERT_EQ(inside, alone);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(PatternSplit, EveryPattern, testing::ValuesIn(known_patterns()),
                         [](const auto& test) {
                             std::string name(test.param.name);
                             std::erase_if(name, [](char c) { return !std::isalnum(c); });
                             return name;
                         });

TEST(PatternSplit, gives_the_words_people_publish_as_examples) {
    const auto words = [](std::string_view name, std::string_view text) {
        std::vector<Span> spans;
        find_known_pattern(known_regex(name))->split(text, {0, text.size()}, spans);
        return joined(text, spans);
    };
    EXPECT_EQ(words("gpt2", "I'm  here, it's 2024!\n"), "I|'m| | here|,| it|'s| 2024|!|\n|");
    EXPECT_EQ(words("llama3", "Costs $12345  HE'LL\r\n\r\n x"),
              "Costs| $|123|45| | HE|'LL|\r\n\r\n| x|");
    EXPECT_EQ(words("qwen2", "x=10;\n\n\ty"), "x|=|1|0|;\n\n|\ty|");
    EXPECT_EQ(words("o200k", "fooBar isn't HTTPServer a/b//\n"),
              "foo|Bar| isn't| HTTPServer| a|/b|//\n|");
}

TEST(PatternSplit, takes_bytes_that_are_not_utf8_for_characters_of_no_class) {
    const std::string_view text = "ab\xff\xe2\x82 1";
    std::vector<Span> words;
    find_known_pattern(known_regex("llama3"))->split(text, {0, text.size()}, words);
    EXPECT_EQ(joined(text, words), "ab|\xff\xe2\x82| |1|");
}

TEST(Regex, refuses_what_it_would_read_differently) {
    EXPECT_EQ(Regex::compile(R"([\p{L}&&[^\p{Han}]]+)").error().code, Code::unsupported);
    EXPECT_EQ(Regex::compile(R"(\h+)").error().code, Code::unsupported);
    EXPECT_NE(Regex::compile("(a").error().message.find("pattern (a: missing"), std::string::npos);
}

TEST(Regex, gives_up_on_a_catastrophe_in_bounded_time) {
    const auto regex = Regex::compile("(a+a+)+b").value();
    std::vector<Span> matches;
    regex.find_all(std::string(64, 'a'), {0, 64}, matches);
    EXPECT_TRUE(matches.empty());
}

}  // namespace
}  // namespace brigada
