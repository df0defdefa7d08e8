#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dialect/shown_answer.h"

namespace brigada {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

/// A chunk with this inside its one choice.
std::string chunk(std::string_view choice) {
    return concat(R"({"id":"c1","model":"m","created":7,"choices":[{)", choice, "}]}");
}

std::string delta(std::string_view delta) {
    return chunk(concat(R"("index":0,"delta":{)", delta, "}"));
}

std::vector<std::string> told(const std::vector<std::string>& events) {
    return told_by(Dialect::chat, events);
}

TEST(ChatAnswerReader, tells_reasoning_under_either_name_once) {
    EXPECT_THAT(told({delta(R"("reasoning":"a")"), delta(R"("reasoning_content":"b")"),
                      delta(R"("reasoning_content":"c","reasoning":"c")")}),
                ElementsAre("began c1 m 7", "think a", "think b", "think c"));
}

TEST(ChatAnswerReader, passes_over_nulls_empty_deltas_and_repeated_roles) {
    EXPECT_THAT(
        told({delta(R"("role":"assistant","content":null,"tool_calls":null,"refusal":null)"),
              delta(R"("role":"assistant","content":"")"), delta(""), chunk(R"("delta":null)"), "",
              delta(R"("role":"assistant","content":"hi","function_call":null)")}),
        ElementsAre("began c1 m 7", "text hi"));
}

TEST(ChatAnswerReader, keeps_escapes_as_they_stand) {
    EXPECT_THAT(told({delta(R"("content":"\"\u00e9\ud83d\ude00\\n" )")}),
                ElementsAre("began c1 m 7", R"(text \"\u00e9\ud83d\ude00\\n)"));
}

TEST(ChatAnswerReader, tells_a_call_that_comes_in_one_chunk) {
    EXPECT_THAT(
        told(
            {delta(
                 R"("tool_calls":[{"function":{"arguments":"{}","name":"f"},"id":"x","index":0}])"),
             chunk(R"("delta":{},"finish_reason":"stop")"), "[DONE]"}),
        ElementsAre("began c1 m 7", "call x f #0", "arguments {} #0", "ended tool_use", "end"));
}

TEST(ChatAnswerReader, tells_calls_side_by_side) {
    EXPECT_THAT(told({delta(R"("tool_calls":[{"index":0,"id":"x","function":{"name":"f"}},
                                              {"index":1,"id":"y","function":{"name":"g"}}])"),
                      delta(R"("tool_calls":[{"index":1,"function":{"arguments":"1"}}])"),
                      delta(R"("tool_calls":[{"index":0,"function":{"arguments":"2"}}])")}),
                ElementsAre("began c1 m 7", "call x f #0", "call y g #1", "arguments 1 #1",
                            "arguments 2 #0"));
}

TEST(ChatAnswerReader, finds_the_call_where_the_index_is_missing) {
    EXPECT_THAT(told({delta(R"("tool_calls":[{"id":"x","function":{"name":"f","arguments":"1"}}])"),
                      delta(R"("tool_calls":[{"function":{"arguments":"2"}}])"),
                      delta(R"("tool_calls":[{"id":"y","function":{"name":"g","arguments":"3"}}])"),
                      delta(R"("tool_calls":[{"id":"x","function":{"arguments":"4"}}])")}),
                ElementsAre("began c1 m 7", "call x f #0", "arguments 1 #0", "arguments 2 #0",
                            "call y g #1", "arguments 3 #1", "arguments 4 #0"));
}

TEST(ChatAnswerReader, tells_calls_apart_that_all_have_index_0) {
    EXPECT_THAT(
        told({delta(
                  R"("tool_calls":[{"index":0,"id":"x","function":{"name":"f","arguments":"1"}}])"),
              delta(
                  R"("tool_calls":[{"index":0,"id":"y","function":{"name":"f","arguments":"2"}}])"),
              delta(R"("tool_calls":[{"index":0,"function":{"arguments":"3"}}])")}),
        ElementsAre("began c1 m 7", "call x f #0", "arguments 1 #0", "call y f #1",
                    "arguments 2 #1", "arguments 3 #1"));
}

TEST(ChatAnswerReader, keeps_to_a_call_whose_pieces_have_ids_of_their_own) {
    EXPECT_THAT(
        told(
            {delta(R"("tool_calls":[{"index":0,"id":"x","function":{"name":"f","arguments":""}}])"),
             delta(R"("tool_calls":[{"index":0,"id":"r1","function":{"arguments":"1"}}])"),
             delta(
                 R"("tool_calls":[{"index":0,"id":"r2",
                                      "function":{"name":null,"arguments":"2"}}])")}),
        ElementsAre("began c1 m 7", "call x f #0", "arguments 1 #0", "arguments 2 #0"));
}

TEST(ChatAnswerReader, waits_for_the_name_of_a_call) {
    EXPECT_THAT(told({delta(R"("tool_calls":[{"index":0,"id":"x","function":{"arguments":"1"}}])"),
                      delta(R"("tool_calls":[{"index":0,"function":{"name":"f"}}])"),
                      delta(R"("tool_calls":[{"index":0,"function":{"arguments":"2"}}])")}),
                ElementsAre("began c1 m 7", "call x f #0", "arguments 1 #0", "arguments 2 #0"));
}

TEST(ChatAnswerReader, tells_text_after_calls_and_the_end_once) {
    EXPECT_THAT(
        told(
            {delta(
                 R"("tool_calls":[{"index":0,"id":"x","function":{"name":"f","arguments":"{}"}}])"),
             chunk(R"("index":0,"delta":{},"finish_reason":"tool_calls")"),
             delta(R"("content":"done")"),
             chunk(R"("index":0,"delta":{},"finish_reason":"tool_calls")"), "[DONE]", "[DONE]",
             delta(R"("content":"late")")}),
        ElementsAre("began c1 m 7", "call x f #0", "arguments {} #0", "text done", "ended tool_use",
                    "end"));
}

TEST(ChatAnswerReader, keeps_choices_apart) {
    EXPECT_THAT(told({R"({"id":"c1","choices":[{"index":1,"delta":{"content":"b"}},
                                               {"index":0,"delta":{"content":"a"}}]})",
                      R"({"id":"c1","choices":[{"index":1,"delta":{},"finish_reason":"length"}]})",
                      "[DONE]"}),
                ElementsAre("began c1  0", "text/1 b", "text a", "ended end_turn",
                            "ended max_tokens/1", "end"));
}

