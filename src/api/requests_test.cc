#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/chat_request.h"
#include "api/completion_request.h"
#include "api/error_body.h"

namespace brigada {
namespace {

using testing::HasSubstr;

constexpr GenerationLimits kLimits{.vocab = 1000};

/// simdjson reads past the end: bodies come with room, as from the HTTP layer.
std::string padded(std::string body) {
    body.reserve(body.size() + simdjson::SIMDJSON_PADDING);
    return body;
}

Result<ChatRequest> chat(const std::string& body, const SamplingDefaults& defaults = {}) {
    return read_chat_request(padded(body), defaults, kLimits);
}
Result<CompletionRequest> completion(const std::string& body) {
    return read_completion_request(padded(body), {}, kLimits);
}

/// A chat body with `more` beside one message.
std::string with(const std::string& more) {
    return R"({"messages": [{"role": "user", "content": "hi"}], )" + more + "}";
}

TEST(ChatRequest, reads_every_field) {
    const auto request = chat(with(R"("model": "m", "temperature": 0.5, "top_p": 0.9, "top_k": 40,
        "min_p": 0.1, "seed": -1, "stop": ["a", "b"], "n": 2, "logprobs": true, "top_logprobs": 3,
        "logit_bias": {"5": -100}, "max_tokens": 7, "max_completion_tokens": 9, "min_tokens": 2,
        "presence_penalty": 1, "frequency_penalty": -1, "repetition_penalty": 1.5, "priority": -3,
        "stop_token_ids": [4], "ignore_eos": true, "include_stop_str_in_output": true,
        "stream": true, "stream_options": {"include_usage": true}, "user": "u",
        "parallel_tool_calls": false, "include_reasoning": false,
        "cache_salt": "salt", "session_id": "s",
        "chat_template_kwargs": {"enable_thinking": false})"));
    ASSERT_TRUE(request.ok()) << request.error().message;
    EXPECT_EQ(request->model, "m");
    EXPECT_EQ(request->max_tokens, 9u);  // the newer name wins
    EXPECT_EQ(request->logprobs.top, 3u);
    EXPECT_EQ(request->template_arguments["enable_thinking"], false);
    EXPECT_FALSE(request->parallel_tool_calls || request->include_reasoning);
    const GenerationOptions& options = request->options;
    EXPECT_FLOAT_EQ(options.sampling.temperature, 0.5f);
    EXPECT_EQ(options.sampling.top_k, 40u);
    EXPECT_EQ(options.sampling.seed, static_cast<uint64_t>(-1));
    EXPECT_EQ(options.sampling.logit_bias, (std::vector{std::pair(TokenId{5}, -100.0f)}));
    EXPECT_EQ(options.stop.strings, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(options.stop.tokens, std::vector{TokenId{4}});
    EXPECT_EQ(options.stop.min_tokens, 2u);
    EXPECT_TRUE(options.stop.ignore_eos && options.stop.include_in_output);
    EXPECT_EQ(options.choices, 2u);
    EXPECT_EQ(options.priority, -3);
    EXPECT_TRUE(options.stream && options.include_usage);
    EXPECT_EQ(options.user + options.cache_salt + options.session, "usalts");
}

TEST(ChatRequest, parts_become_one_string_and_developer_becomes_system) {
    const auto request = chat(R"({"messages": [
        {"role": "developer", "content": "be kind"},
        {"role": "user", "content": [{"type": "text", "text": "a"},
                                     {"type": "text", "text": "b"}]}]})");
    ASSERT_TRUE(request.ok()) << request.error().message;
    EXPECT_EQ(request->messages[0]["role"], "system");
    EXPECT_EQ(request->messages[1]["content"], "a\nb");
}

TEST(ChatRequest, null_content_beside_tool_calls_is_an_empty_text) {
    const auto request = chat(R"({"messages": [{"role": "user", "content": "x"},
        {"role": "assistant", "content": null, "tool_calls":
            [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "c", "content": "ok"}],
        "tools": [{"type": "function", "function": {"name": "f"}}]})");
    ASSERT_TRUE(request.ok()) << request.error().message;
    EXPECT_EQ(request->messages[1]["content"], "");
    EXPECT_EQ(request->messages[1]["tool_calls"][0]["function"]["name"], "f");
    EXPECT_EQ(request->messages[2]["tool_call_id"], "c");
    EXPECT_EQ(request->tools.size(), 1u);
}

TEST(ChatRequest, the_form_of_the_answer_has_many_names) {
    using Kind = GrammarSpec::Kind;
    const std::string schema = R"({"type":"object"})";
    const std::tuple<std::string, Kind, std::string> forms[] = {
        {R"("response_format": {"type": "json_object"})", Kind::json_object, ""},
        {R"("response_format": {"type": "json_schema", "json_schema": {"name": "n", "strict": true,
            "schema": )" +
             schema + "}}",
         Kind::json_schema, schema},
        {R"("structured_outputs": {"json": )" + schema + "}", Kind::json_schema, schema},
        {R"("structured_outputs": {"json": "{\"type\":\"object\"}"})", Kind::json_schema, schema},
        {R"("structured_outputs": {"json_object": true})", Kind::json_object, ""},
        {R"("structured_outputs": {"regex": "a+"})", Kind::regex, "a+"},
        {R"("structured_outputs": {"choice": ["a", "b"]})", Kind::choice, R"(["a","b"])"},
        {R"("structured_outputs": {"grammar": "root ::= \"a\""})", Kind::gbnf, R"(root ::= "a")"},
        {R"("guided_json": )" + schema, Kind::json_schema, schema},
        {R"("guided_regex": "a+")", Kind::regex, "a+"},
        {R"("guided_choice": ["a"])", Kind::choice, R"(["a"])"},
        {R"("guided_grammar": "root ::= [a]")", Kind::gbnf, "root ::= [a]"},
    };
    for (const auto& [more, kind, text] : forms) {
        const auto request = chat(with(more));
        ASSERT_TRUE(request.ok()) << more << request.error().message;
        ASSERT_TRUE(request->options.format) << more;
        EXPECT_EQ(request->options.format->kind, kind) << more;
        EXPECT_EQ(request->options.format->text, text) << more;
    }
    EXPECT_FALSE(chat(with(R"("response_format": {"type": "text"})"))->options.format);
    EXPECT_EQ(completion(R"({"prompt": "x", "guided_regex": "a"})")->options.format->text, "a");
}

