// What clients need of a stream beyond what the goldens show.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "dialect/answer_writer.h"
#include "dialect/event_splitter.h"

namespace brigada {
namespace {

using testing::ElementsAre;

/// The events written, parsed; "[DONE]" as text.
std::vector<Json> events_in(const std::string& stream) {
    EventSplitter splitter;
    std::vector<Json> out;
    std::string joined;
    for (const std::string_view event : splitter.feed(stream).value()) {
        const std::string_view data = event_data(event, joined);
        out.push_back(data == "[DONE]" ? Json("[DONE]") : parse_json(data, "event").value());
        if (out.back().is_object() && out.back().contains("type"))
            EXPECT_TRUE(event.starts_with(
                concat("event: ", out.back()["type"].get<std::string>(), "\ndata: ")));
    }
    return out;
}

std::vector<Json> written(Dialect to, const Conversation& asked,
                          const std::vector<AnswerEvent>& events) {
    const auto writer = make_answer_writer(to, {.id = "msg_own-1", .model = "m", .asked = &asked});
    std::string out;
    for (const AnswerEvent& event : events)
        writer->write(event, out);
    return events_in(out);
}

Json whole(Dialect to, const Conversation& asked, const std::vector<AnswerEvent>& events) {
    const auto writer = make_answer_writer(to, {.id = "msg_own-1", .model = "m", .asked = &asked});
    for (const AnswerEvent& event : events)
        writer->collect(event);
    return parse_json(writer->whole(), "answer").value();
}

std::vector<std::string> types(const std::vector<Json>& events) {
    std::vector<std::string> out;
    for (const Json& event : events)
        out.push_back(event["type"]);
    return out;
}

const Json& of_type(const std::vector<Json>& events, std::string_view type) {
    const auto found =
        std::ranges::find_if(events, [&](const Json& e) { return e["type"] == type; });
    CHECK(found != events.end(), type);
    return *found;
}

const ChoiceEnded kStop{.reason = AnswerEnd::stop};
const UsageTold kUsage{.usage = {.input = 3, .cached_input = 2, .cache_write = 1, .output = 4}};

// --- Chat Completions ---------------------------------------------------------------------------

TEST(ChatAnswerWriter, tells_usage_only_when_asked) {
    Conversation asked;
    const std::vector<AnswerEvent> events{AnswerBegan{}, kUsage, kStop, AnswerEnded{}};
    std::vector<Json> found = written(Dialect::chat, asked, events);
    ASSERT_EQ(found.size(), 3u);
    EXPECT_EQ(found[0]["choices"][0]["delta"]["role"], "assistant");
    EXPECT_FALSE(found[0].contains("usage"));
    EXPECT_EQ(found[1]["choices"][0]["finish_reason"], "stop");
    EXPECT_EQ(found[2], "[DONE]");

    asked.include_usage = true;
    found = written(Dialect::chat, asked, events);
    ASSERT_EQ(found.size(), 4u);
    EXPECT_TRUE(found[0]["usage"].is_null());
    EXPECT_EQ(found[2]["choices"], Json::array());
    EXPECT_EQ(found[2]["usage"]["prompt_tokens"], 6);
    EXPECT_EQ(found[2]["usage"]["total_tokens"], 10);
}

TEST(ChatAnswerWriter, makes_ids_and_arguments_for_a_call_that_has_none) {
    const Conversation asked;
    const auto found = written(
        Dialect::chat, asked,
        {AnswerBegan{}, ToolCallBegan{.name = {"f"}}, ToolCallBegan{.call = 1, .name = {"g"}},
         ToolArgumentsDelta{.call = 1, .text = {"{ }"}},
         ChoiceEnded{.reason = AnswerEnd::tool_calls}, AnswerEnded{}});
    const auto call = [&](size_t i) { return found[i]["choices"][0]["delta"]["tool_calls"][0]; };
    EXPECT_EQ(call(1)["id"], "call_own-1_0");
    EXPECT_EQ(call(2)["id"], "call_own-1_1");
    EXPECT_EQ(call(3), Json({{"index", 1}, {"function", {{"arguments", "{ }"}}}}));
    EXPECT_EQ(call(4), Json({{"index", 0}, {"function", {{"arguments", "{}"}}}}));
}

TEST(ChatAnswerWriter, keeps_choices_apart) {
    const Conversation asked;
    const std::vector<AnswerEvent> events{
        AnswerBegan{}, TextDelta{1, {"b"}}, TextDelta{0, {"a"}}, ChoiceEnded{.choice = 1},
        kStop,         AnswerEnded{}};
    std::vector<std::string> roles;
    for (const Json& chunk : written(Dialect::chat, asked, events))
        if (chunk.is_object() && chunk["choices"][0]["delta"].contains("role"))
            roles.push_back(concat(chunk["choices"][0]["index"].get<int>()));
    EXPECT_THAT(roles, ElementsAre("0", "1"));
    const Json answer = whole(Dialect::chat, asked, events);
    EXPECT_EQ(answer["choices"][0]["message"]["content"], "a");
    EXPECT_EQ(answer["choices"][1]["message"]["content"], "b");
}

TEST(ChatAnswerWriter, says_an_error_and_nothing_after_it) {
    const Conversation asked;
    const auto found =
        written(Dialect::chat, asked,
                {AnswerBegan{}, AnswerFailed{{.kind = ErrorKind::overloaded, .message = "busy"}}});
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[1]["error"]["message"], "busy");
}

// --- Messages -----------------------------------------------------------------------------------

TEST(MessagesAnswerWriter, has_a_block_even_when_nothing_was_said) {
    const Conversation asked;
    const std::vector<AnswerEvent> events{AnswerBegan{.usage = Usage{.input = 7}}, kStop, kUsage,
                                          AnswerEnded{}};
    const auto found = written(Dialect::messages, asked, events);
    EXPECT_THAT(types(found), ElementsAre("message_start", "content_block_start",
                                          "content_block_stop", "message_delta", "message_stop"));
    EXPECT_EQ(found[0]["message"]["usage"]["input_tokens"], 7);
    EXPECT_EQ(found[3]["usage"]["cache_read_input_tokens"], 2);
    EXPECT_EQ(found[3]["usage"]["cache_creation_input_tokens"], 1);
    EXPECT_EQ(whole(Dialect::messages, asked, events)["content"],
              Json::parse(R"([{"type":"text","text":""}])"));
}

TEST(MessagesAnswerWriter, signs_a_thought_before_its_block_ends) {
    const Conversation asked;
    const auto found = written(
        Dialect::messages, asked,
        {AnswerBegan{}, ThinkingDelta{0, {"hm"}}, TextDelta{0, {"a"}}, kStop, AnswerEnded{}});
    EXPECT_THAT(
        types(found),
        ElementsAre("message_start", "content_block_start", "content_block_delta",
                    "content_block_delta", "content_block_stop", "content_block_start",
                    "content_block_delta", "content_block_stop", "message_delta", "message_stop"));
    EXPECT_EQ(found[3]["delta"]["type"], "signature_delta");
}

TEST(MessagesAnswerWriter, tells_the_first_choice_only) {
    const Conversation asked;
    const std::vector<AnswerEvent> events{AnswerBegan{},
                                          TextDelta{1, {"b"}},
                                          TextDelta{0, {"a"}},
                                          ChoiceEnded{.choice = 1, .reason = AnswerEnd::length},
                                          kStop,
                                          AnswerEnded{}};
    const auto found = written(Dialect::messages, asked, events);
    EXPECT_EQ(of_type(found, "content_block_delta")["delta"]["text"], "a");
    EXPECT_EQ(of_type(found, "message_delta")["delta"]["stop_reason"], "end_turn");
    EXPECT_EQ(whole(Dialect::messages, asked, events)["content"].size(), 1u);
}

TEST(MessagesAnswerWriter, wraps_arguments_that_are_no_object) {
    const Conversation asked;
    const auto input = [&](std::string_view arguments) {
        return whole(Dialect::messages, asked,
                     {AnswerBegan{}, ToolCallBegan{}, ToolArgumentsDelta{.text = {arguments}},
                      AnswerEnded{}})["content"][0]["input"];
    };
    EXPECT_EQ(input(""), Json::object());
    EXPECT_EQ(input(R"({\"a\": \"\u00e9\\n\"})"), Json({{"a", "é\n"}}));
    EXPECT_EQ(input(R"({\"a\": )"), Json({{"arguments", "{\"a\": "}}));
}

TEST(MessagesAnswerWriter, says_a_prompt_that_does_not_fit_in_anthropics_words) {
    const Conversation asked;
    const auto found = written(
        Dialect::messages, asked,
        {AnswerFailed{{.kind = ErrorKind::context_length,
                       .message = "This model's maximum context length is 4096 tokens. However, "
                                  "you requested 5000 tokens (4000 in the messages)."}}});
    EXPECT_EQ(found[0], Json::parse(R"({"type":"error","error":{"type":"invalid_request_error",
                  "message":"prompt is too long: 5000 tokens > 4096 maximum"}})"));
}

