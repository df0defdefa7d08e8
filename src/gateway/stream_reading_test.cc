// How a streamed answer is cut into events and what is read from them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gateway/event_splitter.h"
#include "gateway/usage_meter.h"

namespace brigada {
namespace {

std::vector<std::string> split(const std::vector<std::string>& pieces,
                               std::string* rest = nullptr) {
    EventSplitter splitter;
    std::vector<std::string> out;
    for (const std::string& piece : pieces)
        for (const std::string_view event : splitter.feed(piece).value())
            out.emplace_back(event);
    if (rest) *rest = splitter.rest();
    return out;
}

TEST(EventSplitter, cuts_the_same_events_however_the_bytes_come) {
    const std::string stream =
        ": hello\n\ndata: {\"a\":1}\n\nevent: x\r\ndata: b\r\n\r\ndata: c\rdata: d\r\rdata: "
        "[DONE]\n\n";
    const auto whole = split({stream});
    EXPECT_EQ(whole.size(), 5u);
    for (size_t at = 1; at < stream.size(); ++at) {
        SCOPED_TRACE(at);
        EXPECT_EQ(split({stream.substr(0, at), stream.substr(at)}), whole);
    }
    std::vector<std::string> bytes;
    for (const char c : stream)
        bytes.emplace_back(1, c);
    EXPECT_EQ(split(bytes), whole);
}

TEST(EventSplitter, keeps_what_is_not_whole) {
    std::string rest;
    EXPECT_EQ(split({"data: a\n\ndata: b\n"}, &rest).size(), 1u);
    EXPECT_EQ(rest, "data: b\n");
}

TEST(EventSplitter, refuses_an_event_without_end) {
    EventSplitter splitter(100);
    EXPECT_EQ(splitter.feed(std::string(101, 'x')).error().code, Code::too_large);
}

TEST(EventData, joins_the_data_lines) {
    std::string joined;
    EXPECT_EQ(event_data("event: x\ndata: {\"a\"\r\ndata::1}\n\n", joined), "{\"a\"\n:1}");
    EXPECT_EQ(event_data(": comment\n\n", joined), "");
    EXPECT_EQ(event_data("data:[DONE]\n\n", joined), "[DONE]");
}

TEST(UsageMeter, reads_chat_completions) {
    UsageMeter meter(Dialect::chat);
    meter.event(R"({"choices":[{"delta":{"content":"a"}}]})");
    meter.event(R"({"choices":[{"delta":{"content":"b"}}]})");
    EXPECT_EQ(meter.output_events(), 2);
    EXPECT_FALSE(meter.reported());
    meter.event(R"({"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":2,
                    "prompt_tokens_details":{"cached_tokens":8}}})");
    EXPECT_TRUE(meter.last_was_only_usage());
    EXPECT_FALSE(meter.ended());
    meter.event("[DONE]");
    EXPECT_TRUE(meter.ended());
    EXPECT_FALSE(meter.last_was_only_usage());
    EXPECT_EQ(meter.reported(), (Usage{.input = 2, .cached_input = 8, .output = 2}));
}

TEST(UsageMeter, reads_messages) {
    UsageMeter meter(Dialect::messages);
    meter.event(R"({"type":"message_start","message":{"usage":{"input_tokens":3,
                    "cache_read_input_tokens":100,"cache_creation_input_tokens":20,
                    "output_tokens":1}}})");
    meter.event(R"({"type":"content_block_delta","delta":{"type":"text_delta","text":"x"}})");
    meter.event(R"({"type":"message_delta","delta":{},"usage":{"output_tokens":40}})");
    EXPECT_FALSE(meter.ended());
    meter.event(R"({"type":"message_stop"})");
    EXPECT_TRUE(meter.ended());
    EXPECT_EQ(meter.reported(),
              (Usage{.input = 3, .cached_input = 100, .cache_write = 20, .output = 40}));
}

TEST(UsageMeter, reads_responses) {
    UsageMeter meter(Dialect::responses);
    meter.event(R"({"type":"response.output_text.delta","delta":"x"})");
    meter.event(R"({"type":"response.completed","response":{"id":"r","error":null,"usage":{
        "input_tokens":9,"input_tokens_details":{"cached_tokens":4},"output_tokens":5}}})");
    EXPECT_TRUE(meter.ended());
    EXPECT_FALSE(meter.failed());
    EXPECT_EQ(meter.reported(), (Usage{.input = 5, .cached_input = 4, .output = 5}));
}

TEST(UsageMeter, sees_an_error_inside_the_stream_and_survives_garbage) {
    UsageMeter meter(Dialect::chat);
    for (const char* text :
         {"{\"usage\":", "\"usage\"", "[\"usage\"]", "{\"usage\":7,\"error\":null}"})
        meter.event(text);
    EXPECT_FALSE(meter.failed());
    EXPECT_FALSE(meter.reported());
    meter.event(R"({"error":{"message":"out of memory"}})");
    EXPECT_TRUE(meter.failed());
}

TEST(UsageMeter, never_reports_negative_or_more_cached_than_prompt) {
    UsageMeter meter(Dialect::chat);
    meter.whole(R"({"usage":{"prompt_tokens":5,"completion_tokens":-3,
                    "prompt_tokens_details":{"cached_tokens":9}}})");
    EXPECT_EQ(meter.reported(), (Usage{.input = 0, .cached_input = 5, .output = 0}));
}

}  // namespace
}  // namespace brigada
