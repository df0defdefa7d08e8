#include "gateway/call_translation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/concat.h"
#include "net/http.h"

namespace brigada {
namespace {

using testing::HasSubstr;

CallTranslation of(std::string& body, Dialect client) {
    body.reserve(body.size() + kBodyPadding);
    return CallTranslation::of(body, client, {.id = "chatcmpl-1", .model = "m"}, false).value();
}

/// Its stream may have begun while another upstream was tried.
TEST(CallTranslation, a_call_that_can_not_be_said_still_has_an_end) {
    std::string body = R"({"model":"m","n":2,"messages":[{"role":"user","content":"hi"}]})";
    CallTranslation call = of(body, Dialect::chat);
    EXPECT_FALSE(call.request(Dialect::messages, "up").ok());
    EXPECT_THAT(call.failed({.message = "no"}), HasSubstr(R"("message":"no")"));
}

TEST(CallTranslation, the_answer_needs_the_clients_body_no_more) {
    std::string body = R"({"model":"m","messages":[{"role":"user","content":"hi"}],"stream":true})";
    CallTranslation call = of(body, Dialect::chat);
    ASSERT_TRUE(call.request(Dialect::messages, "up").ok());
    call.let_go_of_body();
    body.assign(body.size(), 'x');
    std::string out;
    const char* const events[] = {
        R"({"type":"message_start","message":{"id":"a","usage":{"input_tokens":1}}})",
        R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"yes"}})",
        R"({"type":"message_stop"})"};
    for (const char* event : events)
        ASSERT_TRUE(call.event(event, out).ok());
    EXPECT_THAT(out, HasSubstr(R"("content":"yes")"));
    EXPECT_TRUE(out.ends_with("data: [DONE]\n\n"));
}

TEST(CallTranslation, tools_whose_names_the_upstream_refuses_have_their_own_again_in_the_answer) {
    const std::string name = "files.read/" + std::string(80, 'x');
    std::string body =
        concat(R"({"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hi"}],)",
               R"("tools":[{"name":")", name, R"(","input_schema":{}}]})");
    for (const bool streams : {true, false}) {
        CallTranslation call = of(body, Dialect::messages);
        const std::string asked = call.request(Dialect::chat, "up").value();
        EXPECT_EQ(asked.find(name), std::string::npos);
        const size_t at = asked.find("files_read_x");
        ASSERT_NE(at, std::string::npos) << asked;
        const std::string calls =
            concat(R"({"tool_calls":[{"index":0,"id":"c","function":{"name":")",
                   asked.substr(at, kLongestToolName), R"(","arguments":"{}"}}]})");
        const std::string answer =
            concat(R"({"id":"1","choices":[{"index":0,"finish_reason":"tool_calls",")",
                   streams ? "delta" : "message", R"(":)", calls, "}]}");
        std::string out;
        if (streams)
            ASSERT_TRUE(call.event(answer, out).ok());
        else
            out = call.whole(answer).value();
        EXPECT_THAT(out, HasSubstr(concat(R"("name":")", name, '"')));
    }
}

}  // namespace
}  // namespace brigada
