// Logprobs of an answer's tokens: told beside the text in OpenAI's two APIs, and nowhere else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/concat.h"
#include "base/json.h"
#include "dialect/answer_reader.h"
#include "dialect/answer_writer.h"
#include "dialect/event_splitter.h"
#include "dialect/padded_for_tests.h"
#include "dialect/read_conversation.h"
#include "dialect/write_conversation.h"

namespace brigada {
namespace {

Json written(Dialect from, const std::string& body, Dialect to, std::string* dropped = nullptr) {
    const std::string padded_body = padded(body);
    const auto asked = read_conversation(padded_body, from);
    CHECK(asked.ok(), asked.error().message);
    const auto request = write_conversation(*asked, to, "m");
    CHECK(request.ok(), request.error().message);
    if (dropped)
        for (const std::string& name : request->dropped)
            *dropped += name + " ";
    return parse_json(request->body, "body").value();
}

TEST(Logprobs, are_asked_for_in_each_apis_words) {
    const std::string chat = R"({"model": "m", "messages": [{"role": "user", "content": "hi"}],
        "logprobs": true, "top_logprobs": 3})";
    const Json to_responses = written(Dialect::chat, chat, Dialect::responses);
    EXPECT_EQ(dump_json(to_responses["include"]), R"(["message.output_text.logprobs"])");
    EXPECT_EQ(to_responses["top_logprobs"], 3);
    const std::string responses = R"({"model": "m", "input": "hi", "top_logprobs": 2,
        "include": ["message.output_text.logprobs", "reasoning.encrypted_content"]})";
    const Json to_chat = written(Dialect::responses, responses, Dialect::chat);
    EXPECT_EQ(to_chat["logprobs"], true);
    EXPECT_EQ(to_chat["top_logprobs"], 2);
    std::string dropped;
    written(Dialect::chat, chat, Dialect::messages, &dropped);
    written(Dialect::responses, responses, Dialect::messages, &dropped);
    EXPECT_EQ(dropped, "logprobs top_logprobs include.message.output_text.logprobs top_logprobs ");
}

TEST(Logprobs, a_count_without_the_wish_means_nothing) {
    std::string dropped;
    const Json to_chat =
        written(Dialect::responses, R"({"model": "m", "input": "hi", "top_logprobs": 2})",
                Dialect::chat, &dropped);
    EXPECT_FALSE(to_chat.contains("logprobs") || to_chat.contains("top_logprobs"));
    EXPECT_EQ(dropped, "top_logprobs ");
}

std::string one(const char* token) {
    return concat(R"({"token":")", token, R"(","logprob":-0.5,"bytes":[1],"top_logprobs":[]})");
}

/// A chunk of a stream: a delta and the logprobs of these tokens.
std::string chunk(const std::string& delta, const std::string& logprobs) {
    return concat(R"({"id":"c","choices":[{"index":0,"delta":)", delta,
                  R"(,"logprobs":{"content":[)", logprobs, "]}}]}");
}

std::string translated(const std::vector<std::string>& data, Dialect from, Dialect to) {
    const auto reader = make_answer_reader(from);
    const auto writer = make_answer_writer(to, {.id = "x", .model = "m"});
    std::string out;
    for (const std::string& event : data)
        CHECK(reader->event(event, [&](const AnswerEvent& e) { writer->write(e, out); }).ok(),
              event);
    return out;
}

std::vector<Json> events_in(const std::string& stream, std::string_view type) {
    EventSplitter splitter;
    std::vector<Json> out;
    std::string joined;
    for (const std::string_view event : splitter.feed(stream).value()) {
        const auto value = parse_json(event_data(event, joined), "event");
        if (value.ok() && (type.empty() || (*value)["type"] == type)) out.push_back(*value);
    }
    return out;
}

std::string tokens_of(const Json& list) {
    std::string out;
    for (const Json& entry : list)
        out += entry["token"].get<std::string>();
    return out;
}

const std::vector<std::string> kChat = {
    chunk(R"({"reasoning_content":"hm"})", one("hm")),
    chunk(R"({"content":""})", one("a")),  // its text is held back by the engine
    chunk(R"({"content":"ab"})", one("b")),
    chunk(R"({"content":"c"})", one("c")),
    chunk(R"({"tool_calls":[{"index":0,"id":"i","function":{"name":"f","arguments":"{}"}}]})",
          one("call")),
    R"({"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})",
    "[DONE]"};

TEST(Logprobs, of_a_chats_text_are_told_with_the_deltas_of_a_response) {
    const std::string stream = translated(kChat, Dialect::chat, Dialect::responses);
    const auto deltas = events_in(stream, "response.output_text.delta");
    ASSERT_EQ(deltas.size(), 2u);
    EXPECT_EQ(tokens_of(deltas[0]["logprobs"]), "ab");
    EXPECT_EQ(tokens_of(deltas[1]["logprobs"]), "c");
    EXPECT_EQ(tokens_of(events_in(stream, "response.output_text.done")[0]["logprobs"]), "abc");
    const Json done = events_in(stream, "response.completed")[0]["response"];
    EXPECT_EQ(tokens_of(done["output"][1]["content"][0]["logprobs"]), "abc");
}

TEST(Logprobs, of_a_response_are_told_with_the_chunks_of_a_chat) {
    std::vector<std::string> data;
    for (const Json& event : events_in(translated(kChat, Dialect::chat, Dialect::responses), ""))
        data.push_back(dump_json(event));
    std::string tokens;
    for (const Json& event : events_in(translated(data, Dialect::responses, Dialect::chat), ""))
        if (!event["choices"].empty() && event["choices"][0]["logprobs"].is_object())
            tokens += tokens_of(event["choices"][0]["logprobs"]["content"]);
    EXPECT_EQ(tokens, "abc");
}

TEST(Logprobs, stand_beside_the_text_of_a_whole_answer) {
    const std::string chat = concat(
        R"({"id":"c","choices":[{"index":0,"message":{"content":"ab"},"finish_reason":"stop",)",
        R"("logprobs":{"content":[)", one("a"), ", ", one("b"), "]}}]}");
    const auto whole = [](const std::string& json, Dialect from, Dialect to) {
        const auto writer = make_answer_writer(to, {.id = "x", .model = "m"});
        const auto read = make_answer_reader(from)->whole(
            json, [&](const AnswerEvent& event) { writer->collect(event); });
        CHECK(read.ok(), json);
        return writer->whole();
    };
    const std::string response = whole(chat, Dialect::chat, Dialect::responses);
    const Json parsed = parse_json(response, "response").value();
    EXPECT_EQ(tokens_of(parsed["output"][0]["content"][0]["logprobs"]), "ab");
    const Json again =
        parse_json(whole(response, Dialect::responses, Dialect::chat), "chat").value();
    EXPECT_EQ(tokens_of(again["choices"][0]["logprobs"]["content"]), "ab");
    EXPECT_FALSE(whole(chat, Dialect::chat, Dialect::messages).contains("logprob"));
}

}  // namespace
}  // namespace brigada
