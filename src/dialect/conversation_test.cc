#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "dialect/padded_for_tests.h"
#include "dialect/read_conversation.h"
#include "dialect/write_conversation.h"

namespace brigada {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Result<WrittenRequest> translate(Dialect from, const std::string& request, Dialect to) {
    const std::string body = padded(request);
    TRY(const Conversation conversation, read_conversation(body, from));
    return write_conversation(conversation, to, "up");
}

Json translated(Dialect from, const std::string& request, Dialect to) {
    const auto written = translate(from, request, to);
    EXPECT_TRUE(written.ok()) << (written.ok() ? "" : written.error().message);
    return written.ok() ? Json::parse(written->body) : Json();
}

std::string refusal(Dialect from, const std::string& request, Dialect to) {
    const auto written = translate(from, request, to);
    return written.ok() ? "" : written.error().message;
}

/// A chat body with `more` beside one message.
std::string chat(const std::string& more) {
    return R"({"model": "m", "messages": [{"role": "user", "content": "hi"}], )" + more + "}";
}

/// A chat body with one assistant's call of these arguments, as they stand in the body.
std::string call(const std::string& arguments) {
    return R"({"messages": [{"role": "assistant", "tool_calls": [{"id": "c", "function":
        {"name": "f", "arguments": )" +
           arguments + "}}]}]}";
}

Json input_of(const std::string& arguments) {
    return translated(Dialect::chat, call(arguments),
                      Dialect::messages)["messages"][0]["content"][0]["input"];
}

TEST(Conversation, wrong_fields_are_named_with_their_path_and_value) {
    const std::pair<const char*, const char*> cases[] = {
        {R"("max_tokens": 0)",
         "max_tokens: must be a whole number from 1 to 9007199254740992; got 0"},
        {R"("max_tokens": -5)", "max_tokens: must be a whole number from 1"},
        {R"("max_tokens": 1e300)", "got 1e300"},
        {R"("max_tokens": 1.5)", "got 1.5"},
        {R"("max_completion_tokens": "9")", "got \"9\""},
        {R"("n": 0)", "n: must be a whole number from 1"},
        {R"("temperature": "hot")", "temperature: must be a number; got \"hot\""},
        {R"("stream": 1)", "stream: must be true or false; got 1"},
        {R"("stop": [1])", "stop[0]: must be a string; got 1"},
        {R"("tools": {})", "tools: must be an array; got {}"},
        {R"("tools": [{"type": "function", "function": {"name": ""}}])",
         "tools[0].function.name: must be a string that is not empty; got \"\""},
        {R"("tools": [{"type": "function", "function": {"name": "f", "parameters": 1}}])",
         "tools[0].function.parameters: must be an object; got 1"},
        {R"("tool_choice": "maybe")", "tool_choice: must be none, auto, required"},
        {R"("tool_choice": "required")", "tool_choice: requires a tool"},
        {R"("tool_choice": {"type": "function", "function": {"name": "g"}})",
         "tool_choice: names 'g', which is none of tools"},
        {R"("response_format": {"type": "xml"})",
         "response_format.type: must be text, json_object"},
        {R"("functions": [])", "functions: functions are read from tools"},
        {R"("user": "a", "user": "b")", "user: is given twice"},
    };
    for (const auto& [field, message] : cases)
        EXPECT_THAT(refusal(Dialect::chat, chat(field), Dialect::messages), HasSubstr(message));
}

TEST(Conversation, wrong_messages_are_named_with_their_path_and_value) {
    const std::tuple<Dialect, const char*, const char*> cases[] = {
        {Dialect::chat, R"({"messages": [{"role": "user", "content": [{"type": "text"}]}]})",
         "messages[0].content[0].text: must be a string; it is missing"},
        {Dialect::chat, R"({"messages": [{"content": "a"}]})",
         "messages[0].role: must be a string; it is missing"},
        {Dialect::chat, R"({"messages": [{"role": "function", "content": "a"}]})",
         "messages[0].role: must be system, developer, user, assistant or tool; got \"function\""},
        {Dialect::chat, R"({"messages": [{"role": "tool", "content": "a"}]})",
         "messages[0].tool_call_id"},
        {Dialect::chat, R"({"messages": []})", "the request says nothing"},
        {Dialect::chat, R"({"messages": [{"role": "system", "content": "s"}]})",
         "needs a message besides system prompts"},
        {Dialect::chat, R"({"messages": [{"role": "user", "content": [{"type": "input_audio"}]}]})",
         "messages[0].content[0]: parts of type text, image_url and file can be translated"},
        {Dialect::chat,
         R"({"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url":
             "data:image/svg+xml,<svg/>"}}]}]})",
         "messages[0].content[0].image_url.url: must be an address, or base64"},
        {Dialect::messages,
         R"({"messages": [{"role": "user", "content": [{"type": "image", "source":
             {"type": "file", "file_id": "f"}}]}]})",
         "messages[0].content[0].source.type: sources of type base64 and url"},
        {Dialect::messages, R"({"messages": [{"role": "user", "content": [{"type": "odd"}]}]})",
         "messages[0].content[0]: blocks of type text"},
        {Dialect::messages, R"({"messages": [{"role": "user", "content": null}]})",
         "messages[0].content: must be a string or an array of blocks; it is missing"},
        {Dialect::messages, R"({"messages": [], "max_tokens": -1})", "max_tokens: must be"},
        {Dialect::messages,
         R"({"messages": [], "tools": [{"type": "web_search_20250305", "name": "web_search"}],
             "tool_choice": {"type": "tool", "name": "web_search"}})",
         "tool_choice: 'web_search' is a tool of the provider"},
        {Dialect::responses, R"({"input": [{"type": "item_reference", "id": "msg_1"}]})",
         "input[0]: stands for what a provider keeps"},
        {Dialect::responses, R"({"input": [{"id": "msg_1"}]})", "input[0]: stands for what"},
        {Dialect::responses, R"({"input": "a", "conversation": "conv_1"})",
         "conversation: stands for what a provider keeps"},
        {Dialect::responses, R"({"input": "a", "background": true})",
         "background: only the provider answers later"},
        {Dialect::responses, R"({"input": "a", "tools": [{"type": "web_search"}],
             "tool_choice": {"type": "web_search"}})",
         "tool_choice: a function or a custom tool can be named"},
        {Dialect::responses, R"({"input": [{"role": "user", "content": [{"type": "input_image",
             "file_id": "f"}]}]})",
         "input[0].content[0].file_id: files kept by a provider"},
    };
    for (const auto& [from, request, message] : cases) {
        const Dialect to = from == Dialect::messages ? Dialect::chat : Dialect::messages;
        EXPECT_THAT(refusal(from, request, to), HasSubstr(message)) << request;
    }
}

