// Calls that real templates rendered, parsed back.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "base/file.h"
#include "toolcall/parsing_for_tests.h"

namespace brigada {
namespace {

std::string template_text(const std::string& name) {
    const Path path = Path(BRIGADA_TESTDATA) / "chat-templates/templates" / (name + ".jinja");
    return *read_file(path, 1 << 20);
}

const Json& goldens() {
    static const Json all = *parse_json(
        *read_file(Path(BRIGADA_TESTDATA) / "toolcall/goldens.json", 8 << 20), "goldens");
    return all;
}

/// Calls visit(format, rules, answer's golden) for each.
template <typename Visit>
void each_golden(Visit visit) {
    for (const auto& [name, cases] : goldens()["templates"].items()) {
        const AnswerFormat format = *choose_answer_format(template_text(name), {});
        for (const auto& [case_name, golden] : cases.items()) {
            SCOPED_TRACE(name + " " + case_name);
            const AnswerRules rules{.starts_in_reasoning = format.opens_reasoning(
                                        golden["prompt_end"].get<std::string>())};
            visit(format, rules, golden);
        }
    }
}

TEST(Goldens, a_call_rendered_by_a_models_template_is_parsed_to_the_same_call) {
    const ToolList tools(goldens()["tools"]);
    size_t calls = 0;
    each_golden([&](const AnswerFormat& format, const AnswerRules& rules, const Json& golden) {
        const std::string answer = golden["answer"];
        const ParsedAnswer parsed = parse_answer(format, rules, tools, {answer});
        // gpt-oss has what goes with calls in its channel of reasoning.
        const bool is_aside = format.is_harmony() && !golden["calls"].empty();
        EXPECT_EQ(parsed.text, is_aside ? "" : golden["content"].get<std::string>()) << answer;
        EXPECT_EQ(parsed.reasoning, is_aside && golden["reasoning"] == ""
                                        ? golden["content"].get<std::string>()
                                        : golden["reasoning"].get<std::string>());
        ASSERT_EQ(parsed.calls.size(), golden["calls"].size()) << answer;
        for (size_t i = 0; i < parsed.calls.size(); ++i, ++calls) {
            EXPECT_EQ(parsed.calls[i].name, golden["calls"][i]["name"].get<std::string>());
            const auto arguments = parse_json(parsed.calls[i].arguments, "arguments");
            ASSERT_TRUE(arguments.ok()) << parsed.calls[i].arguments;
            EXPECT_EQ(dump_json(*arguments), dump_json(golden["calls"][i]["arguments"])) << answer;
            EXPECT_FALSE(parsed.calls[i].is_broken);
        }
    });
    EXPECT_EQ(calls, 212u);
}

TEST(Goldens, how_an_answer_is_cut_changes_nothing) {
    const ToolList tools(goldens()["tools"]);
    each_golden([&](const AnswerFormat& format, const AnswerRules& rules, const Json& golden) {
        const std::string answer = golden["answer"];
        const ParsedAnswer whole = parse_answer(format, rules, tools, {answer});
        EXPECT_EQ(parse_answer(format, rules, tools, byte_by_byte(answer)), whole);
        for (size_t cut = 1; cut < answer.size(); ++cut) {
            const std::string_view text = answer;
            ASSERT_EQ(parse_answer(format, rules, tools, {text.substr(0, cut), text.substr(cut)}),
                      whole)
                << "cut at " << cut << " of " << answer;
        }
    });
}

TEST(Goldens, without_tools_calls_are_text_and_reasoning_is_not) {
    const ToolList none;
    each_golden([&](const AnswerFormat& format, const AnswerRules& rules, const Json& golden) {
        const ParsedAnswer parsed =
            parse_answer(format, rules, none, {golden["answer"].get<std::string>()});
        EXPECT_TRUE(parsed.calls.empty());
        for (const Json& call : golden["calls"])
            EXPECT_TRUE(parsed.text.contains(call["name"].get<std::string>())) << parsed.text;
    });
}

TEST(Detection, every_template_at_hand) {
    const std::map<std::string, std::pair<std::string, std::string>> expected = {
        {"deepseek-v3.1", {"deepseek_v31", "think"}},
        {"deepseek-v3.2", {"deepseek_v32", "think"}},
        {"deepseek-v4", {"deepseek_v32", "think"}},
        {"devstral-small-2507", {"mistral", "none"}},
        {"gemma-2", {"none", "none"}},
        {"gemma-4", {"none", "none"}},
        {"glm-4.6", {"glm45", "think"}},
        {"glm-4.7-flash", {"glm45", "think"}},
        {"glm-5.2", {"glm45", "think"}},
        {"gpt-oss", {"harmony", "harmony"}},
        {"granite-4.0", {"hermes", "none"}},
        {"hermes-3", {"hermes", "none"}},
        {"kimi-k2", {"kimi_k2", "none"}},
        {"kimi-k2-thinking", {"kimi_k2", "think"}},
        {"llama-3.1", {"llama3_json", "none"}},
        {"minimax-m2", {"minimax_m2", "think"}},
        {"ministral-3-reasoning", {"mistral", "mistral"}},
        {"mistral-nemo", {"mistral", "none"}},
        {"mistral-small-3.2", {"mistral", "none"}},
        {"nemotron-3-nano", {"qwen3_coder", "think"}},
        {"phi-3.5", {"none", "none"}},
        {"qwen2.5", {"hermes", "none"}},
        {"qwen3", {"hermes", "think"}},
        {"qwen3-coder", {"qwen3_coder", "none"}},
        {"qwen3.5", {"qwen3_coder", "think"}},
        {"smollm3", {"none", "think"}},  // this edition of it leaves tools out
    };
    size_t seen = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(Path(BRIGADA_TESTDATA) / "chat-templates/templates")) {
        const std::string name = entry.path().stem();
        SCOPED_TRACE(name);
        const AnswerFormat format = *choose_answer_format(template_text(name), {});
        ASSERT_TRUE(expected.contains(name));
        EXPECT_EQ(format.tools ? format.tools->name : "none", expected.at(name).first);
        EXPECT_EQ(format.reasoning->name, expected.at(name).second);
        ++seen;
    }
    EXPECT_EQ(seen, expected.size());
}

}  // namespace
}  // namespace brigada
