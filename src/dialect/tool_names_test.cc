#include "dialect/tool_names.h"

#include <gtest/gtest.h>

#include <set>

#include "base/concat.h"
#include "dialect/padded_for_tests.h"
#include "dialect/read_conversation.h"
#include "dialect/write_conversation.h"

namespace brigada {
namespace {

Conversation with_tools(const std::string& body, const std::vector<std::string>& names) {
    static std::deque<std::string> bodies;
    std::string tools;
    for (const std::string& name : names)
        tools +=
            concat(tools.empty() ? "" : ",", R"({"name": ")", name, R"(", "input_schema": {}})");
    bodies.push_back(
        padded(concat(R"({"model": "m", "max_tokens": 9, "tools": [)", tools, "],", body, "}")));
    auto conversation = read_conversation(bodies.back(), Dialect::messages);
    CHECK(conversation.ok(), conversation.error().message);
    return *std::move(conversation);
}

constexpr const char* kHello = R"("messages": [{"role": "user", "content": "hello"}])";

TEST(ToolNames, names_that_every_api_takes_stay) {
    const Conversation conversation =
        with_tools(kHello, {"f", "mcp__a-b__c_9", std::string(64, 'x')});
    const ToolNames names(conversation);
    EXPECT_TRUE(names.empty());
    EXPECT_EQ(names.original({"f"}).raw, "f");
}

TEST(ToolNames, others_are_told_apart_and_known_again) {
    const std::string longer(100, 'y');
    Conversation conversation = with_tools(
        kHello, {"a.b", "a:b", "a_b", longer + "1", longer + "2", "caf\\u00e9", "größe"});
    const ToolNames names(conversation);
    std::vector<std::string> before, after;
    for (const Tool& tool : conversation.tools)
        before.emplace_back(tool.name.raw);
    names.put_into(conversation);
    for (const Tool& tool : conversation.tools) {
        after.emplace_back(tool.name.raw);
        EXPECT_LE(tool.name.raw.size(), kLongestToolName);
        EXPECT_EQ(
            tool.name.raw.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                            "0123456789_-"),
            std::string_view::npos)
            << tool.name.raw;
        EXPECT_EQ(names.original(tool.name).raw, before[after.size() - 1]);
    }
    EXPECT_EQ(std::set(after.begin(), after.end()).size(), after.size());
    EXPECT_EQ(after[2], "a_b");
    EXPECT_TRUE(after[0].starts_with("a_b_"));
    names.take_out_of(conversation);
    for (size_t i = 0; i < before.size(); ++i)
        EXPECT_EQ(conversation.tools[i].name.raw, before[i]);
}

TEST(ToolNames, a_name_that_is_in_use_is_given_to_nobody) {
    const ToolNames alone(with_tools(kHello, {"a.b"}));
    Conversation first = with_tools(kHello, {"a.b"});
    alone.put_into(first);
    const std::string taken(first.tools[0].name.raw);
    Conversation both = with_tools(kHello, {"a.b", taken});
    const ToolNames names(both);
    names.put_into(both);
    EXPECT_NE(both.tools[0].name.raw, taken);
    EXPECT_EQ(both.tools[1].name.raw, taken);
}

TEST(ToolNames, hold_in_calls_and_in_the_choice) {
    Conversation conversation = with_tools(R"("messages": [{"role": "user", "content": "hello"},
        {"role": "assistant", "content": [
            {"type": "tool_use", "id": "1", "name": "a.b", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1"}]}],
        "tool_choice": {"type": "tool", "name": "a.b"})",
                                           {"a.b"});
    const ToolNames names(conversation);
    names.put_into(conversation);
    const std::string body = write_conversation(conversation, Dialect::chat, "m")->body;
    EXPECT_EQ(body.find("a.b"), std::string::npos) << body;
    size_t places = 0;
    for (size_t at = 0; (at = body.find("\"a_b_", at)) != std::string::npos; ++at)
        ++places;
    EXPECT_EQ(places, 3u) << body;
}

}  // namespace
}  // namespace brigada
