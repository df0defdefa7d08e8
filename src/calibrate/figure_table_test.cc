#include "calibrate/figure_table.h"

#include <gtest/gtest.h>

namespace brigada {
namespace {

TEST(FigureTable, fields_by_name) {
    const auto table = FigureTable::parse("a,b\r\n1,x\n\n2.5,\n", "t.csv");
    ASSERT_TRUE(table.ok());
    EXPECT_EQ(table->rows(), 2u);
    EXPECT_EQ(table->number(1, "a", 0, 10).value(), 2.5);
    EXPECT_EQ(table->text(1, "b").value(), "");
    EXPECT_TRUE(table->has("b"));
    EXPECT_FALSE(table->has("c"));
}

TEST(FigureTable, says_file_line_and_field) {
    const auto table = FigureTable::parse("a,b\n1,x\n\n-2,\n", "t.csv").value();
    EXPECT_EQ(table.number(1, "a", 0, 10).error().message,
              "t.csv:4: a is -2; it must be within 0 and 10");
    EXPECT_EQ(table.number(0, "b", 0, 1).error().message, "t.csv:2: b is \"x\", not a number");
    EXPECT_EQ(table.number(1, "b", 0, 1).error().message, "t.csv:4: b is \"\", not a number");
    EXPECT_EQ(table.text(0, "c").error().message, "t.csv has no column c; it has a, b");
    EXPECT_EQ(FigureTable::parse("a,b\n1\n", "t.csv").error().message,
              "t.csv:2: 1 fields; the header has 2");
    EXPECT_EQ(FigureTable::parse("a\n\"1\"\n", "t.csv").error().message,
              "t.csv:2: a quoted field; fields here are plain");
    EXPECT_EQ(FigureTable::parse("\n", "t.csv").error().message, "t.csv is empty");
    EXPECT_FALSE(FigureTable::parse("a\nnan\n", "t").value().number(0, "a", 0, 1).ok());
    EXPECT_FALSE(FigureTable::parse("a\n1e400\n", "t").value().number(0, "a", 0, 1).ok());
}

}  // namespace
}  // namespace brigada
