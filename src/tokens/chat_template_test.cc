#include "tokens/chat_template.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "jinja/template.h"

namespace brigada {
namespace {

constexpr int64_t kGoldenClock = 1'782'907'200;  // 2026-07-01T12:00:00Z

Path golden_folder() {
    return Path(BRIGADA_TESTDATA) / "chat-templates";
}

Json read_json(const Path& path) {
    return *parse_json(*read_file(path, 8 << 20), path.string());
}

/// One template with its goldens.
struct Golden {
    std::string name;
    std::string source;
    Json expected;

    std::string bos() const { return expected["bos_token"]; }
    std::string eos() const { return expected["eos_token"]; }
};

std::vector<Golden> goldens() {
    std::vector<Golden> out;
    for (const auto& entry : std::filesystem::directory_iterator(golden_folder() / "goldens")) {
        const std::string name = entry.path().stem();
        const Path source = golden_folder() / "templates" / (name + ".jinja");
        out.push_back({name, *read_file(source, 1 << 20), read_json(entry.path())});
    }
    std::ranges::sort(out, {}, &Golden::name);
    return out;
}

Json conversation(const std::string& name) {
    return read_json(golden_folder() / "conversations" / (name + ".json"));
}

bool has_string_arguments(const std::string& golden_case) {
    return golden_case.ends_with(".string-args");
}

std::string conversation_of(const std::string& golden_case) {
    return golden_case.substr(0, golden_case.find('.'));
}

/// The conversation with function.arguments as the JSON text of the wire: what the model wrote.
Json with_string_arguments(Json messages) {
    for (Json& message : messages) {
        if (!message.contains("tool_calls")) continue;
        for (Json& call : message["tool_calls"]) {
            Json& arguments = call["function"]["arguments"];
            if (!arguments.is_string()) arguments = dump_json(arguments);
        }
    }
    return messages;
}

ChatInput chat(Json messages, Json tools = nullptr) {
    return {.messages = std::move(messages), .tools = std::move(tools), .now_unix = kGoldenClock};
}

ChatTemplate parsed(std::string source) {
    return *ChatTemplate::parse(std::move(source), "<s>", "</s>");
}

TEST(ChatTemplate, renders_what_two_other_programs_render) {
    size_t compared = 0, refused = 0;
    for (const Golden& golden : goldens()) {
        const auto compiled = ChatTemplate::parse(golden.source, golden.bos(), golden.eos());
        ASSERT_TRUE(compiled.ok()) << golden.name << ": " << compiled.error().message;
        for (const auto& [name, expected] : golden.expected["cases"].items()) {
            SCOPED_TRACE(golden.name + " " + name);
            if (has_string_arguments(name)) continue;
            const Json input = conversation(name);
            // The golden was made without `tools`; with none, as transformers passes it, see below.
            if (golden.name == "hermes-3" && !input.contains("tools")) continue;
            const auto text =
                compiled->render(chat(input["messages"], input.value("tools", Json())));
            if (expected.contains("error")) {
                ASSERT_FALSE(text.ok());
                EXPECT_EQ(text.error().code, Code::invalid_argument);
                EXPECT_EQ(text.error().message, expected["error"].get<std::string>());
                ++refused;
                continue;
            }
            ASSERT_TRUE(text.ok()) << text.error().message;
            EXPECT_EQ(*text, expected["text"].get<std::string>());
            ++compared;
        }
    }
    EXPECT_EQ(compared, 172u);  // 26 templates, 7 conversations, less 8 refusals and 2 of hermes-3
    EXPECT_EQ(refused, 8u);     // gemma-2 always, llama-3.1 parallel calls
}

TEST(ChatTemplate, arguments_as_text_render_like_arguments_as_objects) {
    for (const Golden& golden : goldens()) {
        const auto compiled = ChatTemplate::parse(golden.source, golden.bos(), golden.eos());
        for (const auto& [name, expected] : golden.expected["cases"].items()) {
            SCOPED_TRACE(golden.name + " " + name);
            if (has_string_arguments(name) || !expected.contains("text")) continue;
            const Json input = conversation(name);
            if (!input.contains("tools")) continue;
            const auto text =
                compiled->render(chat(with_string_arguments(input["messages"]), input["tools"]));
            ASSERT_TRUE(text.ok()) << text.error().message;
            EXPECT_EQ(*text, expected["text"].get<std::string>());
        }
    }
}

/// Below ChatTemplate nothing is parsed first: templates see the text and show or refuse it.
TEST(ChatTemplate, templates_given_arguments_as_text_render_or_refuse_as_elsewhere) {
    size_t compared = 0, refused = 0;
    for (const Golden& golden : goldens()) {
        const auto compiled = jinja::Template::parse(golden.source);
        for (const auto& [name, expected] : golden.expected["cases"].items()) {
            SCOPED_TRACE(golden.name + " " + name);
            if (!has_string_arguments(name) && golden.name != "hermes-3") continue;
            Json context = conversation(conversation_of(name));
            if (has_string_arguments(name))
                context["messages"] = with_string_arguments(context["messages"]);
            context["add_generation_prompt"] = true;
            context["bos_token"] = golden.bos();
            context["eos_token"] = golden.eos();
            const auto text = compiled->render(context, {.now = {kGoldenClock}, .limits = {}});
            // from_json is llama.cpp's; the other programs lack it, so it has no golden.
            if (golden.name == "deepseek-v3.2" || golden.name == "deepseek-v4") continue;
            if (expected.contains("error")) {
                ASSERT_FALSE(text.ok());
                EXPECT_TRUE(text.error().message.ends_with(expected["error"].get<std::string>()))
                    << text.error().message;
                ++refused;
                continue;
            }
            const Json& same =
                expected.contains("same_as")
                    ? golden.expected["cases"][expected["same_as"].get<std::string>()]
                    : expected;
            ASSERT_TRUE(text.ok()) << text.error().message;
            EXPECT_EQ(*text, same["text"].get<std::string>());
            ++compared;
        }
    }
    EXPECT_GE(compared, 70u);
    EXPECT_GE(refused, 40u);
}

TEST(ChatTemplate, reasoning_has_the_name_that_gpt_oss_reads) {
    const std::string name = "7-reasoning-in-tool-loop";
    for (const Golden& golden : goldens()) {
        if (golden.name != "gpt-oss") continue;
        const auto compiled = ChatTemplate::parse(golden.source, golden.bos(), golden.eos());
        Json input = conversation(name);
        for (Json& message : input["messages"])
            message.erase("thinking");
        EXPECT_EQ(*compiled->render(chat(input["messages"], input["tools"])),
                  golden.expected["cases"][name]["text"].get<std::string>());
        // Beside a text the template would refuse it.
        input["messages"][1]["content"] = "I look.";
        EXPECT_TRUE(compiled->render(chat(input["messages"], input["tools"])).ok());
    }
}

TEST(ChatTemplate, a_template_that_needs_tools_says_so_without_them) {
    for (const Golden& golden : goldens()) {
        if (golden.name != "hermes-3") continue;
        const auto compiled = ChatTemplate::parse(golden.source, golden.bos(), golden.eos());
        const auto text = compiled->render(chat(conversation("1-system-user")["messages"]));
        EXPECT_EQ(text.error().code, Code::invalid_argument);
        EXPECT_TRUE(text.error().message.ends_with("'NoneType' object is not iterable"))
            << text.error().message;
    }
}

TEST(ChatTemplate, cache_markers_never_reach_a_template_but_names_do) {
    const ChatTemplate shows = parsed("{{ messages | tojson }}{{ tools | tojson }}");
    const Json marker = {{"type", "ephemeral"}};
    const Json messages = {
        {{"role", "user"},
         {"content", Json::array({{{"type", "text"}, {"text", "hi"}, {"cache_control", marker}}})},
         {"cache_control", marker}},
        {{"role", "assistant"},
         {"tool_calls",
          Json::array({{{"function",
                         {{"name", "f"}, {"arguments", R"({"cache_control": "no-store"})"}}}}})}}};
    const Json tools = Json::array(
        {{{"type", "function"},
          {"cache_control", marker},
          {"function",
           {{"name", "f"},
            {"parameters", {{"properties", {{"cache_control", {{"type", "string"}}}}}}}}}}});
    EXPECT_EQ(*shows.render(chat(messages, tools)),
              R"([{"role": "user", "content": [{"type": "text", "text": "hi"}]}, )"
              R"({"role": "assistant", "tool_calls": [{"function": {"name": "f", )"
              R"("arguments": {"cache_control": "no-store"}}}]}])"
              R"([{"type": "function", "function": {"name": "f", )"
              R"("parameters": {"properties": {"cache_control": {"type": "string"}}}}}])");
}

TEST(ChatTemplate, arguments_that_are_no_object_stay_text) {
    const ChatTemplate shows = parsed(
        "{% for c in messages[0].tool_calls %}{{ c.function.arguments | tojson }}{% endfor %}");
    const auto call = [](Json arguments) {
        return Json{{"function", {{"name", "f"}, {"arguments", std::move(arguments)}}}};
    };
    const Json messages = Json::array(
        {{{"role", "assistant"},
          {"tool_calls", Json::array({call(R"({"b": 1, "a": 2})"), call("{oops"), call("[1]"),
                                      call(""), call({{"x", nullptr}})})}}});
    EXPECT_EQ(*shows.render(chat(messages)), R"({"b": 1, "a": 2}"{oops""[1]"{}{"x": null})");
}

TEST(ChatTemplate, no_tools_are_none_and_extra_variables_are_seen) {
    const ChatTemplate shows = parsed(
        "{{ tools }} {{ documents }} {{ enable_thinking }} {{ bos_token }} {{ eos_token }} "
        "{{ add_generation_prompt }} {{ strftime_now('%Y-%m-%d %H:%M') }}");
    ChatInput input = chat(Json::array(), Json::array());
    input.extra = {{"enable_thinking", false}};
    input.add_generation_prompt = false;
    EXPECT_EQ(*shows.render(input), "None None False <s> </s> False 2026-07-01 12:00");
}

TEST(ChatTemplate, continues_the_final_message_as_transformers_does) {
    const ChatTemplate chatml = ChatTemplate::chatml();
    ChatInput input = chat({{{"role", "user"}, {"content", "Count."}},
                            {{"role", "assistant"}, {"content", "one, two,  "}}});
    input.continue_final_message = true;
    EXPECT_EQ(*chatml.render(input),
              "<|im_start|>user\nCount.<|im_end|>\n<|im_start|>assistant\none, two,  ");
    const ChatTemplate trims =
        parsed("{% for m in messages %}[{{ m.content | trim }}]{% endfor %}");
    EXPECT_EQ(*trims.render(input), "[Count.][one, two,");
    const ChatTemplate drops = parsed("{{ messages[0].content }}");
    EXPECT_EQ(drops.render(input).error().code, Code::invalid_argument);
    input.messages = Json::array();
    EXPECT_EQ(trims.render(input).error().code, Code::invalid_argument);
}

TEST(ChatTemplate, chatml_writes_texts_and_parts) {
    const Json messages = {{{"role", "system"}, {"content", "Be brief."}},
                           {{"role", "user"},
                            {"content", Json::array({{{"type", "text"}, {"text", "a"}},
                                                     {{"type", "text"}, {"text", "b"}}})}},
                           {{"role", "assistant"}, {"content", nullptr}}};
    EXPECT_EQ(*ChatTemplate::chatml().render(chat(messages)),
              "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nab<|im_end|>\n"
              "<|im_start|>assistant\n<|im_end|>\n<|im_start|>assistant\n");
}

TEST(ChatTemplate, bad_input_is_refused_with_words) {
    const ChatTemplate any = parsed("{{ messages[0].role.x.y }}");
    EXPECT_EQ(any.render(chat("text")).error().message, "messages must be an array, not string");
    EXPECT_EQ(any.render(chat(Json::array(), 5)).error().message,
              "tools must be an array, not number");
    ChatInput input = chat(Json::array());
    input.extra = Json::array({1});
    EXPECT_EQ(any.render(input).error().code, Code::invalid_argument);
    EXPECT_EQ(any.render(chat(Json::array({{{"role", "user"}}}))).error().message,
              "line 1: 'str object' has no attribute 'x'");
    EXPECT_EQ(ChatTemplate::parse("a\n{% if %}", "", "").error().message,
              "chat template: line 2: expected an expression, not '%}'");
}

}  // namespace
}  // namespace brigada
