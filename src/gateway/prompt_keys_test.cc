#include "gateway/prompt_keys.h"

#include <gtest/gtest.h>

#include "base/concat.h"
#include "net/http.h"

namespace brigada {
namespace {

PromptKeys keys(std::string body, Dialect dialect = Dialect::chat, std::string_view salt = "t") {
    body.reserve(body.size() + kBodyPadding);
    return prompt_keys(read_call_body(body, dialect).value(), dialect, salt);
}

std::string text(char c, size_t n = 1'300) {
    return std::string(n, c);
}

size_t shared(const PromptKeys& a, const PromptKeys& b) {
    size_t n = 0;
    while (n < a.keys.size() && n < b.keys.size() && a.keys[n] == b.keys[n])
        ++n;
    return n;
}

TEST(PromptKeys, the_next_turn_extends_the_last_one) {
    const std::string first =
        concat(R"({"model":"m","messages":[{"role":"user","content":")", text('a'), R"("})");
    const PromptKeys one = keys(first + "]}");
    const PromptKeys two =
        keys(first + R"(,{"role":"assistant","content":")" + text('b') + R"("}]})");
    EXPECT_GE(one.keys.size(), 5u);
    EXPECT_GE(shared(one, two) + 1, one.keys.size());  // but for the piece with the closing bracket
    EXPECT_GT(two.keys.size(), one.keys.size());
}

TEST(PromptKeys, the_order_of_fields_does_not_matter_what_is_no_prompt_neither) {
    const std::string tools = concat(R"("tools":[{"name":")", text('t'), R"("}])");
    const std::string messages = concat(R"("messages":[{"content":")", text('m'), R"("}])");
    const PromptKeys a =
        keys(concat("{", tools, ",", messages, R"(,"model":"x","temperature":1})"));
    const PromptKeys b = keys(concat(R"({"model":"y",)", messages, ",", tools, "}"));
    EXPECT_EQ(a.keys, b.keys);
    EXPECT_GE(a.keys.size(), 9u);
    EXPECT_EQ(a.bytes, b.bytes);
}

TEST(PromptKeys, marks_that_move_are_left_out) {
    const auto turn = [](std::string_view first_mark, std::string_view second_mark) {
        return keys(
            concat(R"({"model":"m","messages":[{"text":")", text('a'), "\"", first_mark,
                   R"(},{"text":"say \"cache_control\" )", text('b'), "\"", second_mark, "}]}"),
            Dialect::messages);
    };
    const std::string_view mark = R"(, "cache_control" : {"type":"ephemeral","ttl":"1h"})";
    EXPECT_EQ(turn(mark, "").keys, turn("", mark).keys);
    EXPECT_EQ(turn("", "").keys, turn(mark, mark).keys);
    EXPECT_EQ(turn("", "").bytes, turn(mark, mark).bytes);
}

TEST(PromptKeys, a_mark_is_found_wherever_it_stands) {
    const auto prompt = [](size_t before, size_t after, std::string_view mark) {
        return keys(concat(R"({"model":"m","messages":[{"text":")", text('a', before), "\"", mark,
                           R"(},")", text('b', after), R"("]})"),
                    Dialect::messages);
    };
    for (const size_t after : {0, 40, 1'300})
        for (size_t before = 0; before < 200; ++before)
            ASSERT_EQ(prompt(before, after, R"(,"cache_control":null)").bytes,
                      prompt(before, after, "").bytes)
                << before << " bytes before it, " << after << " behind it";
}

TEST(PromptKeys, a_line_that_changes_with_every_call_is_left_out) {
    const auto turn = [](std::string_view line) {
        return keys(concat(R"({"model":"m","system":[{"type":"text","text":")", line,
                           R"("},{"type":"text","text":")", text('s'), R"("}],"messages":[")",
                           text('m'), R"("]})"),
                    Dialect::messages);
    };
    const std::string kLine = "x-anthropic-billing-header: cc_version=2; cch=";
    EXPECT_EQ(turn(kLine + "00001;").keys, turn(kLine + "f1e2d3;").keys);
    EXPECT_EQ(turn(kLine + R"(0;\nBe kind. \"x\")").keys,
              turn(kLine + R"(12;\nBe kind. \"x\")").keys);
    EXPECT_NE(turn(kLine + R"(0;\nBe kind.)").keys, turn(kLine + R"(0;\nBe rude.)").keys);
    EXPECT_NE(turn("cch=1").keys, turn("cch=2").keys);
}

TEST(PromptKeys, tenants_share_nothing) {
    const std::string body = concat(R"({"model":"m","messages":[")", text('a'), R"("]})");
    EXPECT_EQ(shared(keys(body, Dialect::chat, "a"), keys(body, Dialect::chat, "b")), 0u);
}

TEST(PromptKeys, counts_the_bytes_of_the_prompt) {
    EXPECT_EQ(keys(R"({"model":"m","prompt":"12345678"})", Dialect::completions).bytes, 10);
    EXPECT_EQ(keys(R"({"model":"m"})").bytes, 0);
}

}  // namespace
}  // namespace brigada