TEST(ChatRequest, the_publishers_defaults_apply_until_the_request_says_otherwise) {
    const SamplingDefaults defaults{.temperature = 0.2f, .top_p = 0.5f};
    EXPECT_FLOAT_EQ(chat(with(R"("n": 1)"), defaults)->options.sampling.temperature, 0.2f);
    EXPECT_FLOAT_EQ(chat(with(R"("temperature": 1)"), defaults)->options.sampling.temperature,
                    1.0f);
}

TEST(ChatRequest, what_clients_often_send_is_taken_as_it_is_meant) {
    const auto request = chat(R"({"messages": [{"role": "user", "content": "a\ud83db"}],
        "max_tokens": 1000000000000, "modalities": ["text"], "audio": null})");
    ASSERT_TRUE(request.ok()) << request.error().message;
    EXPECT_EQ(request->messages[0]["content"], "a\ufffdb");
    EXPECT_EQ(request->max_tokens, 2147483647u);
}

struct Bad {
    std::string body;
    const char* says;
};

TEST(ChatRequest, bad_input_names_the_field_and_the_value) {
    const Bad bad[] = {
        {"", "the body is empty"},
        {"nonsense", "not valid JSON"},
        {"[1]", "must be a JSON object; got [1]"},
        {"{}", "messages: must be an array of at least one message"},
        {R"({"messages": []})", "messages: must be"},
        {R"({"messages": "hi"})", R"(messages: must be an array; got "hi")"},
        {R"({"messages": [5]})", "messages[0]: must be an object; got 5"},
        {R"({"messages": [{"content": "x"}]})", "messages[0].role: is missing"},
        {R"({"messages": [{"role": "robot", "content": "x"}]})", "\"robot\""},
        {R"({"messages": [{"role": "user"}]})", "messages[0].content: is missing"},
        {R"({"messages": [{"role": "user", "content": 7}]})", "got 7"},
        {R"({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]})",
         "messages[0].content[0].type: \"image_url\""},
        {with(R"("temperature": "hot")"),
         R"(temperature: must be a number from 0 to 100; got "hot")"},
        {with(R"("temperature": -1)"), "got -1"},
        {with(R"("top_p": 1.5)"), "top_p: must be a number from 0 to 1"},
        {with(R"("n": 0)"), "n: must be a whole number from 1 to 64; got 0"},
        {with(R"("n": 1.5)"), "got 1.5"},
        {with(R"("max_tokens": 0)"), "max_tokens: must be a whole number from 1"},
        {with(R"("stop": [""])"), "stop: must be a string of 1 to 1024 bytes"},
        {with(R"("logit_bias": {"abc": 1})"), "\"abc\""},
        {with(R"("logit_bias": {"1000": 1})"), "0 to 999"},
        {with(R"("stop_token_ids": [1000])"), "0 to 999"},
        {with(R"("top_logprobs": 2)"), "\"logprobs\": true"},
        {with(R"("top_logprobs": 99, "logprobs": true)"), "0 to 20"},
        {with(R"("stream_options": {"include_usage": true})"), "only allowed with"},
        {with(R"("tool_choice": "required")"), "tool_choice: forces a tool, but there are no"},
        {with(R"("tool_choice": "must")"), "tool_choice: must be \"auto\""},
        {with(R"("tool_choice": {"type": "function", "function": {"name": "g"}},
                 "tools": [{"type": "function", "function": {"name": "f"}}])"),
         "tool_choice: 'g' is none of the tools"},
        {with(R"("tools": [{"type": "function", "function": {"name": "f"}},
                           {"type": "web_search_preview"}])"),
         R"(tools[1].type: "web_search_preview" tools are run by a provider)"},
        {with(R"("modalities": ["text", "audio"])"), R"(answers in "text"; got "audio")"},
        {with(R"("audio": {"voice": "alloy"})"), "audio: this model answers in text"},
        {with(R"("web_search_options": {})"), "web_search_options: this model answers"},
        {with(R"("parallel_tool_calls": 1)"), "parallel_tool_calls"},
        {with(R"("include_reasoning": "yes")"), "include_reasoning"},
        {with(R"("response_format": {"type": "xml"})"), "response_format.type: this server does"},
        {with(R"("response_format": {"type": "json_schema"})"),
         "response_format.json_schema: is missing"},
        {with(R"("response_format": {"type": "json_schema", "json_schema": {"name": "n"}})"),
         "response_format.json_schema.schema: is missing"},
        {with(R"("guided_json": 5)"), "guided_json: must be a JSON Schema; got 5"},
        {with(R"("guided_regex": ["a"])"), "guided_regex: must be a string"},
        {with(R"("structured_outputs": {"choice": "a"})"),
         "structured_outputs.choice: must be an array"},
        {with(R"("structured_outputs": {"structural_tag": "a"})"), "structural_tag: this server"},
        {with(R"("guided_regex": "a", "guided_choice": ["b"])"),
         "guided_choice: cannot be combined with guided_regex"},
        {with(R"("guided_regex": "a", "response_format": {"type": "json_object"})"),
         "guided_regex: cannot be combined with response_format.type"},
        {with(R"("cache_salt": "")"), "cache_salt"},
        {with("\"user\": \"\xff\""), "not valid UTF-8"},
    };
    for (const Bad& one : bad) {
        const auto request = chat(one.body);
        ASSERT_FALSE(request.ok()) << one.body;
        EXPECT_THAT(request.error().message, HasSubstr(one.says)) << one.body;
        EXPECT_EQ(error_status(request.error().code).status, 400);
    }
}

