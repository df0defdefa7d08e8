#include "load/stream_meter.h"

#include <gtest/gtest.h>

#include "base/concat.h"

namespace brigada {

namespace {

Instant at_ms(int64_t ms) {
    return Instant::at_ns(ms * 1'000'000);
}

std::string delta(std::string_view text) {
    return concat(R"(data: {"id":"c","choices":[{"index":0,"delta":{"content":")", text,
                  "\"}}]}\n\n");
}

std::string chat_end(int output) {
    std::string usage;
    if (output > 0)
        usage = concat(R"(data: {"id":"c","choices":[],"usage":{"prompt_tokens":50,)",
                       R"("completion_tokens":)", output,
                       R"(,"prompt_tokens_details":{"cached_tokens":32}}})", "\n\n");
    return concat(R"(data: {"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})",
                  "\n\n", usage, "data: [DONE]\n\n");
}

/// A request sent at 100 ms and its answer.
struct Measuring {
    StreamMeter meter{Dialect::chat, nullptr};
    CallResult result{.due = at_ms(90), .began = at_ms(95), .tried = at_ms(95), .sent = at_ms(100)};
    LogHistogram gaps;

    void feed(int64_t ms, const std::string& bytes) {
        ASSERT_TRUE(meter.feed(bytes, at_ms(ms)).ok());
        result.ended = at_ms(ms);
    }
    const CallResult& finish() {
        meter.finish(result, gaps);
        return result;
    }
};

TEST(StreamMeter, counts_time_from_the_request_sent_in_full) {
    Measuring one;
    one.feed(140, R"(data: {"id":"c","choices":[{"index":0,"delta":{"role":"assistant",)"
                  R"("content":""}}]})"
                  "\n\n");
    for (int i = 0; i < 4; ++i)
        one.feed(200 + 30 * i, delta("word"));
    one.feed(291, chat_end(4));
    const CallResult& result = one.finish();
    EXPECT_EQ(result.ttft(), Duration::milliseconds(100));  // the role is no token
    EXPECT_EQ(result.tpot(), Duration::milliseconds(30));
    EXPECT_EQ(result.e2e(), Duration::milliseconds(196));
    EXPECT_EQ(result.lateness(), Duration::milliseconds(5));
    EXPECT_EQ(result.output_tokens, 4u);
    EXPECT_EQ(result.bundles, 0u);
    EXPECT_EQ(one.gaps.count(), 3u);
    EXPECT_EQ(result.usage.prompt(), 50);
    EXPECT_EQ(result.usage.cached_input, 32);
    EXPECT_TRUE(one.meter.ended());
}

TEST(StreamMeter, counts_a_piece_of_several_tokens_as_so_many) {
    Measuring one;
    one.feed(200, delta("abcd"));
    for (int i = 1; i <= 3; ++i)
        one.feed(200 + 40 * i, delta("abcdabcdabcdabcd"));
    one.feed(321, chat_end(13));
    const CallResult& result = one.finish();
    EXPECT_EQ(result.first_tokens, 1u);
    EXPECT_EQ(result.later_tokens, 12u);
    EXPECT_EQ(result.tpot(), Duration::milliseconds(10));
    EXPECT_EQ(one.gaps.count(), 12u);
    EXPECT_NEAR(static_cast<double>(one.gaps.percentile(0.5).ns()) / 1e6, 10, 0.1);
    EXPECT_EQ(result.bundles, 3u);
    EXPECT_EQ(result.pieces, 4u);
}

// Tokens of the first piece came together: only the others had a gap.
TEST(StreamMeter, does_not_count_a_bundled_beginning_as_fast_tokens) {
    Measuring one;
    one.feed(200, delta("abcdabcdabcdabcdabcd"));
    for (int i = 1; i <= 5; ++i)
        one.feed(200 + 20 * i, delta("abcd"));
    one.feed(301, chat_end(10));
    const CallResult& result = one.finish();
    EXPECT_EQ(result.first_tokens, 5u);
    EXPECT_EQ(result.tpot(), Duration::milliseconds(20));
    EXPECT_EQ(one.gaps.count(), 5u);
}

