#include "gateway/count/prompt_source.h"

#include <gtest/gtest.h>

#include "net/http.h"

namespace brigada {
namespace {

std::string padded(std::string text) {
    text.reserve(text.size() + kBodyPadding);
    return text;
}

Json read(Dialect dialect, const char* raw) {
    Json out = Json::array();
    const std::string message = padded(raw);
    const auto read = append_message(message, dialect, out);
    return read.ok() ? out : Json(read.error().message);
}

Json json(const char* text) {
    return *parse_json(text, "expected");
}

TEST(PromptSource, of_chat_completions_is_what_templates_read) {
    EXPECT_EQ(read(Dialect::chat, R"({"role":"developer","content":"be brief","extra":1})"),
              json(R"([{"role":"system","content":"be brief"}])"));
    EXPECT_EQ(read(Dialect::chat,
                   R"({"role":"user","content":[{"type":"text","text":"a","cache_control":{}},)"
                   R"({"type":"text","text":"b"}]})"),
              json(R"([{"role":"user","content":"a\nb"}])"));
    EXPECT_EQ(read(Dialect::chat, R"({"role":"assistant","content":null,"reasoning_content":"hm",)"
                                  R"("tool_calls":[{"id":"1","function":{"name":"f"}}]})"),
              json(R"([{"role":"assistant","content":"",)"
                   R"("tool_calls":[{"id":"1","function":{"name":"f"}}],)"
                   R"("reasoning_content":"hm"}])"));
}

TEST(PromptSource, of_anthropic_becomes_that_of_openai) {
    EXPECT_EQ(
        read(
            Dialect::messages,
            R"({"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"},)"
            R"({"type":"text","text":"I look."},)"
            R"({"type":"tool_use","id":"t1","name":"read","input":{"path":"a"}}]})"),
        json(R"([{"role":"assistant","content":"I look.","reasoning_content":"hm","tool_calls":)"
             R"([{"id":"t1","type":"function",)"
             R"("function":{"name":"read","arguments":{"path":"a"}}}]}])"));
    EXPECT_EQ(
        read(Dialect::messages,
             R"({"role":"user","content":[)"
             R"({"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"x"}]},)"
             R"({"type":"tool_result","tool_use_id":"t2"},)"
             R"({"type":"text","text":"and now?"}]})"),
        json(R"([{"role":"tool","tool_call_id":"t1","content":"x"},)"
             R"({"role":"tool","tool_call_id":"t2","content":""},)"
             R"({"role":"user","content":"and now?"}])"));
    EXPECT_EQ(read(Dialect::messages, R"({"role":"user","content":[{"type":"image"}]})"),
              Json("\"image\" parts have tokens that no tokenizer of text counts"));
}

TEST(PromptSource, has_system_and_tools_of_either_dialect) {
    const std::string tools =
        padded(R"([{"name":"read","description":"reads","input_schema":{"type":"object"},)"
               R"("cache_control":{"type":"ephemeral"}}])");
    const std::string system = padded(R"([{"type":"text","text":"a"},{"type":"text","text":"b"}])");
    const auto read = read_around({.dialect = Dialect::messages, .tools = tools, .system = system});
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(read->messages, json(R"([{"role":"system","content":"a\nb"}])"));
    EXPECT_EQ(read->tools, json(R"([{"type":"function","function":{"name":"read",)"
                                R"("description":"reads","parameters":{"type":"object"}}}])"));
}

TEST(PromptSource, leaves_out_tools_that_may_not_be_called) {
    const std::string tools = padded(R"([{"type":"function","function":{"name":"f"}}])");
    EXPECT_TRUE(read_around({.tools = tools, .tool_choice = "\"none\""})->tools.is_null());
    EXPECT_TRUE(read_around({.tools = "[ ]"})->tools.is_null());
    EXPECT_EQ(read_around({.tools = tools})->tools.size(), 1u);
}

}  // namespace
}  // namespace brigada