// --- Responses ----------------------------------------------------------------------------------

TEST(ResponsesAnswerWriter, gives_free_text_to_tools_that_take_it) {
    Conversation asked;
    asked.tools.push_back({.name = {"patch"}, .custom = true});
    const std::vector<AnswerEvent> events{
        AnswerBegan{},
        ToolCallBegan{.id = {"x"}, .name = {"patch"}},
        ToolArgumentsDelta{.text = {R"({\"input\": \"*** Begin\\n)"}},
        ToolArgumentsDelta{.text = {R"(+\\\"a\\\"\"})"}},
        ToolCallBegan{.call = 1, .id = {"y"}, .name = {"ls"}},
        ToolArgumentsDelta{.call = 1, .text = {R"({\"input\":\"b\"})"}},
        ChoiceEnded{.reason = AnswerEnd::tool_calls},
        AnswerEnded{}};
    const std::string text = "*** Begin\n+\"a\"";
    const auto found = written(Dialect::responses, asked, events);
    EXPECT_EQ(found[2]["item"]["type"], "custom_tool_call");
    EXPECT_EQ(of_type(found, "response.custom_tool_call_input.delta")["delta"], text);
    EXPECT_EQ(of_type(found, "response.custom_tool_call_input.done")["input"], text);
    const Json output = found.back()["response"]["output"];
    EXPECT_EQ(output[0]["input"], text);
    EXPECT_EQ(output[0]["call_id"], "x");
    EXPECT_EQ(output[1]["arguments"], R"({"input":"b"})");
    EXPECT_EQ(whole(Dialect::responses, asked, events)["output"], output);
}

