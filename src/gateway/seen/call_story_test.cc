#include "gateway/seen/call_story.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "base/json.h"

namespace brigada {
namespace {

constexpr WallTime kNoon{1'772'366'400'000'000'000};  // 2026-03-01T12:00:00Z

WallTime after_ms(int64_t ms) {
    return kNoon + Duration::milliseconds(ms);
}

/// A stream that the first upstream failed at and the second answered.
CallFacts failed_over() {
    Caller caller;
    caller.tenant = "team:t1";
    caller.team = "t1";
    caller.team_alias = "compilers";
    caller.organisation = "o1";
    caller.user = "ann";
    caller.key = "abc123";
    CallFacts out{.id = "0123",
                  .path = "/v1/chat/completions",
                  .started = kNoon,
                  .first_byte = after_ms(250),
                  .ended = after_ms(2'000),
                  .caller = std::make_shared<const Caller>(caller),
                  .end_user = "e \"1\"",
                  .session = "s1",
                  .model_asked = "coder",
                  .model_served = "coder",
                  .stream = true,
                  .max_output = 64,
                  .http_status = 200,
                  .body_bytes = 1'234,
                  .usage = {.input = 10, .cached_input = 90, .output = 5},
                  .cost = {10'400}};
    out.attempts.push_back({.span = SpanId{0xa1},
                            .upstream = "d-1",
                            .provider = "openai",
                            .model = "qwen",
                            .host = "10.0.0.1",
                            .port = 8000,
                            .started = after_ms(1),
                            .ended = after_ms(100),
                            .status = CallStatus::upstream_error,
                            .http_status = 500});
    out.attempts.push_back({.span = SpanId{0xa2},
                            .upstream = "d-2",
                            .provider = "openai",
                            .model = "qwen",
                            .host = "10.0.0.2",
                            .port = 8000,
                            .started = after_ms(101),
                            .ended = after_ms(1'999),
                            .http_status = 200});
    return out;
}

CallPlace place() {
    return {.parent = {.trace = {0x4bf92f3577b34da6, 0xa3ce929d0e0e4736},
                       .span = SpanId{0x00f067aa0ba902b7},
                       .flags = 1,
                       .state = "vendor=1"},
            .span = SpanId{0xc0}};
}

TEST(CallStory, spans_read_as_the_golden_file_has_them) {
    const std::vector<SpanAttribute> resource{{"service.name", std::string("brigada")}};
    const auto golden = [] {
        std::ifstream in(std::string(BRIGADA_TESTDATA) + "/otlp/failed_over.json");
        std::stringstream text;
        text << in.rdbuf();
        return text.str();
    }();
    const std::string made = otlp_json(call_spans(failed_over(), place()), resource);
    EXPECT_EQ(parse_json(made, "made")->dump(1) + "\n", golden);
}

TEST(CallStory, a_line_says_who_asked_what_and_what_became_of_it) {
    LogLine line(LogFormat::json, level_of(failed_over()), kNoon, "call");
    tell_call(failed_over(), place(), line);
    const Json read = *parse_json(line.take(), "line");
    EXPECT_EQ(read["level"], "info");
    EXPECT_EQ(read["team_alias"], "compilers");
    EXPECT_EQ(read["end_user"], "e \"1\"");
    EXPECT_EQ(read["attempts"], 2);
    EXPECT_EQ(read["upstream"], "d-2");
    EXPECT_EQ(read["cached_input_tokens"], 90);
    EXPECT_EQ(read["cost_dollars"], "0.0000104");
    EXPECT_EQ(read["first_byte_seconds"], 0.25);
    EXPECT_EQ(read["seconds"], 2.0);
    EXPECT_EQ(read["trace_id"], "4bf92f3577b34da6a3ce929d0e0e4736");
}

TEST(CallStory, a_call_of_nobody_has_no_tenant_and_no_upstream) {
    const CallFacts facts{.id = "1",
                          .started = kNoon,
                          .ended = kNoon,
                          .http_status = 401,
                          .refusal = "auth_error",
                          .message = "no key"};
    const std::vector<TraceSpan> spans = call_spans(facts, {});
    ASSERT_EQ(spans.size(), 1u);
    EXPECT_EQ(spans[0].status, SpanStatus::error);
    EXPECT_EQ(spans[0].status_message, "no key");
    for (const SpanAttribute& attribute : spans[0].attributes)
        EXPECT_THAT(attribute.name, testing::Not(testing::StartsWith("brigada.t")));
    LogLine line(LogFormat::text, level_of(facts), kNoon, "call");
    tell_call(facts, {}, line);
    const std::string text = line.take();
    EXPECT_THAT(text, testing::HasSubstr("status=401 refusal=auth_error"));
    EXPECT_THAT(text, testing::Not(testing::HasSubstr("trace_id")));
}

TEST(CallStory, what_upstreams_failed_at_is_a_warning) {
    EXPECT_EQ(level_of({.http_status = 200}), LogLevel::info);
    EXPECT_EQ(level_of({.http_status = 429}), LogLevel::info);
    EXPECT_EQ(level_of({.http_status = 502}), LogLevel::warning);
    EXPECT_EQ(level_of({.http_status = 200, .status = CallStatus::cut}), LogLevel::warning);
}

}  // namespace
}  // namespace brigada
