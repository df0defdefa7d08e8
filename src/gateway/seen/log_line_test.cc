#include "gateway/seen/log_line.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace brigada {
namespace {

constexpr WallTime kNow{1'772'368'205'123'456'789};  // 2026-03-01T12:30:05.123456789Z

LogLine line(LogFormat format) {
    return {format, LogLevel::warning, kNow, "call"};
}

TEST(LogLine, is_an_object_for_machines) {
    EXPECT_EQ(line(LogFormat::json)
                  .add("model", "coder")
                  .add("status", 200)
                  .add("stream", true)
                  .add("nothing", "")
                  .add("seconds", Duration::microseconds(1'500'001))
                  .take(),
              R"({"time":"2026-03-01T12:30:05.123Z","level":"warning","event":"call",)"
              R"("model":"coder","status":200,"stream":true,"seconds":1.500001})");
}

TEST(LogLine, is_words_for_people) {
    EXPECT_EQ(line(LogFormat::text)
                  .add("model", "coder")
                  .add("message", "two words")
                  .add("seconds", Duration::microseconds(-2'000'003))
                  .take(),
              "2026-03-01T12:30:05.123Z warning call model=coder message=\"two words\" "
              "seconds=-2.000003");
}

TEST(LogLine, stays_one_line_and_one_object_whatever_a_client_sends) {
    for (const std::string& evil :
         {std::string("a\nb"), std::string("\"}{"), std::string("\\"), std::string("\xff\xfe"),
          std::string("a\0b", 3), std::string("=a b"), std::string("\x1b[31m"),
          std::string("caf\xc3\xa9 \xe2\x80\xa8")}) {
        const std::string json = line(LogFormat::json).add("user", evil).add("last", 1).take();
        const auto read = parse_json(json, "the line");
        ASSERT_TRUE(read.ok()) << json;
        EXPECT_EQ((*read)["last"], 1);
        EXPECT_EQ((*read)["event"], "call");
        const std::string text = line(LogFormat::text).add("user", evil).take();
        for (const std::string& each : {json, text})
            for (const char c : each)
                EXPECT_GE(static_cast<unsigned char>(c), ' ') << each;
    }
}

TEST(LogLine, cuts_what_is_too_long_also_within_a_character) {
    const std::string text =
        line(LogFormat::json).add("user", "x" + std::string(2'000, '\xc3')).take();
    EXPECT_LT(text.size(), 4 * kLogTextBytes);
    EXPECT_TRUE(parse_json(text, "the line").ok());
}

}  // namespace
}  // namespace brigada
