// Chat replies from scripted events: what of them is text, reasoning and calls, and in which words.
#include <gtest/gtest.h>

#include "api/reply.h"
#include "base/file.h"

namespace brigada {
namespace {

const Tokenizer& tokenizer() {
    static const Tokenizer tiny =
        Tokenizer::from_json(
            *read_file(Path(BRIGADA_TESTDATA) / "tokenizer-tiny/shakespeare.json", 1 << 20), "")
            .value();
    return tiny;
}

ChatAnswers answers(uint32_t choices = 1) {
    return {.format = *choose_answer_format("", {"hermes", "think"}),
            .rules = {},
            .tools = ToolList(Json::parse(R"([{"type": "function", "function": {"name": "f"}}])")),
            .choices = choices};
}

std::unique_ptr<Reply> reply(ChatAnswers how, bool logprobs = false) {
    return make_chat_reply(
        {.id = "chatcmpl-1", .model = "m", .include_usage = true, .logprobs = logprobs},
        std::move(how), tokenizer());
}

TokenEvent token(std::string text, uint32_t choice = 0) {
    return {
        .choice = choice, .token = TokenId{70}, .text = std::move(text), .logprob = {}, .top = {}};
}

ChoiceFinished finished(FinishReason reason = FinishReason::stop, uint32_t choice = 0) {
    return {.choice = choice, .reason = reason, .text = "", .stop_string = {}};
}

/// choices[0] of each chunk.
std::vector<Json> choices_of(const Chunks& chunks) {
    std::vector<Json> out;
    for (const std::string& chunk : chunks)
        out.push_back(Json::parse(chunk)["choices"][0]);
    return out;
}

Json whole_choice(ChatAnswers how, const std::vector<std::string>& tokens,
                  FinishReason reason = FinishReason::stop) {
    const auto whole = reply(std::move(how));
    for (const std::string& text : tokens)
        whole->collect(token(text));
    whole->collect(finished(reason));
    return Json::parse(whole->whole({}))["choices"][0];
}

const std::vector<std::string> kCall = {"<tool_call>", "{\"name\": \"f\", ",
                                        "\"arguments\": {\"a\"", ": 1}}", "</tool_call>"};

TEST(ChatReply, streams_a_call_once_and_then_its_arguments) {
    const auto stream = reply(answers());
    std::vector<Json> deltas;
    for (const std::string& text : kCall)
        for (const Json& choice : choices_of(stream->token(token(text))))
            deltas.push_back(choice["delta"]);
    ASSERT_EQ(deltas.size(), 3u);
    const Json& begun = deltas[0]["tool_calls"][0];
    EXPECT_EQ(begun["index"], 0);
    EXPECT_EQ(begun["type"], "function");
    EXPECT_EQ(dump_json(begun["function"]), R"({"name":"f","arguments":""})");
    EXPECT_EQ(dump_json(deltas[1]),
              R"({"tool_calls":[{"index":0,"function":{"arguments":"{\"a\""}}]})");
    EXPECT_EQ(dump_json(deltas[2]),
              R"({"tool_calls":[{"index":0,"function":{"arguments":": 1}"}}]})");
    const std::vector<Json> last = choices_of(stream->finish(finished()));
    ASSERT_EQ(last.size(), 1u);
    EXPECT_EQ(last[0]["finish_reason"], "tool_calls");
    EXPECT_EQ(dump_json(last[0]["delta"]), "{}");
}

TEST(ChatReply, a_whole_answer_has_null_for_content_only_beside_something_else) {
    const Json call = whole_choice(answers(), kCall);
    EXPECT_TRUE(call["message"]["content"].is_null());
    EXPECT_EQ(dump_json(call["message"]["tool_calls"][0]["function"]),
              R"({"name":"f","arguments":"{\"a\": 1}"})");
    EXPECT_EQ(call["finish_reason"], "tool_calls");
    EXPECT_EQ(dump_json(whole_choice(answers(), {})["message"]),
              R"({"role":"assistant","content":""})");
    const Json thought = whole_choice(answers(), {"<think>", "a", "</think>"});
    EXPECT_EQ(dump_json(thought["message"]),
              R"({"role":"assistant","content":null,"reasoning_content":"a"})");
}