TEST(ChatAnswerReader, reads_usage_wherever_it_is) {
    constexpr std::string_view kUsage =
        R"("usage":{"prompt_tokens":10,"completion_tokens":3,"prompt_tokens_details":
           {"cached_tokens":6,"cache_write_tokens":1},
           "completion_tokens_details":{"reasoning_tokens":2}})";
    const std::string usage = "usage 3+6+1 -> 3 (2)";
    EXPECT_THAT(told({concat(R"({"id":"c1","choices":[],)", kUsage, "}")}),
                ElementsAre("began c1  0", usage));
    EXPECT_THAT(told({concat(R"({"id":"c1","choices":[{"delta":{}}],)", kUsage, "}")}),
                ElementsAre("began c1  0", usage));
    EXPECT_THAT(
        told({concat(R"({"id":"c1","choices":[{"delta":{},)", kUsage, R"(}],"usage":null})")}),
        ElementsAre("began c1  0", usage));
    EXPECT_THAT(told({R"({"id":"c1","choices":[],"usage":{"prompt_tokens":5,"completion_tokens":1,
                          "prompt_tokens_details":null}})"}),
                ElementsAre("began c1  0", "usage 5+0+0 -> 1 (-1)"));
}

TEST(ChatAnswerReader, waits_for_an_event_that_names_the_answer) {
    EXPECT_THAT(told({R"({"id":"","model":"","choices":[],"prompt_filter_results":[]})",
                      delta(R"("content":"a")")}),
                ElementsAre("began c1 m 7", "text a"));
    EXPECT_THAT(told({R"({"choices":[{"delta":{"content":"a"}}]})"}),
                ElementsAre("began   0", "text a"));
}