TEST(StreamMeter, takes_what_one_read_brings_as_one_piece) {
    Measuring one;
    one.feed(200, delta("a"));
    one.feed(260, delta("b") + delta("c") + delta("d"));
    one.feed(261, chat_end(4));
    const CallResult& result = one.finish();
    EXPECT_EQ(result.pieces, 2u);
    EXPECT_EQ(result.tpot(), Duration::milliseconds(20));
}

TEST(StreamMeter, does_not_miss_an_end_token_that_nobody_sees) {
    Measuring one;
    for (int i = 0; i < 4; ++i)
        one.feed(200 + 10 * i, delta("a rather long word"));
    one.feed(231, chat_end(5));
    const CallResult& result = one.finish();
    EXPECT_EQ(result.output_tokens, 5u);
    EXPECT_EQ(result.later_tokens, 3u);
    EXPECT_EQ(result.tpot(), Duration::milliseconds(10));
}

TEST(StreamMeter, says_when_it_had_to_count_events) {
    Measuring one;
    one.feed(200, delta("a"));
    one.feed(210, delta("b") + chat_end(0));
    const CallResult& result = one.finish();
    EXPECT_FALSE(result.usage_told);
    EXPECT_EQ(result.counted_by, TokenCount::events);
    EXPECT_EQ(result.output_tokens, 2u);
}

TEST(StreamMeter, an_answer_of_one_token_has_no_gap) {
    Measuring one;
    one.feed(200, delta("a") + chat_end(1));
    EXPECT_FALSE(one.finish().tpot());
    EXPECT_EQ(one.gaps.count(), 0u);
}

TEST(StreamMeter, knows_a_stream_that_is_not_over_and_one_that_broke) {
    Measuring cut;
    cut.feed(200, delta("a"));
    EXPECT_FALSE(cut.meter.ended());
    Measuring broken;
    broken.feed(200, delta("a") +
                         "data: {\"error\":{\"message\":\"no more\","
                         "\"type\":\"server_error\"}}\n\n");
    EXPECT_FALSE(broken.meter.ended());
    ASSERT_TRUE(broken.meter.error());
    EXPECT_EQ(broken.meter.error()->message, "no more");
    StreamMeter none(Dialect::chat, nullptr);
    EXPECT_FALSE(none.feed("data: <html>\n\n", at_ms(1)).ok());
}

TEST(StreamMeter, counts_tokens_of_a_stretch_of_time) {
    Measuring one;
    for (int i = 0; i < 5; ++i)
        one.feed(100 * i, delta("a"));
    one.finish();
    EXPECT_EQ(one.meter.tokens_between(at_ms(100), at_ms(300)), 3u);
}

/// However tokens and bytes are spread, all tokens are given out, to each piece at least one while
/// there are enough.
TEST(StreamMeter, gives_every_token_to_some_piece) {
    for (int tokens : {3, 4, 7, 12, 50, 1'000}) {
        Measuring one;
        for (int i = 0; i < 7; ++i)
            one.feed(200 + 10 * i, delta(std::string(static_cast<size_t>(1 + i * i), 'x')));
        one.feed(300, chat_end(tokens));
        const CallResult& result = one.finish();
        EXPECT_EQ(result.first_tokens + result.later_tokens, static_cast<uint32_t>(tokens));
        if (tokens >= 7) EXPECT_GE(result.first_tokens, 1u);
    }
}

TEST(StreamMeter, reads_the_other_dialects) {
    StreamMeter messages(Dialect::messages, nullptr);
    const std::string stream =
        "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\","
        "\"type\":\"message\",\"role\":\"assistant\",\"content\":[],\"model\":\"m\","
        "\"usage\":{\"input_tokens\":7,\"cache_read_input_tokens\":3,\"output_tokens\":1}}}\n\n"
        "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,"
        "\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n"
        "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,"
        "\"delta\":{\"type\":\"text_delta\",\"text\":\"hi\"}}\n\n"
        "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n"
        "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":"
        "\"end_turn\"},\"usage\":{\"output_tokens\":2}}\n\n"
        "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";
    ASSERT_TRUE(messages.feed(stream, at_ms(5)).ok());
    EXPECT_TRUE(messages.ended());
    CallResult result;
    LogHistogram gaps;
    messages.finish(result, gaps);
    EXPECT_EQ(result.usage.prompt(), 10);
    EXPECT_EQ(result.output_tokens, 2u);
}

}  // namespace

}  // namespace brigada
