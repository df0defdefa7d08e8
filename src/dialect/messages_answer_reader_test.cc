#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dialect/shown_answer.h"

namespace brigada {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

constexpr std::string_view kStart =
    R"({"type":"message_start","message":{"id":"msg_1","model":"m","content":[],
        "usage":{"input_tokens":10,"cache_read_input_tokens":5,"output_tokens":1}}})";

std::string start(int index, std::string_view block) {
    return concat(R"({"type":"content_block_start","index":)", index, R"(,"content_block":)", block,
                  "}");
}
std::string delta(int index, std::string_view delta) {
    return concat(R"({"type":"content_block_delta","index":)", index, R"(,"delta":)", delta, "}");
}
std::string stop(int index) {
    return concat(R"({"type":"content_block_stop","index":)", index, "}");
}

std::vector<std::string> told(std::vector<std::string> events) {
    events.insert(events.begin(), std::string(kStart));
    std::vector<std::string> out = told_by(Dialect::messages, events);
    EXPECT_EQ(out.front(), "began msg_1 m 0");
    out.erase(out.begin());
    return out;
}

TEST(MessagesAnswerReader, tells_the_usage_it_knows_before_the_first_token) {
    Usage found;
    const auto reader = make_answer_reader(Dialect::messages);
    reader
        ->event(
            kStart,
            [&](const AnswerEvent& event) { found = std::get<AnswerBegan>(event).usage.value(); })
        .value();
    EXPECT_EQ(found, (Usage{.input = 10, .cached_input = 5, .output = 1}));
}

TEST(MessagesAnswerReader, passes_over_pings_and_what_it_does_not_know) {
    EXPECT_THAT(
        told({R"({"type":"ping"})", R"({"type":"news_of_tomorrow","delta":{"text":"x"}})",
              start(0, R"({"type":"server_tool_use","id":"s","name":"web_search","input":{}})"),
              delta(0, R"({"type":"input_json_delta","partial_json":"{}"})"), stop(0),
              start(1, R"({"type":"web_search_tool_result","content":[]})"), stop(1),
              start(2, R"({"type":"text","text":""})"),
              delta(2, R"({"type":"citations_delta","citation":{}})"),
              delta(2, R"({"type":"text_delta","text":"a"})"), stop(2)}),
        ElementsAre("text a"));
}

TEST(MessagesAnswerReader, tells_a_signature_when_its_block_ends) {
    EXPECT_THAT(told({start(0, R"({"type":"thinking","thinking":"","signature":""})"),
                      delta(0, R"({"type":"thinking_delta","thinking":"hm"})"),
                      delta(0, R"({"type":"signature_delta","signature":"ab"})"),
                      delta(0, R"({"type":"signature_delta","signature":"cd"})"), stop(0),
                      start(1, R"({"type":"redacted_thinking","data":"xx"})"), stop(1)}),
                ElementsAre("think hm", "signed abcd", "redacted xx"));
}

TEST(MessagesAnswerReader, takes_arguments_that_come_with_the_block) {
    constexpr std::string_view kCall =
        R"({"type":"tool_use","id":"t","name":"f","input":{"a": "b"} })";
    EXPECT_THAT(told({start(0, kCall), stop(0)}),
                ElementsAre("call t f #0", R"(arguments {\"a\": \"b\"} #0)"));
    EXPECT_THAT(told({start(0, kCall),
                      delta(0, R"({"type":"input_json_delta","partial_json":"{}"})"), stop(0)}),
                ElementsAre("call t f #0", "arguments {} #0"));
}

TEST(MessagesAnswerReader, merges_usage_and_maps_the_end) {
    EXPECT_THAT(told({R"({"type":"message_delta","delta":{"stop_reason":"stop_sequence",
                          "stop_sequence":"END"},"usage":{"output_tokens":9}})",
                      R"({"type":"message_stop"})"}),
                ElementsAre("usage 10+5+0 -> 9 (-1)", "ended stop_sequence END", "end"));
    EXPECT_THAT(told({R"({"type":"message_delta","delta":{"stop_reason":"pause_turn"}})",
                      R"({"type":"message_stop"})"}),
                ElementsAre("ended pause_turn", "end"));
    EXPECT_THAT(
        told({R"({"type":"message_delta","delta":{"stop_reason":"model_context_window_exceeded"}})",
              R"({"type":"message_stop"})"}),
        ElementsAre("ended max_tokens", "end"));
    EXPECT_THAT(told({R"({"type":"message_stop"})"}), ElementsAre("ended end_turn", "end"));
}

TEST(MessagesAnswerReader, begins_an_answer_whose_upstream_forgot_to) {
    EXPECT_THAT(told_by(Dialect::messages, {delta(0, R"({"type":"text_delta","text":"a"})")}),
                ElementsAre("began   0", "text a"));
}

TEST(MessagesAnswerReader, tells_an_error) {
    EXPECT_THAT(told({R"({"type":"error","error":{"type":"overloaded_error","message":"busy"}})",
                      R"({"type":"message_stop"})"}),
                ElementsAre("failed overloaded_error: busy"));
}

TEST(MessagesAnswerReader, refuses_what_contradicts_itself) {
    EXPECT_THAT(told({R"({"type":"content_block_delta","index":0,"delta":{"type" "text_delta"}})"}),
                ElementsAre(StartsWith("error: an event of the stream is no JSON object")));
}

TEST(MessagesAnswerReader, reads_a_whole_answer) {
    EXPECT_THAT(told_whole(Dialect::messages, R"({"id":"msg_1","type":"message","model":"m",
        "content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":"a"},
                   {"type":"tool_use","id":"t","name":"f","input":{}}],
        "stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":2}})"),
                ElementsAre("began msg_1 m 0", "think hm", "signed s", "text a", "call t f #0",
                            "arguments {} #0", "usage 1+0+0 -> 2 (-1)", "ended tool_use", "end"));
    EXPECT_THAT(told_whole(Dialect::messages, R"({"choices":[]})"),
                ElementsAre(StartsWith("error: ")));
}

}  // namespace
}  // namespace brigada