TEST(ChatAnswerReader, tells_which_stop_sequence_it_was_where_the_engine_does) {
    EXPECT_THAT(told({chunk(R"("delta":{},"finish_reason":"stop","stop_reason":"END")"), "[DONE]"}),
                ElementsAre("began c1 m 7", "ended stop_sequence END", "end"));
    EXPECT_THAT(told({chunk(R"("delta":{},"finish_reason":"stop","matched_stop":2)"), "[DONE]"}),
                ElementsAre("began c1 m 7", "ended end_turn", "end"));
}

TEST(ChatAnswerReader, tells_a_refusal) {
    EXPECT_THAT(
        told({delta(R"("refusal":"no")"), chunk(R"("delta":{},"finish_reason":"stop")"), "[DONE]"}),
        ElementsAre("began c1 m 7", "refuse no", "ended refusal", "end"));
}

TEST(ChatAnswerReader, tells_errors_of_every_shape) {
    EXPECT_THAT(told({R"({"error":{"message":"slow","type":"rate_limit_error","code":429}})"}),
                ElementsAre("failed rate_limit_error: slow"));
    EXPECT_THAT(told({R"({"error":"out of memory"})"}),
                ElementsAre("failed api_error: out of memory"));
    EXPECT_THAT(
        told({R"({"object":"error","message":"too bad","type":"BadRequestError","code":400})"}),
        ElementsAre("failed invalid_request_error: too bad"));
    EXPECT_THAT(told({R"({"id":"c1","error":{"message":"provider went away","code":502},
                          "choices":[{"delta":{"content":""},"finish_reason":"error"}]})",
                      "[DONE]"}),
                ElementsAre("began c1  0", "failed api_error: provider went away"));
}

TEST(ChatAnswerReader, refuses_what_is_no_json_object) {
    EXPECT_THAT(told({"oops"}),
                ElementsAre("error: an event of the stream is no JSON object: oops"));
    EXPECT_THAT(told({R"(["a"])"}), ElementsAre(StartsWith("error: ")));
    EXPECT_THAT(told({R"({"id":"c1","choices":[{"delta":{"content":"\x"}}]})"}),
                ElementsAre(StartsWith("error: ")));
    EXPECT_THAT(told({R"({"id":"c1","choices":[{"delta":{"content":"a)"}),
                ElementsAre(StartsWith("error: ")));
}

TEST(ChatAnswerReader, reads_a_whole_answer) {
    EXPECT_THAT(
        told_whole(Dialect::chat, R"({"id":"c1","choices":[{"index":0,"finish_reason":"stop",
            "message":{"role":"assistant","content":null,"tool_calls":[
              {"id":"x","type":"function","function":{"name":"f","arguments":""}},
              {"type":"function","function":{"name":"g","arguments":"{\"a\":1}"}}]}}]})"),
        ElementsAre("began c1  0", "call x f #0", "call g #1", R"(arguments {\"a\":1} #1)",
                    "ended tool_use", "end"));
    EXPECT_THAT(told_whole(Dialect::chat, R"({"choices":[{"message":{"content":
                    [{"type":"text","text":"a"},{"type":"text","text":"b"}]}}]})"),
                ElementsAre("began   0", "text a", "text b", "ended end_turn", "end"));
    EXPECT_THAT(told_whole(Dialect::chat, R"({"type":"message","content":[]})"),
                ElementsAre(StartsWith("error: the answer is of another shape")));
}

}  // namespace
}  // namespace brigada