TEST(Conversation, bodies_that_are_no_json_are_refused) {
    for (const char* body :
         {"", "[]", "{", "{}x", R"({"a": tru})", R"({"a": 01})", R"({"a": "\q"})",
          R"({"a": [1 2]})", R"({"a": "b": 1})", R"({"a": ["b": 1]})", "{\"a\": \"\n\"}",
          R"({"a": .5})", R"({"a": 1e})"})
        EXPECT_FALSE(read_conversation(padded(body), Dialect::responses).ok()) << body;
    const auto latin = read_conversation(padded("{\"input\": \"caf\xe9\"}"), Dialect::responses);
    ASSERT_FALSE(latin.ok());
    EXPECT_EQ(latin.error().message, "the body is not valid UTF-8");
}

TEST(Conversation, nesting_has_an_end) {
    const auto nested = [](size_t levels) {
        return R"({"input": "a", "metadata": )" + std::string(levels, '[') +
               std::string(levels, ']') + "}";
    };
    EXPECT_TRUE(read_conversation(padded(nested(255)), Dialect::responses).ok());
    const auto deep = read_conversation(padded(nested(256)), Dialect::responses);
    ASSERT_FALSE(deep.ok());
    EXPECT_THAT(deep.error().message, HasSubstr("nested deeper than 256"));
    EXPECT_FALSE(read_conversation(padded(nested(1'000'000)), Dialect::responses).ok());
}

