#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dialect/shown_answer.h"

namespace brigada {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

constexpr std::string_view kCreated =
    R"({"type":"response.created","response":{"id":"resp_1","model":"m","created_at":7}})";

std::string added(int index, std::string_view item) {
    return concat(R"({"type":"response.output_item.added","output_index":)", index, R"(,"item":)",
                  item, "}");
}
std::string done(int index, std::string_view item) {
    return concat(R"({"type":"response.output_item.done","output_index":)", index, R"(,"item":)",
                  item, "}");
}
std::string delta(std::string_view type, int index, std::string_view delta) {
    return concat(R"({"type":"response.)", type, R"(.delta","output_index":)", index,
                  R"(,"delta":")", delta, "\"}");
}
std::string completed(std::string_view output) {
    return concat(R"({"type":"response.completed","response":{"status":"completed","output":[)",
                  output, "]}}");
}

std::vector<std::string> told(std::vector<std::string> events) {
    events.insert(events.begin(), std::string(kCreated));
    std::vector<std::string> out = told_by(Dialect::responses, events);
    EXPECT_EQ(out.front(), "began resp_1 m 7");
    out.erase(out.begin());
    return out;
}

constexpr std::string_view kCall =
    R"({"type":"function_call","id":"fc_1","call_id":"x","name":"f","arguments":"{\"a\":1}"})";
constexpr std::string_view kMessage =
    R"({"type":"message","content":[{"type":"output_text","text":"a"},
                                    {"type":"output_text","text":"b"}]})";

TEST(ResponsesAnswerReader, tells_deltas_and_not_again_what_is_done) {
    EXPECT_THAT(told({added(0, R"({"type":"message","content":[]})"), delta("output_text", 0, "a"),
                      delta("output_text", 0, "b"), done(0, kMessage), added(1, kCall),
                      delta("function_call_arguments", 1, R"({\"a\":1})"), done(1, kCall),
                      completed(concat(kMessage, ",", kCall))}),
                ElementsAre("text a", "text b", "call x f #0", R"(arguments {\"a\":1} #0)",
                            "ended tool_use", "end"));
}

TEST(ResponsesAnswerReader, tells_finished_items_of_an_upstream_without_deltas) {
    const std::vector<std::string> whole{
        "text a", "text b", "call x f #0", R"(arguments {\"a\":1} #0)", "ended tool_use", "end"};
    const std::string output = concat(kMessage, ",", kCall);
    EXPECT_EQ(told({done(0, kMessage), done(1, kCall), completed(output)}), whole);
    EXPECT_EQ(told({completed(output)}), whole);
}

TEST(ResponsesAnswerReader, counts_items_where_the_index_is_missing) {
    constexpr std::string_view kAdd = R"({"type":"response.output_item.added","item":)";
    constexpr std::string_view kDone = R"({"type":"response.output_item.done","item":)";
    constexpr std::string_view kOther = R"({"type":"function_call","call_id":"y","name":"g"})";
    EXPECT_THAT(
        told({concat(kAdd, kCall, "}"),
              R"({"type":"response.function_call_arguments.delta","delta":"{}"})",
              concat(kDone, kCall, "}"), concat(kAdd, kOther, "}"), concat(kDone, kOther, "}"),
              completed(concat(kCall, ",", kOther))}),
        ElementsAre("call x f #0", "arguments {} #0", "call y g #1", "ended tool_use", "end"));
}

TEST(ResponsesAnswerReader, tells_thoughts_their_paragraphs_and_their_seal) {
    const auto part = [](int summary, std::string_view text) {
        return concat(R"({"type":"response.reasoning_summary_text.delta","output_index":0,)",
                      R"("summary_index":)", summary, R"(,"delta":")", text, "\"}");
    };
    EXPECT_THAT(told({added(0, R"({"type":"reasoning","summary":[]})"), part(0, "a"), part(0, "b"),
                      part(1, "c"), done(0, R"({"type":"reasoning","encrypted_content":"s"})")}),
                ElementsAre("think a", "think b", R"(think \n\n)", "think c", "signed s"));
    EXPECT_THAT(
        told({done(0, R"({"type":"reasoning","summary":[{"text":"a"},{"text":"b"}],
                          "encrypted_content":"s"})"),
              done(1,
                   R"({"type":"reasoning","summary":[],
                          "content":[{"type":"reasoning_text","text":"raw"}]})"),
              done(2,
                   R"({"type":"reasoning","summary":[],
                          "encrypted_content":"redacted_thinking:xx"})")}),
        ElementsAre("think a", R"(think \n\n)", "think b", "signed s", "think raw", "redacted xx"));
    EXPECT_THAT(told({delta("reasoning_text", 0, "raw")}), ElementsAre("think raw"));
}

