#include "dialect/dialect_error.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace brigada {
namespace {

Json body(const DialectError& error, Dialect to) {
    return parse_json(dialect_error_body(error, to), "body").value();
}

Json event(const DialectError& error, Dialect to) {
    const std::string text = dialect_error_event(error, to);
    return parse_json(std::string_view(text).substr(text.find('{')), "event").value();
}

TEST(DialectError, reads_the_body_of_every_dialect) {
    const DialectError openai = read_dialect_error(
        400, R"({"error":{"message":"no \"x\"","type":"invalid_request_error","param":"top_p",
                          "code":"unsupported_value"}})");
    EXPECT_EQ(openai.kind, ErrorKind::invalid_request);
    EXPECT_EQ(openai.message, "no \"x\"");
    EXPECT_EQ(openai.param, "top_p");
    EXPECT_EQ(openai.code, "unsupported_value");
    const DialectError anthropic = read_dialect_error(
        529, R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}})");
    EXPECT_EQ(anthropic.kind, ErrorKind::overloaded);
    EXPECT_EQ(anthropic.type, "overloaded_error");
    EXPECT_EQ(anthropic.status, 529);
}

TEST(DialectError, reads_bodies_of_other_shapes) {
    const auto message = [](int status, std::string_view text) {
        return read_dialect_error(status, text).message;
    };
    EXPECT_EQ(message(500, R"({"error":"out of memory"})"), "out of memory");
    EXPECT_EQ(message(400, R"({"object":"error","message":"bad","code":400})"), "bad");
    EXPECT_EQ(message(404, R"({"detail":"Not Found"})"), "Not Found");
    EXPECT_EQ(message(500, "upstream connect error\n"), "upstream connect error\n");
    EXPECT_EQ(message(502, "<html>Bad Gateway</html>"), "the upstream answered with status 502");
    EXPECT_EQ(message(502, ""), "the upstream answered with status 502");
    EXPECT_EQ(message(500, "{}"), "the upstream reported an error without a message");
    EXPECT_EQ(message(500, "\xff"), "\xef\xbf\xbd");
}

struct KindCase {
    int status;
    std::string_view body;
    ErrorKind kind;
};

TEST(DialectError, tells_kinds_apart) {
    const KindCase cases[] = {
        {401, "", ErrorKind::unauthenticated},
        {403, "", ErrorKind::forbidden},
        {404, "", ErrorKind::not_found},
        {413, "", ErrorKind::too_large},
        {429, "", ErrorKind::rate_limit},
        {429, R"({"error":{"code":"insufficient_quota","type":"insufficient_quota"}})",
         ErrorKind::quota},
        {402, "", ErrorKind::quota},
        {400, R"({"error":{"type":"budget_exceeded","message":"over"}})", ErrorKind::quota},
        {503, R"({"error":{"type":"server_error"}})", ErrorKind::overloaded},
        {500, R"({"error":{"type":"overloaded_error"}})", ErrorKind::overloaded},
        {504, "", ErrorKind::timeout},
        {502, "", ErrorKind::server},
        {422, "", ErrorKind::invalid_request},
        {400, R"({"error":{"type":"invalid_request_error","message":"the tool window is odd"}})",
         ErrorKind::invalid_request},
    };
    for (const KindCase& wanted : cases)
        EXPECT_EQ(read_dialect_error(wanted.status, wanted.body).kind, wanted.kind)
            << wanted.status << " " << wanted.body;
}

/// As OpenAI, Anthropic, vLLM (two versions), SGLang and llama.cpp say it.
TEST(DialectError, knows_a_prompt_that_does_not_fit_and_says_it_in_anthropics_words) {
    const std::pair<std::string_view, std::string_view> wordings[] = {
        {"This model's maximum context length is 128000 tokens. However, your messages resulted "
         "in 130001 tokens. Please reduce the length of the messages.",
         "prompt is too long: 130001 tokens > 128000 maximum"},
        {"prompt is too long: 210000 tokens > 200000 maximum",
         "prompt is too long: 210000 tokens > 200000 maximum"},
        {"input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease "
         "input length or `max_tokens` and try again",
         "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease "
         "input length or `max_tokens` and try again"},
        {"This model's maximum context length is 4096 tokens. However, you requested 5000 tokens "
         "(4000 in the messages, 1000 in the completion).",
         "prompt is too long: 5000 tokens > 4096 maximum"},
        {"The input (9000 tokens) is longer than the model's context length (8192 tokens).",
         "prompt is too long: 9000 tokens > 8192 maximum"},
        {"the request exceeds the available context size. try increasing the context size",
         "prompt is too long: the request exceeds the available context size. try increasing the "
         "context size"},
    };
    for (const auto& [said, wanted] : wordings) {
        const DialectError error = read_dialect_error(
            400, dump_json({{"error", {{"message", said}, {"type", "invalid_request_error"}}}}));
        EXPECT_EQ(error.kind, ErrorKind::context_length) << said;
        EXPECT_EQ(body(error, Dialect::messages)["error"]["message"], wanted);
        EXPECT_EQ(body(error, Dialect::responses)["error"]["code"], "context_length_exceeded");
        EXPECT_EQ(body(error, Dialect::chat)["error"]["message"], said);
        EXPECT_EQ(dialect_error_status(error, Dialect::chat), 400);
    }
}

TEST(DialectError, has_the_status_of_the_clients_dialect) {
    const DialectError overloaded{.kind = ErrorKind::overloaded, .status = 503};
    EXPECT_EQ(dialect_error_status(overloaded, Dialect::messages), 529);
    EXPECT_EQ(dialect_error_status(overloaded, Dialect::chat), 503);
    EXPECT_EQ(dialect_error_status(overloaded, Dialect::responses), 503);
    EXPECT_EQ(dialect_error_status({.kind = ErrorKind::server, .status = 502}, Dialect::chat), 502);
    EXPECT_EQ(dialect_error_status({.kind = ErrorKind::server}, Dialect::chat), 500);
    EXPECT_EQ(dialect_error_status({.kind = ErrorKind::quota, .status = 402}, Dialect::chat), 429);
}

TEST(DialectError, is_written_in_the_clients_shape) {
    const DialectError error{.kind = ErrorKind::rate_limit,
                             .type = "tokens",
                             .message = "slow \"down\"\n",
                             .param = "p"};
    EXPECT_EQ(body(error, Dialect::chat),
              Json::parse(R"({"error":{"message":"slow \"down\"\n","type":"rate_limit_error",
                              "param":"p","code":"rate_limit_exceeded"}})"));
    EXPECT_EQ(event(error, Dialect::chat), body(error, Dialect::chat));
    EXPECT_EQ(body(error, Dialect::messages),
              Json::parse(R"({"type":"error","error":{"type":"rate_limit_error",
                              "message":"slow \"down\"\n"}})"));
    EXPECT_TRUE(dialect_error_event(error, Dialect::messages).starts_with("event: error\ndata: {"));
    const DialectError kept{.kind = ErrorKind::invalid_request, .code = "unsupported_value"};
    EXPECT_EQ(body(kept, Dialect::chat)["error"]["code"], "unsupported_value");
    EXPECT_TRUE(body({}, Dialect::chat)["error"]["code"].is_null());
}

}  // namespace
}  // namespace brigada
