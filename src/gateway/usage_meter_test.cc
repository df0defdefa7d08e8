// What is read from a streamed answer as it passes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gateway/usage_meter.h"

namespace brigada {
namespace {

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
