#include "dialect/without_thoughts.h"

#include <gtest/gtest.h>

#include "base/concat.h"
#include "base/json.h"
#include "dialect/padded_for_tests.h"
#include "dialect/read_conversation.h"
#include "dialect/write_conversation.h"

namespace brigada {
namespace {

std::string cut(const std::string& text, Dialect dialect) {
    std::string body = padded(text);
    std::string out = text;
    std::vector<BodyEdit> edits = thoughts_cut(body, dialect);
    for (const BodyEdit& edit : edits) {
        const size_t at = out.find(edit.old);
        out.replace(at, edit.old.size(), edit.text);
    }
    return edits.empty() ? "" : dump_json(parse_json(out, "cut").value());
}

constexpr const char* kThought =
    R"({"type": "thinking", "thinking": "Hm, \"so\".", "signature": "c2ln"})";

TEST(WithoutThoughts, messages_keep_all_else) {
    const std::string text =
        concat(R"({"model":"m","messages":[{"role":"user","content":"hi"},)",
               R"({"role":"assistant","content":[)", kThought,
               R"(,{"type":"text","text":"a, b"},{"type":"redacted_thinking","data":"x"}]},)",
               R"({"role":"user","content":"on"},{"role":"assistant","content":[)", kThought,
               R"(]},{"role":"user","content":[{"type":"text","text":"go"}]}],)",
               R"("thinking":{"type":"enabled","budget_tokens":2000}})");
    EXPECT_EQ(cut(text, Dialect::messages),
              R"({"model":"m","messages":[{"role":"user","content":"hi"},)"
              R"({"role":"assistant","content":[{"type":"text","text":"a, b"}]},)"
              R"({"role":"user","content":"on"},)"
              R"({"role":"user","content":[{"type":"text","text":"go"}]}],)"
              R"("thinking":{"type":"enabled","budget_tokens":2000}})");
}

TEST(WithoutThoughts, a_turn_that_goes_on_after_calls_goes_on_without_thinking) {
    const std::string text = concat(
        R"({"messages":[{"role":"assistant","content":[)", kThought,
        R"(,{"type":"tool_use","id":"1","name":"f","input":{}}]},{"role":"user","content":[)",
        R"({"type":"tool_result","tool_use_id":"1"}]}],"thinking":{"type":"enabled"}})");
    EXPECT_TRUE(cut(text, Dialect::messages).ends_with(R"("thinking":{"type":"disabled"}})"));
}

TEST(WithoutThoughts, responses_lose_their_reasoning_items) {
    EXPECT_EQ(cut(R"({"input":[{"type":"reasoning","summary":[],"encrypted_content":"g"},)"
                  R"({"role":"user","content":"hi"}]})",
                  Dialect::responses),
              R"({"input":[{"role":"user","content":"hi"}]})");
}

TEST(WithoutThoughts, nothing_to_cut_is_nothing) {
    EXPECT_EQ(cut(R"({"messages":[{"role":"user","content":"thinking"}]})", Dialect::messages), "");
    EXPECT_EQ(cut(R"({"input":"reasoning"})", Dialect::responses), "");
    EXPECT_EQ(cut(R"({"messages":[]})", Dialect::chat), "");
    EXPECT_EQ(cut("no JSON", Dialect::messages), "");
}

TEST(WithoutThoughts, a_conversation_says_what_it_lost) {
    std::string body = padded(
        concat(R"({"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hi"},)",
               R"({"role":"assistant","content":[)", kThought,
               R"(,{"type":"text","text":"yes"}]},)", R"({"role":"user","content":"on"}]})"));
    auto conversation = read_conversation(body, Dialect::messages);
    ASSERT_TRUE(conversation.ok());
    EXPECT_TRUE(leave_thoughts_out(*conversation));
    EXPECT_FALSE(leave_thoughts_out(*conversation));
    const auto written = write_conversation(*conversation, Dialect::responses, "up");
    ASSERT_TRUE(written.ok());
    EXPECT_FALSE(written->body.contains("c2ln"));
    EXPECT_EQ(written->dropped, std::vector<std::string>{"messages.thinking"});
}

TEST(WithoutThoughts, refusals_of_proofs_are_told_from_others) {
    for (
        const char* said :
        {R"({"error":{"message":"messages.1.content.0: Invalid `signature` in `thinking` block"}})",
         R"({"error":{"code":"invalid_encrypted_content","message":"could not be verified"}})",
         R"({"error":{"message":"Thought signature is not valid"}})",
         R"({"error":{"message":"messages.1.content.0.thinking.signature: Field required"}})"})
        EXPECT_TRUE(says_thought_refused(said)) << said;
    for (const char* said : {"", "max_tokens: must be positive", "thinking is not supported"})
        EXPECT_FALSE(says_thought_refused(said)) << said;
}

}  // namespace
}  // namespace brigada
