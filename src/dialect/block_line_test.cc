#include "dialect/block_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/concat.h"

namespace brigada {
namespace {

using testing::ElementsAre;
using Kind = AnswerBlock::Kind;

/// What a stream would do, a line each.
class Log final : public BlockSink {
  public:
    void begin_block(const AnswerBlock& block) override {
        lines.push_back(concat("begin ", static_cast<int>(block.kind), block.name));
    }
    void block_text(const AnswerBlock&, Escaped text, std::string_view) override {
        lines.push_back(std::string(text.raw));
    }
    void end_block(const AnswerBlock& block) override {
        lines.push_back(concat("end ", block.text, block.signature));
    }
    std::vector<std::string> take() { return std::exchange(lines, {}); }

    std::vector<std::string> lines = {};
};

struct Bench {
    Log log = {};
    BlockLine line{log};
};

TEST(BlockLine, ends_a_text_when_another_block_begins) {
    Bench bench;
    bench.line.text(Kind::text, {"a"});
    bench.line.text(Kind::text, {"b"});
    EXPECT_THAT(bench.log.take(), ElementsAre("begin 0", "a", "b"));
    bench.line.text(Kind::thinking, {"c"});
    EXPECT_THAT(bench.log.take(), ElementsAre("end ab", "begin 1", "c"));
    bench.line.finish();
    EXPECT_THAT(bench.log.take(), ElementsAre("end c"));
}

TEST(BlockLine, ends_a_thought_with_its_signature) {
    Bench bench;
    bench.line.text(Kind::thinking, {"a"});
    bench.line.sign({"S"});
    bench.line.text(Kind::thinking, {"b"});
    bench.line.sign({"T"});
    bench.line.sign({"U"});
    bench.line.redacted({"R"});
    EXPECT_THAT(bench.log.take(), ElementsAre("begin 1", "a", "end aS", "begin 1", "b", "end bT",
                                              "begin 1", "end U", "begin 2", "end R"));
}

TEST(BlockLine, keeps_a_call_until_the_one_before_it_is_whole) {
    Bench bench;
    bench.line.begin_call(0, {"x"}, {"f"});
    bench.line.begin_call(1, {"y"}, {"g"});
    bench.line.arguments(1, {R"({\"b\":)"});
    bench.line.arguments(0, {R"({\"a\":)"});
    EXPECT_THAT(bench.log.take(), ElementsAre("begin 4f", R"({\"a\":)"));
    bench.line.arguments(0, {"1}"});
    EXPECT_THAT(bench.log.take(), ElementsAre("1}", R"(end {\"a\":1})", "begin 4g", R"({\"b\":)"));
    bench.line.arguments(1, {"2}"});
    bench.line.arguments(0, {" "});
    bench.line.finish();
    EXPECT_THAT(bench.log.take(), ElementsAre("2}", R"(end {\"b\":2})"));
}

TEST(BlockLine, keeps_text_and_calls_behind_a_call_that_is_cut) {
    Bench bench;
    bench.line.begin_call(0, {"x"}, {"f"});
    bench.line.arguments(0, {"{"});
    bench.line.text(Kind::text, {"a"});
    bench.line.begin_call(1, {"y"}, {"g"});
    bench.line.arguments(1, {"{}"});
    bench.line.text(Kind::text, {"b"});
    EXPECT_THAT(bench.log.take(), ElementsAre("begin 4f", "{"));
    bench.line.finish();
    EXPECT_THAT(bench.log.take(), ElementsAre("end {", "begin 0", "a", "end a", "begin 4g", "{}",
                                              "end {}", "begin 0", "b", "end b"));
}

bool is_whole(std::initializer_list<std::string_view> pieces) {
    JsonBalance balance;
    for (std::string_view piece : pieces)
        balance.feed({piece});
    return balance.whole();
}

TEST(JsonBalance, knows_when_an_object_is_closed) {
    EXPECT_TRUE(is_whole({"{}"}));
    EXPECT_TRUE(is_whole({"{", "}"}));
    EXPECT_TRUE(is_whole({R"( [{\"a\":)", R"(\"}\"}])"}));
    EXPECT_TRUE(is_whole({R"({\"a\":\"\\\"}\"})"}));         // {"a":"\"}"}
    EXPECT_TRUE(is_whole({R"({\u0022a\u0022:\"\\\\\"})"}));  // {"a":"\\"}
    EXPECT_FALSE(is_whole({R"({\"a\":\"\\\\\\\"})"}));       // {"a":"\\\"}
    EXPECT_FALSE(is_whole({R"({\"a\":\"})"}));
    EXPECT_FALSE(is_whole({R"({\"a\":{})"}));
    EXPECT_FALSE(is_whole({""}));
    EXPECT_FALSE(is_whole({"null"}));
}

}  // namespace
}  // namespace brigada
