#include "grammar/regex_syntax.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/rng.h"
#include "grammar/toy_vocabulary.h"

namespace brigada {
namespace {

/// PCRE2 says whether all of `text` matches, or some part of it.
bool pcre2_matches(const std::string& pattern, const std::string& text, RegexMatch match) {
    int code = 0;
    size_t offset = 0;
    const uint32_t options = PCRE2_UTF | PCRE2_DOLLAR_ENDONLY |
                             (match == RegexMatch::whole ? PCRE2_ANCHORED | PCRE2_ENDANCHORED : 0);
    pcre2_code* compiled = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()),
                                         pattern.size(), options, &code, &offset, nullptr);
    CHECK(compiled, pattern, " at ", offset);
    pcre2_match_data* data = pcre2_match_data_create(1, nullptr);
    const int found = pcre2_match(compiled, reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(),
                                  0, 0, data, nullptr);
    pcre2_match_data_free(data);
    pcre2_code_free(compiled);
    return found >= 0;
}

std::shared_ptr<const Grammar> compiled(const std::string& pattern, RegexMatch match) {
    GrammarBuilder builder;
    const auto root = read_regex(builder, pattern, match);
    CHECK(root.ok(), pattern, ": ", root.error().message);
    auto grammar = builder.build(*root);
    return grammar.ok() ? std::make_shared<const Grammar>(std::move(grammar).value()) : nullptr;
}

std::string random_pattern(Rng& rng, int depth) {
    static constexpr std::string_view kAtoms[] = {
        "a",    "b",   "é",   "€",         ".",      "[ab]",   "[^a]", "[a-cé]",
        "\\d",  "\\D", "\\w", "\\W",       "[\\dx]", "[^\\w]", "\\.",  "\\x61",
        "[-a]", "\\-", "1",   "\\x{20ac}", "[é-€]",  "(?:)"};
    static constexpr std::string_view kQuantifiers[] = {"*",     "+",  "?",  "{2}",   "{1,}",
                                                        "{0,2}", "*?", "+?", "{1,3}?"};
    std::string out;
    for (size_t i = rng.below(3) + 1; i > 0; --i) {
        std::string atom(kAtoms[rng.below(std::size(kAtoms))]);
        if (depth > 0 && rng.chance(0.4))
            atom = concat(rng.chance(0.5) ? "(" : "(?:", random_pattern(rng, depth - 1), ")");
        out += atom;
        if (rng.chance(0.4)) out += kQuantifiers[rng.below(std::size(kQuantifiers))];
    }
    if (rng.chance(0.3)) out += "|" + random_pattern(rng, depth > 0 ? depth - 1 : 0);
    return out;
}

std::string random_text(Rng& rng) {
    static constexpr std::string_view kCharacters[] = {"a", "a", "b", "c", "é",  "€", "1",
                                                       ".", "-", "x", "_", "\n", "😀"};
    std::string out;
    for (size_t i = rng.below(6); i > 0; --i)
        out += kCharacters[rng.below(std::size(kCharacters))];
    return out;
}

TEST(Regex, matches_what_pcre2_matches) {
    size_t matched = 0, refused = 0;
    for (uint64_t seed = 0; seed < 2000; ++seed) {
        Rng rng(seed);
        std::string pattern = random_pattern(rng, 2);
        const RegexMatch match = rng.chance(0.5) ? RegexMatch::whole : RegexMatch::within;
        if (rng.chance(0.3)) pattern = concat("^(", pattern, ")");
        if (rng.chance(0.3)) pattern = concat("(", pattern, ")$");
        SCOPED_TRACE(concat(seed, " ", pattern));
        const auto grammar = compiled(pattern, match);
        if (!grammar) continue;  // the empty text alone
        for (int i = 0; i < 20; ++i) {
            const std::string text = random_text(rng);
            const bool expected = pcre2_matches(pattern, text, match);
            ASSERT_EQ(accepts(grammar, text), expected) << "text: " << text;
            ++(expected ? matched : refused);
        }
    }
    EXPECT_GT(matched, 5000u);
    EXPECT_GT(refused, 5000u);
}

TEST(Regex, anchors_at_the_ends_of_alternatives) {
    for (const char* pattern : {"^a", "a$", "^a$", "^a|b$", "^(a|b)$", "(^a|b)c", "a(b$|c)",
                                "^(?:a|^b)", "^$|a", "^^a$$"}) {
        const auto grammar = compiled(pattern, RegexMatch::within);
        for (const char* text :
             {"", "a", "b", "xa", "ax", "ac", "bc", "xbc", "xac", "ab", "abx", "acx"})
            EXPECT_EQ(accepts(grammar, text), pcre2_matches(pattern, text, RegexMatch::within))
                << pattern << " on " << text;
    }
}

TEST(Regex, what_is_not_understood_is_named) {
    const std::pair<const char*, const char*> bad[] = {
        {"(a", "character 3: a ( without its )"},
        {"a)", "character 2: a ) without its ("},
        {"[a", "character 3: a [ without its ]"},
        {"*a", "character 1: a quantifier with nothing before it"},
        {"a{3,2}", "least is above its most"},
        {"a{1000000}", "more than 100000"},
        {"(?=a)", "look-around"},
        {"(?!a)b", "look-around"},
        {"(?<=a)b", "look-around"},
        {"(?i)a", "an option"},
        {"(a)\\1", "\\1 is not understood"},
        {"é\\bfoo", "character 4: \\b is not understood"},
        {"a^b", "an anchor"},
        {"(^a)*", "an anchor"},
        {"^*", "anchor"},
        {"[z-a]", "first is after its last"},
        {"[\\d-z]", "a range from or to a class"},
        {"\\p{Greek}", "\\p{Greek}"},
        {"\\ud800", "no code point"},
        {"a++", "a quantifier of a quantifier"},
        {"[]a]", "an empty class"},
        {"\\", "a backslash"},
        {"\xff", "not UTF-8"},
    };
    for (const auto& [pattern, says] : bad) {
        GrammarBuilder builder;
        const auto read = read_regex(builder, pattern, RegexMatch::within);
        ASSERT_FALSE(read.ok()) << pattern;
        EXPECT_THAT(read.error().message, testing::HasSubstr(says)) << pattern;
    }
}

TEST(Regex, escapes_and_categories) {
    EXPECT_TRUE(accepts(compiled("\\u00e9\\ud83d\\ude00\\u{1F600}", RegexMatch::whole), "é😀😀"));
    EXPECT_TRUE(accepts(compiled("\\p{L}+\\P{L}", RegexMatch::whole), "añ日1"));
    EXPECT_FALSE(accepts(compiled("\\p{L}+\\P{L}", RegexMatch::whole), "añ日a"));
    EXPECT_TRUE(accepts(compiled("a{b", RegexMatch::whole), "a{b"));
    EXPECT_TRUE(accepts(compiled("(?<year>\\d{4})[\\b]", RegexMatch::whole), "2024\b"));
}

}  // namespace
}  // namespace brigada
