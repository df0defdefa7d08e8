#include "dialect/without_prompt.h"

#include <gtest/gtest.h>

#include <memory>

#include "dialect/read_conversation.h"

namespace brigada {
namespace {

TEST(WithoutPrompt, has_texts_of_its_own) {
    auto body = std::make_unique<std::string>(
        R"({"model":"m","input":"hi","temperature":0.25,"top_p":0.5,"max_output_tokens":7,
            "store":false,"previous_response_id":"resp_1","reasoning":{"effort":"high"},
            "tools":[{"type":"custom","name":"patch"},
                     {"type":"namespace","name":"crew","tools":[
                         {"type":"function","name":"call","parameters":{}}]},
                     {"type":"function","name":"run","parameters":{"type":"object"}}],
            "tool_choice":{"type":"function","name":"run"},"stream":true})");
    body->reserve(body->size() + 64);
    auto read = read_conversation(*body, Dialect::responses);
    ASSERT_TRUE(read.ok()) << read.error().message;
    const Conversation kept = without_prompt(*read);
    read = Conversation();
    body->assign(body->size(), 'x');
    body.reset();

    EXPECT_TRUE(kept.messages.empty());
    EXPECT_EQ(kept.model, "m");
    EXPECT_EQ(kept.sampling.temperature.text, "0.25");
    EXPECT_EQ(kept.sampling.top_p.text, "0.5");
    EXPECT_EQ(kept.sampling.max_output, 7);
    EXPECT_EQ(kept.thinking.effort.raw, "high");
    EXPECT_EQ(kept.previous_response_id.raw, "resp_1");
    EXPECT_EQ(kept.store, false);
    EXPECT_TRUE(kept.stream);
    ASSERT_EQ(kept.tools.size(), 3u);
    EXPECT_EQ(kept.tools[0].name.raw, "patch");
    EXPECT_TRUE(kept.tools[0].custom);
    EXPECT_EQ(kept.tools[1].name.raw, "crew__call");
    EXPECT_EQ(kept.tools[1].space.raw, "crew");
    EXPECT_EQ(kept.tools[2].name.raw, "run");
    EXPECT_TRUE(kept.tools[2].schema.empty());
    EXPECT_EQ(kept.tool_choice.name.raw, "run");
}

}  // namespace
}  // namespace brigada
