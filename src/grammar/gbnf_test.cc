#include "grammar/gbnf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grammar/toy_vocabulary.h"

namespace brigada {
namespace {

TEST(Gbnf, reads_every_construct) {
    const auto grammar = gbnf_grammar(R"gbnf(
# a list of moves
root   ::= move ("," ws
             move)* "."?        # groups go over lines
ws     ::= " " ws | ""
move   ::= [a-h] [1-8]{1,2} |
           "O-O" | "\"\x41\u00e9\U0001F600\n\\" | [^\x00-\x7f\]] | "x"{3} |
           nested
nested ::= "(" nested? ")"
)gbnf");
    for (const char* text : {"a1", "a12", "a1,b2", "a1,   b2,c3.", "O-O.", "\"A\u00e9😀\n\\", "é",
                             "xxx", "(())", "a1,((()))."})
        EXPECT_TRUE(accepts(grammar, text)) << text;
    for (const char* text :
         {"", "a", "a9", "a123", "a1,", "i1", "xx", "xxxx", "]", "(()", "a1 ,b2", "Q"})
        EXPECT_FALSE(accepts(grammar, text)) << text;
}

TEST(Gbnf, left_recursion_is_understood) {
    const auto grammar = gbnf_grammar(R"gbnf(
root ::= sum
sum  ::= sum "+" term | term
term ::= term "*" unit | unit
unit ::= [0-9]+ | "(" sum ")")gbnf");
    EXPECT_TRUE(accepts(grammar, "1+2*(3+4)*5"));
    EXPECT_FALSE(accepts(grammar, "1+2*(3+4*5"));
    EXPECT_FALSE(accepts(grammar, "1++2"));
}

TEST(Gbnf, errors_name_line_and_column) {
    const std::pair<const char*, const char*> bad[] = {
        {"", "no rule \"root\""},
        {"a ::= \"x\"", "no rule \"root\""},
        {"root ::= b", "line 1, column 10: the rule \"b\" is not defined"},
        {"root ::= \"é\" missing", "line 1, column 14"},
        {"root ::= \"x\"\nroot ::= \"y\"", "line 2, column 1: a second rule \"root\""},
        {"root = \"x\"", "line 1, column 6: a rule's name must be followed by ::="},
        {"\n\n  ::= \"x\"", "line 3, column 3: a rule must begin with its name"},
        {"root ::= \"x", "a \" without its end"},
        {"root ::= [a", "a [ without its ]"},
        {"root ::= (\"a\" ", "expected ) or |"},
        {"root ::= \"a\" )", "line 1, column 14: this does not belong into a rule"},
        {"root ::= \"a\"{2,1}", "least is above its most"},
        {"root ::= \"a\"{x}", "expected {m}"},
        {"root ::= \"\\q\"", "an unknown escape"},
        {"root ::= \"\\ud800\"", "no code point"},
        {"root ::= [b-a]", "first is after its last"},
    };
    for (const auto& [text, says] : bad) {
        GrammarBuilder builder;
        const auto read = read_gbnf(builder, text);
        ASSERT_FALSE(read.ok()) << text;
        EXPECT_THAT(read.error().message, testing::HasSubstr(says)) << text;
    }
}

}  // namespace
}  // namespace brigada