TEST(Conversation, arguments_that_are_no_object_are_kept) {
    EXPECT_EQ(input_of(R"("{\"a\": 1}")"), Json::parse(R"({"a": 1})"));
    EXPECT_EQ(input_of(R"("")"), Json::object());
    EXPECT_EQ(input_of(R"({"a": 1})"), Json::parse(R"({"a": 1})"));
    for (const char* text : {R"("[1]")", R"("nothing")", R"("{\"a\": }")", R"("{} {}")", R"(" ")"})
        EXPECT_EQ(input_of(text), Json({{"arguments", Json::parse(text)}}));
    const std::string deep = std::string(300, '[') + std::string(300, ']');
    const std::string wrapped = R"("{\"a\": )" + deep + R"(}")";
    EXPECT_EQ(input_of(wrapped), Json({{"arguments", "{\"a\": " + deep + "}"}}));
}

TEST(Conversation, lone_surrogates_become_replacement_characters) {
    const Json chat_body = translated(
        Dialect::messages,
        R"({"messages": [{"role": "user", "content": "a\ud83dz \ud83d\ude00 \\ud800"}]})",
        Dialect::chat);
    EXPECT_EQ(chat_body["messages"][0]["content"], "a\ufffdz \U0001f600 \\ud800");
    EXPECT_EQ(input_of(R"("{\"a\": \"\\udc00\"}")"), Json({{"a", "\ufffd"}}));
}

TEST(Conversation, numbers_are_not_rounded) {
    const auto written = translate(
        Dialect::chat,
        chat(R"("temperature": 0.10000000000000000001, "tools": [{"type": "function", "function":
             {"name": "f", "parameters": {"type": "object", "maximum": 1e400}}}])"),
        Dialect::messages);
    ASSERT_TRUE(written.ok());
    EXPECT_THAT(written->body, HasSubstr(R"("temperature":0.10000000000000000001)"));
    EXPECT_THAT(written->body, HasSubstr(R"({"type": "object", "maximum": 1e400})"));
}

TEST(Conversation, lines_that_change_with_every_call_vanish) {
    const auto system = [](const std::string& field) {
        return translated(
            Dialect::messages,
            R"({"messages": [{"role": "user", "content": "a"}], "system": )" + field + "}",
            Dialect::chat)["messages"][0];
    };
    EXPECT_EQ(system(R"("x-anthropic-billing-header: cch=1;")")["role"], "user");
    EXPECT_EQ(system(R"("x-anthropic-billing-header: a\\nb\n\nBe good.\nAlways.")")["content"],
              "Be good.\nAlways.");
    EXPECT_EQ(system(R"("Never x-anthropic-billing-header:")")["content"],
              "Never x-anthropic-billing-header:");
}

TEST(Conversation, fields_may_stand_in_any_order_and_be_escaped) {
    const Json body =
        translated(Dialect::responses,
                   R"({"tool_choice": {"name": "g", "type": "function"}, "instructions": "i",
            "in\u0070ut": [{"content": [{"text": "a", "type": "input_text"}], "role": "user"}],
            "tools": [{"name": "f", "type": "function"}, {"name": "g", "type": "function"}]})",
                   Dialect::chat);
    EXPECT_EQ(body["messages"][0]["content"], "i");
    EXPECT_EQ(body["messages"][1]["content"], "a");
    EXPECT_EQ(body["tool_choice"]["function"]["name"], "g");
}

TEST(Conversation, unknown_fields_are_named_as_far_as_is_good) {
    std::string many = R"("odd\nfield": 1, "gone": null)";
    const auto few = translate(Dialect::chat, chat(many), Dialect::responses);
    ASSERT_TRUE(few.ok());
    EXPECT_THAT(few->dropped, ElementsAre(R"(odd\nfield)"));
    for (int i = 0; i < 200; ++i)
        many += concat(", \"", std::string(100, 'x'), i, "\": 1, \"f", i, "\": 1");
    const auto lots = translate(Dialect::chat, chat(many), Dialect::responses);
    ASSERT_TRUE(lots.ok());
    EXPECT_EQ(lots->dropped.size(), 64u);
    for (const std::string& name : lots->dropped)
        EXPECT_LE(name.size(), 64u);
}

TEST(Conversation, one_answer_where_the_upstream_gives_one) {
    EXPECT_THAT(refusal(Dialect::chat, chat(R"("n": 2)"), Dialect::messages),
                HasSubstr("n: this model's upstream gives one answer to a request; got 2"));
    EXPECT_EQ(refusal(Dialect::chat, chat(R"("n": 1)"), Dialect::responses), "");
    const char* warm = R"({"max_tokens": 0, "messages": [{"role": "user", "content": "a"}]})";
    EXPECT_THAT(refusal(Dialect::messages, warm, Dialect::chat), HasSubstr("send at least 1"));
}

TEST(Conversation, json_that_a_tool_gives_is_its_text) {
    const Json body = translated(
        Dialect::responses,
        R"({"input": [{"type": "function_call", "call_id": "1", "name": "f", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "1", "output": {"deep": ["é\n"]}}]})",
        Dialect::chat);
    EXPECT_EQ(body["messages"][1]["content"], R"({"deep": ["é\n"]})");
}

TEST(Conversation, blanks_at_the_end_of_what_the_assistant_began_go) {
    const auto last = [](const std::string& content) {
        return translated(Dialect::chat,
                          R"({"messages": [{"role": "user", "content": "q"},
                              {"role": "assistant", "content": ")" +
                              content + R"("}]})",
                          Dialect::messages)["messages"][1]["content"][0]["text"];
    };
    EXPECT_EQ(last(R"(a \n\t\r )"), "a");
    EXPECT_EQ(last(R"(a\\n)"), "a\\n");
    EXPECT_EQ(last(R"(a\\\n)"), "a\\");
}