TEST(ResponsesAnswerReader, wraps_free_text_as_one_argument) {
    constexpr std::string_view kCustom =
        R"({"type":"custom_tool_call","call_id":"x","name":"patch","input":"a\n\"b\""})";
    EXPECT_THAT(told({added(0, R"({"type":"custom_tool_call","call_id":"x","name":"patch"})"),
                      delta("custom_tool_call_input", 0, R"(a\n)"),
                      delta("custom_tool_call_input", 0, R"(\"b\")"), done(0, kCustom)}),
                ElementsAre("call x patch #0", R"(arguments {\"input\":\"a\\n #0)",
                            R"(arguments \\\"b\\\" #0)", R"(arguments \"} #0)"));
    EXPECT_THAT(told({done(0, kCustom)}),
                ElementsAre("call x patch #0", R"(arguments {\"input\":\"a\\n\\\"b\\\"\"} #0)"));
}

TEST(ResponsesAnswerReader, passes_over_what_it_does_not_know) {
    EXPECT_THAT(told({R"({"type":"response.web_search_call.searching","output_index":0})",
                      R"({"type":"response.queued","response":{"id":"resp_1"}})",
                      R"({"type":"keepalive"})", R"({"no_type":1})",
                      done(0, R"({"type":"web_search_call","id":"ws_1"})"), completed("")}),
                ElementsAre("ended end_turn", "end"));
}

TEST(ResponsesAnswerReader, begins_an_answer_whose_upstream_forgot_to) {
    EXPECT_THAT(told_by(Dialect::responses, {delta("output_text", 0, "a")}),
                ElementsAre("began   0", "text a"));
}

TEST(ResponsesAnswerReader, maps_the_end) {
    EXPECT_THAT(told({R"({"type":"response.incomplete","response":{"status":"incomplete",
        "incomplete_details":{"reason":"max_output_tokens"},"output":[],
        "usage":{"input_tokens":9,"input_tokens_details":{"cached_tokens":4},"output_tokens":3,
                 "output_tokens_details":{"reasoning_tokens":1}}}})"}),
                ElementsAre("usage 5+4+0 -> 3 (1)", "ended max_tokens", "end"));
    EXPECT_THAT(told({R"({"type":"response.incomplete","response":{
        "incomplete_details":{"reason":"content_filter"}}})"}),
                ElementsAre("ended refusal", "end"));
    EXPECT_THAT(told({delta("refusal", 0, "no"), completed("")}),
                ElementsAre("refuse no", "ended refusal", "end"));
}

TEST(ResponsesAnswerReader, tells_errors) {
    EXPECT_THAT(told({R"({"type":"response.failed","response":{"error":
        {"code":"context_length_exceeded","message":"too much"}}})",
                      completed("")}),
                ElementsAre("failed invalid_request_error: too much"));
    EXPECT_THAT(told({R"({"type":"error","code":"rate_limit_exceeded","message":"slow"})"}),
                ElementsAre("failed rate_limit_error: slow"));
    EXPECT_THAT(told({R"({"type":"error","error":{"type":"server_error","message":"oh"}})"}),
                ElementsAre("failed api_error: oh"));
}

TEST(ResponsesAnswerReader, reads_a_whole_answer) {
    EXPECT_THAT(told_whole(Dialect::responses,
                           concat(R"({"id":"resp_1","object":"response","status":"completed",)",
                                  R"("output":[)", kMessage, "]}")),
                ElementsAre("began resp_1  0", "text a", "text b", "ended end_turn", "end"));
    EXPECT_THAT(told_whole(Dialect::responses,
                           R"({"id":"resp_1","object":"response","status":"failed","output":[],
                               "error":{"code":"server_error","message":"oh"}})"),
                ElementsAre("began resp_1  0", "failed api_error: oh"));
    EXPECT_THAT(told_whole(Dialect::responses, "[1]"), ElementsAre(StartsWith("error: ")));
}

}  // namespace
}  // namespace brigada