TEST(CompletionRequest, takes_prompts_as_text_and_as_ids) {
    EXPECT_EQ(completion(R"({"prompt": "x"})")->prompts.size(), 1u);
    EXPECT_EQ(completion(R"({"prompt": ["x", "y"]})")->prompts.size(), 2u);
    EXPECT_EQ(std::get<Tokens>(completion(R"({"prompt": [1, 2]})")->prompts[0]),
              (Tokens{TokenId{1}, TokenId{2}}));
    EXPECT_EQ(completion(R"({"prompt": [[1], [2, 3]]})")->prompts.size(), 2u);
    EXPECT_EQ(completion(R"({"prompt": "x"})")->max_tokens, 16u);
}

TEST(CompletionRequest, bad_input_names_the_field_and_the_value) {
    const Bad bad[] = {
        {"{}", "prompt: is missing"},
        {R"({"prompt": []})", "prompt: 0 prompts"},
        {R"({"prompt": 5})", "got 5"},
        {R"({"prompt": [1, 1000]})", "0 to 999; got 1000"},
        {R"({"prompt": [true]})", "got true"},
        {R"({"prompt": "x", "suffix": "y"})", "suffix"},
        {R"({"prompt": "x", "best_of": 3})", "best_of: must equal n (1)"},
        {R"({"prompt": "x", "echo": true, "logprobs": 1})", "echo"},
    };
    for (const Bad& one : bad) {
        const auto request = completion(one.body);
        ASSERT_FALSE(request.ok()) << one.body;
        EXPECT_THAT(request.error().message, HasSubstr(one.says)) << one.body;
    }
}

TEST(ErrorBody, has_openais_shape_and_the_fields_path) {
    const Json body =
        *parse_json(error_body({Code::invalid_argument, "top_p: must be less"}), "body");
    EXPECT_EQ(body["error"]["param"], "top_p");
    EXPECT_EQ(body["error"]["type"], "invalid_request_error");
    const Json sentence =
        *parse_json(error_body({Code::exhausted, "the queue is full: wait"}), "body");
    EXPECT_TRUE(sentence["error"]["param"].is_null());
    EXPECT_EQ(error_status(Code::exhausted).status, 429);
    EXPECT_EQ(error_status(Code::exhausted).retry_after_seconds, 1);
}

}  // namespace
}  // namespace brigada
