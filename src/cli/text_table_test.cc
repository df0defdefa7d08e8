#include "cli/text_table.h"

#include <gtest/gtest.h>

#include <climits>

namespace brigada {
namespace {

TEST(TextTable, aligns_texts_left_and_numbers_right) {
    TextTable table({{"TEAM"}, {"CALLS", true}, {"SPENT", true}});
    table.add({"compilers", "7", "12.50"});
    table.add({"ui", "1,024", "0.0000104"});
    EXPECT_EQ(table.text(),
              "TEAM       CALLS      SPENT\n"
              "compilers      7      12.50\n"
              "ui         1,024  0.0000104\n");
}

TEST(TextTable, no_rows_are_the_titles) {
    EXPECT_EQ(TextTable({{"A"}, {"B"}}).text(), "A  B\n");
}

TEST(TextTable, counts_characters_and_not_bytes) {
    TextTable table({{"NAME"}, {"N", true}});
    table.add({"Überprüfung", "1"});
    table.add({"plain", "2"});
    EXPECT_EQ(table.text(),
              "NAME         N\n"
              "Überprüfung  1\n"
              "plain        2\n");
}

TEST(TextTable, on_a_narrow_terminal_the_widest_text_is_cut_first_and_numbers_never) {
    TextTable table({{"A"}, {"B"}, {"N", true}});
    table.add({std::string(30, 'a'), std::string(12, 'b'), "123456789012"});
    EXPECT_EQ(table.text(40),
              "A             B                        N\n"
              "aaaaaaaaaaa…  bbbbbbbbbbbb  123456789012\n");
    EXPECT_EQ(table.text(10),
              "A         B                    N\n"
              "aaaaaaa…  bbbbbbb…  123456789012\n");
}

TEST(TextTable, what_came_from_elsewhere_can_not_steer_the_terminal) {
    TextTable table({{"A"}});
    table.add({"x\x1b[2J\ny"});
    EXPECT_EQ(table.text(), "A\nx?[2J?y\n");
}

TEST(Shortened, ends_at_a_character_with_an_ellipsis) {
    EXPECT_EQ(shortened("äöü", 3), "äöü");
    EXPECT_EQ(shortened("äöüß", 3), "äö…");
    EXPECT_EQ(shortened("abc", 1), "…");
    EXPECT_EQ(shortened("abc", 0), "");
}

TEST(Grouped, by_thousands) {
    EXPECT_EQ(grouped(0), "0");
    EXPECT_EQ(grouped(999), "999");
    EXPECT_EQ(grouped(1'000), "1,000");
    EXPECT_EQ(grouped(-1'234'567), "-1,234,567");
    EXPECT_EQ(grouped(LLONG_MIN), "-9,223,372,036,854,775,808");
}

}  // namespace
}  // namespace brigada
