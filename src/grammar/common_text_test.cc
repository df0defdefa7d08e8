#include "grammar/common_text.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "base/rng.h"
#include "grammar/toy_vocabulary.h"

namespace brigada {
namespace {

using Found = CommonText::Found;

CommonText of(std::string_view a, std::string_view b, size_t max_pairs = kMaxComparedPositions) {
    return common_text(gbnf_grammar(a), gbnf_grammar(b), max_pairs);
}

TEST(CommonText, is_a_shortest_one) {
    EXPECT_EQ(of("root ::= \"a\"* \"b\"", "root ::= [a-z]{3,9}").text, "aab");
    EXPECT_EQ(of("root ::= \"(\" root \")\" | \"x\"", "root ::= \"(\"+ \"x\" \")\"+").text, "(x)");
}

TEST(CommonText, is_none_where_the_beginnings_part) {
    EXPECT_EQ(of("root ::= \"a\" .*", "root ::= \"b\" .*").found, Found::none);
    EXPECT_EQ(of("root ::= \"aa\"*  \"b\"", "root ::= \"a\" \"aa\"* \"b\"").found, Found::none);
}

TEST(CommonText, is_unknown_where_it_takes_too_long) {
    const char* opened = "root ::= \"(\" root \")\" | \"x\"";
    const char* other = "root ::= \"(\" root \")\" | \"y\"";
    EXPECT_EQ(of(opened, other, 100).found, Found::unknown);
}

/// Every text of few letters, tried.
bool share_a_text(const std::shared_ptr<const Grammar>& a, const std::shared_ptr<const Grammar>& b,
                  size_t longest) {
    std::vector<std::string> texts = {""};
    for (size_t i = 0; i < texts.size(); ++i) {
        if (accepts(a, texts[i]) && accepts(b, texts[i])) return true;
        if (texts[i].size() == longest) continue;
        for (const char letter : {'a', 'b'})
            texts.push_back(texts[i] + letter);
    }
    return false;
}

TEST(CommonText, agrees_with_trying_them_all) {
    size_t shared = 0;
    for (uint64_t seed = 0; seed < 300; ++seed) {
        Rng rng(seed);
        const auto one = [&] {
            constexpr std::array kPieces = {"\"a\" ",   "\"b\" ",  "[ab] ",
                                            "\"ab\"? ", "\"a\"* ", "\"ba\"{1,2} "};
            std::string out = "root ::= ";
            for (int i = 0; i < 4; ++i)
                out += kPieces[rng.below(kPieces.size())];
            return out;
        };
        const std::string a = one(), b = one();
        SCOPED_TRACE(a + " and " + b);
        const bool found = of(a, b).found == Found::one;
        EXPECT_EQ(found, share_a_text(gbnf_grammar(a), gbnf_grammar(b), 9));
        shared += found;
    }
    EXPECT_GT(shared, 30u);
    EXPECT_LT(shared, 290u);
}

}  // namespace
}  // namespace brigada