TEST(ChatReply, an_answer_that_ran_out_of_tokens_says_so_whatever_it_called) {
    std::vector<std::string> tokens = kCall;
    tokens.push_back(" and");
    const Json choice = whole_choice(answers(), tokens, FinishReason::length);
    EXPECT_EQ(choice["finish_reason"], "length");
    EXPECT_EQ(choice["message"]["tool_calls"].size(), 1u);
    EXPECT_EQ(choice["message"]["content"], "and");
}

TEST(ChatReply, a_broken_call_is_content_and_its_reason_is_told) {
    std::vector<std::string> reasons;
    ChatAnswers how = answers();
    how.on_broken_call = [&](std::string_view reason) { reasons.emplace_back(reason); };
    const std::vector<std::string> tokens = {"<tool_call>{\"name\": \"f\", \"arguments\": {",
                                             "oops"};
    const Json choice = whole_choice(how, tokens);
    EXPECT_EQ(
        dump_json(choice["message"]),
        R"({"role":"assistant","content":"<tool_call>{\"name\": \"f\", \"arguments\": {oops"})");
    EXPECT_EQ(choice["finish_reason"], "stop");
    EXPECT_EQ(reasons.size(), 1u);
}

TEST(ChatReply, counts_the_tokens_of_reasoning_and_can_leave_it_out) {
    for (const bool included : {true, false}) {
        ChatAnswers how = answers();
        how.include_reasoning = included;
        const auto stream = reply(how);
        std::string reasoning;
        for (const char* text : {"<think>", "one", " two", "</think>", "Yes"})
            for (const Json& choice : choices_of(stream->token(token(text))))
                reasoning += choice["delta"].value("reasoning_content", "");
        stream->finish(finished());
        EXPECT_EQ(reasoning, included ? "one two" : "");
        const Json usage = Json::parse(stream->end({}).at(0))["usage"];
        EXPECT_EQ(usage["completion_tokens_details"]["reasoning_tokens"], 4);
    }
}

TEST(ChatReply, choices_have_parsers_and_ids_of_their_own) {
    const auto whole = reply(answers(2));
    for (const std::string& text : kCall) {
        whole->collect(token(text, 0));
        whole->collect(token("x", 1));
        whole->collect(token(text, 1));
    }
    whole->collect(finished(FinishReason::stop, 0));
    whole->collect(finished(FinishReason::stop, 1));
    const Json choices = Json::parse(whole->whole({}))["choices"];
    EXPECT_EQ(choices[0]["message"]["tool_calls"].size(), 1u);
    EXPECT_TRUE(choices[1]["message"]["content"].is_string());
}

TEST(ChatReply, every_token_keeps_its_logprob_however_its_text_is_told) {
    const auto stream = reply(answers(), true);
    for (const std::string& text : kCall) {
        const std::vector<Json> choices = choices_of(stream->token(token(text)));
        ASSERT_FALSE(choices.empty()) << text;
        EXPECT_EQ(choices[0]["logprobs"]["content"].size(), 1u);
        for (size_t i = 1; i < choices.size(); ++i)
            EXPECT_TRUE(choices[i]["logprobs"].is_null());
    }
}

TEST(ChatReply, logprobs_may_be_those_of_the_text_alone) {
    ReplyHead head{.id = "chatcmpl-1", .model = "m"};
    head.logprobs = head.only_text_logprobs = true;
    const auto whole = make_chat_reply(std::move(head), answers(), tokenizer());
    for (const char* text : {"<think>", "hm", "</think>", "Yes", " no", "<tool_", "call>",
                             R"({"name": "f", "arguments": {}})", "</tool_call>"})
        whole->collect(token(text));
    whole->collect(finished());
    const Json choice = Json::parse(whole->whole({}))["choices"][0];
    EXPECT_EQ(choice["message"]["tool_calls"].size(), 1u);
    EXPECT_EQ(choice["logprobs"]["content"].size(), 2u);
}

}  // namespace
}  // namespace brigada