TEST(ResponsesAnswerWriter, takes_arguments_of_any_other_shape_as_the_text) {
    Conversation asked;
    asked.tools.push_back({.name = {"patch"}, .custom = true});
    const auto input = [&](std::string_view arguments) {
        return whole(
            Dialect::responses, asked,
            {AnswerBegan{}, ToolCallBegan{.name = {"patch"}},
             ToolArgumentsDelta{.text = {arguments}}, AnswerEnded{}})["output"][0]["input"];
    };
    EXPECT_EQ(input("*** Begin"), "*** Begin");
    EXPECT_EQ(input(R"({\"patch\":\"a\"})"), R"({"patch":"a"})");
    EXPECT_EQ(input(R"({\"input\":\"\"})"), "");
    EXPECT_EQ(input(""), "");
}

TEST(ResponsesAnswerWriter, fails_with_the_code_that_codex_acts_on) {
    const Conversation asked;
    const auto found =
        written(Dialect::responses, asked,
                {AnswerBegan{}, TextDelta{0, {"a"}}, kUsage,
                 AnswerFailed{{.kind = ErrorKind::context_length, .message = "too long"}}});
    const Json& failed = found.back();
    EXPECT_EQ(failed["type"], "response.failed");
    EXPECT_EQ(failed["response"]["status"], "failed");
    EXPECT_EQ(failed["response"]["error"],
              Json({{"code", "context_length_exceeded"}, {"message", "too long"}}));
    EXPECT_EQ(failed["response"]["usage"]["input_tokens"], 6);
    EXPECT_THAT(types(written(Dialect::responses, asked, {AnswerFailed{}})),
                ElementsAre("response.created", "response.in_progress", "response.failed"));
}

TEST(ResponsesAnswerWriter, marks_what_was_cut) {
    const Conversation asked;
    const std::vector<AnswerEvent> events{AnswerBegan{}, TextDelta{0, {"a"}},
                                          ChoiceEnded{.reason = AnswerEnd::length}, AnswerEnded{}};
    const auto found = written(Dialect::responses, asked, events);
    const Json& last = found.back();
    EXPECT_EQ(last["type"], "response.incomplete");
    EXPECT_EQ(last["response"]["incomplete_details"]["reason"], "max_output_tokens");
    EXPECT_EQ(last["response"]["output"][0]["status"], "incomplete");
    EXPECT_EQ(whole(Dialect::responses, asked, events)["output"], last["response"]["output"]);
}

TEST(ResponsesAnswerWriter, says_what_the_client_asked) {
    Conversation asked;
    asked.sampling.temperature = {"0.5"};
    asked.tool_choice = {.kind = ToolChoice::Kind::named, .name = {"f"}, .parallel = false};
    const Json found = whole(Dialect::responses, asked, {AnswerBegan{}, AnswerEnded{}});
    EXPECT_EQ(found["temperature"], 0.5);
    EXPECT_EQ(found["tool_choice"], Json({{"type", "function"}, {"name", "f"}}));
    EXPECT_EQ(found["parallel_tool_calls"], false);
    EXPECT_EQ(found["output"], Json::array());
}

// --- ids ----------------------------------------------------------------------------------------

TEST(AnswerWriters, pass_an_id_of_their_own_shape) {
    const Conversation asked;
    const AnswerBegan began{.id = {"msg_upstream"}, .model = {"u"}};
    EXPECT_EQ(written(Dialect::messages, asked, {began})[0]["message"]["id"], "msg_upstream");
    EXPECT_EQ(written(Dialect::chat, asked, {began})[0]["id"], "msg_own-1");
    EXPECT_EQ(written(Dialect::chat, asked, {began})[0]["model"], "m");
}

}  // namespace
}  // namespace brigada