TEST(Conversation, redacted_thinking_comes_back_through_responses) {
    const Json body = translated(
        Dialect::responses,
        R"({"input": [{"role": "user", "content": "a"}, {"type": "reasoning", "id": "rs_1",
            "summary": [], "encrypted_content": "redacted_thinking:xx"}]})",
        Dialect::messages);
    EXPECT_EQ(body["messages"][1]["content"],
              Json::parse(R"([{"type": "redacted_thinking", "data": "xx"}])"));
}

TEST(Conversation, efforts_and_budgets) {
    const auto effort = [](const std::string& thinking) {
        return translated(Dialect::messages,
                          R"({"messages": [{"role": "user", "content": "a"}], )" + thinking + "}",
                          Dialect::chat)
            .value("reasoning_effort", "");
    };
    const auto budget = [&](int tokens) {
        return effort(concat(R"("thinking": {"type": "enabled", "budget_tokens": )", tokens, "}"));
    };
    EXPECT_EQ(budget(1'024), "low");
    EXPECT_EQ(budget(4'096), "low");
    EXPECT_EQ(budget(4'097), "medium");
    EXPECT_EQ(budget(16'384), "medium");
    EXPECT_EQ(budget(31'999), "high");
    EXPECT_EQ(effort(R"("thinking": {"type": "adaptive"})"), "");
    EXPECT_EQ(effort(R"("thinking": {"type": "adaptive"}, "output_config": {"effort": "max"})"),
              "max");
    EXPECT_EQ(effort(R"("thinking": {"type": "disabled"})"), "none");
    EXPECT_EQ(effort(R"("stream": false)"), "");
}

TEST(Conversation, thousands_of_tools_and_calls) {
    std::string body = R"({"messages": [{"role": "assistant", "tool_calls": [)";
    const int count = 2'000;
    for (int i = 0; i < count; ++i)
        body += concat(i == 0 ? "" : ",", R"({"id": "c", "function": {"name": "f)", i, "\"}}");
    body += "]}";
    for (int i = 0; i < count; ++i)
        body += concat(R"(, {"role": "tool", "tool_call_id": "c", "content": ")", i, "\"}");
    body += "], \"tools\": [";
    for (int i = 0; i < count; ++i)
        body +=
            concat(i == 0 ? "" : ",", R"({"type": "function", "function": {"name": "f)", i, "\"}}");
    const Json out = translated(Dialect::chat, body + "]}", Dialect::messages);
    ASSERT_EQ(out["tools"].size(), 2'000u);
    ASSERT_EQ(out["messages"][1]["content"].size(), 2'000u);
    for (int i = 0; i < count; ++i) {
        EXPECT_EQ(out["messages"][1]["content"][i]["content"], std::to_string(i));
        EXPECT_EQ(out["messages"][1]["content"][i]["tool_use_id"],
                  out["messages"][0]["content"][i]["id"]);
    }
}

TEST(Conversation, tools_of_a_namespace_have_its_name_before_theirs) {
    const Json chat = translated(Dialect::responses, R"({"model": "m", "input": [
        {"type": "message", "role": "user", "content": "go"},
        {"type": "function_call", "call_id": "c", "namespace": "crew", "name": "call",
         "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "done"}],
        "tools": [{"type": "namespace", "name": "crew", "description": "others", "tools": [
            {"type": "function", "name": "call", "parameters": {"type": "object"}}]}]})",
                                 Dialect::chat);
    ASSERT_EQ(chat["tools"].size(), 1u);
    EXPECT_EQ(chat["tools"][0]["function"]["name"], "crew__call");
    EXPECT_EQ(chat["messages"][1]["tool_calls"][0]["function"]["name"], "crew__call");
    EXPECT_EQ(refusal(Dialect::responses, R"({"model": "m", "input": "go",
        "tools": [{"type": "namespace", "name": "crew", "tools": 1}]})",
                      Dialect::chat),
              "tools[0].tools: must be an array; got 1");
}

}  // namespace
}  // namespace brigada
