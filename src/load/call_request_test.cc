#include "load/call_request.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/json.h"
#include "load/declared_workload.h"
#include "load/load_run.h"
#include "load/retry.h"
#include "load/traces_for_tests.h"

namespace brigada {

namespace {

Conversation hello() {
    Conversation out;
    out.messages.push_back({.role = Role::user, .blocks = {TextBlock{.text = {"hello"}}}});
    return out;
}

Json body_of(LoadTarget target, const SessionName& who) {
    const auto body = call_body(target, hello(), who, 77);
    return parse_json(body.value(), "body").value();
}

TEST(CallRequest, is_a_stream_with_usage_in_each_dialect) {
    const SessionName who{.session = "s1"};
    const Json chat = body_of({.api = Dialect::chat, .model = "m"}, who);
    EXPECT_EQ(chat["stream"], true);
    EXPECT_EQ(chat["stream_options"]["include_usage"], true);
    EXPECT_EQ(chat["max_completion_tokens"], 77);
    const Json messages = body_of({.api = Dialect::messages, .model = "m"}, who);
    EXPECT_EQ(messages["max_tokens"], 77);
    EXPECT_EQ(messages["stream"], true);
    const Json responses = body_of({.api = Dialect::responses, .model = "m"}, who);
    EXPECT_EQ(responses["max_output_tokens"], 77);
    EXPECT_EQ(responses["store"], false);
    EXPECT_EQ(responses["prompt_cache_key"], "s1");
}

TEST(CallRequest, adds_fields_for_engines) {
    const Json body = body_of(
        {.model = "m", .extra_body = R"("temperature":0,"top_k":1)", .exact_output = true}, {});
    EXPECT_EQ(body["temperature"], 0);
    EXPECT_EQ(body["top_k"], 1);
    EXPECT_EQ(body["ignore_eos"], true);
    EXPECT_EQ(body["min_tokens"], 77);
}

TEST(CallRequest, names_session_and_sub_agent_as_agents_do) {
    const SessionName agent{.session = "s1", .agent = "a1"};
    const auto header = [&](Dialect api, std::string_view name) {
        const HttpCall call = call_head({.api = api, .key = "k"}, agent);
        return std::string(call.headers.get(name).value_or(""));
    };
    EXPECT_EQ(header(Dialect::messages, "x-claude-code-session-id"), "s1");
    EXPECT_EQ(header(Dialect::messages, "x-claude-code-agent-id"), "a1");
    EXPECT_EQ(header(Dialect::messages, "x-api-key"), "k");
    EXPECT_EQ(header(Dialect::responses, "session-id"), "s1");
    EXPECT_EQ(header(Dialect::responses, "thread-id"), "a1");
    EXPECT_EQ(header(Dialect::chat, "x-session-id"), "a1");
    EXPECT_EQ(header(Dialect::chat, "x-parent-session-id"), "s1");
    EXPECT_EQ(header(Dialect::chat, "authorization"), "Bearer k");
    EXPECT_EQ(call_head({.base_path = "/v1"}, {}).target, "/v1/chat/completions");
}

TEST(Retry, waits_as_the_sdks_do) {
    Rng rng(1);
    const auto wait = [&](int status, HttpHeaders headers, uint32_t attempt) {
        return retry_after(status, headers, attempt, rng);
    };
    for (const int status : {0, 408, 409, 429, 500, 503, 529})
        EXPECT_TRUE(wait(status, {}, 1)) << status;
    for (const int status : {400, 401, 404, 422})
        EXPECT_FALSE(wait(status, {}, 1)) << status;
    EXPECT_LE(*wait(429, {}, 1), Duration::milliseconds(500));
    EXPECT_GE(*wait(429, {}, 1), Duration::milliseconds(375));
    EXPECT_LE(*wait(429, {}, 9), Duration::seconds(8));
    EXPECT_GE(*wait(429, {}, 9), Duration::seconds(6));
    EXPECT_EQ(*wait(429, {{"retry-after", "12"}}, 1), Duration::seconds(12));
    EXPECT_EQ(*wait(429, {{"retry-after-ms", "250"}}, 1), Duration::milliseconds(250));
    EXPECT_LE(*wait(429, {{"retry-after", "3600"}}, 1), Duration::milliseconds(500));
    EXPECT_FALSE(wait(503, {{"x-should-retry", "false"}}, 1));
    EXPECT_TRUE(wait(400, {{"x-should-retry", "true"}}, 1));
}

TEST(DeclaredWorkload, is_what_was_said) {
    const Trace trace = declared_trace({.sessions = 3,
                                        .calls = 4,
                                        .prompt_tokens = 500,
                                        .shared_prefix = 300,
                                        .turn_tokens = 50,
                                        .output_tokens = 20,
                                        .gap = Duration::milliseconds(5)})
                            .value();
    ASSERT_TRUE(check_playable(trace).ok());
    EXPECT_EQ(trace.calls(), 12u);
    for (const TraceSession& session : trace.sessions) {
        EXPECT_EQ(session.system_tokens, 300u);
        EXPECT_EQ(session.calls[0].added[0], (BlockRun{.first = 0, .count = 18}));
        for (size_t i = 1; i < session.calls.size(); ++i) {
            EXPECT_EQ(session.calls[i].prompt_tokens, 500u + i * 70);
            EXPECT_EQ(session.calls[i].gap, Duration::milliseconds(5));
        }
    }
}

TEST(DeclaredWorkload, varies_around_what_was_said) {
    const Trace trace =
        declared_trace({.sessions = 4'000, .prompt_tokens = 1'000, .gap = {}, .spread = 0.5})
            .value();
    ASSERT_TRUE(check_playable(trace).ok());
    double sum = 0, squares = 0;
    for (const TraceSession& session : trace.sessions) {
        const double tokens = session.calls[0].prompt_tokens;
        sum += tokens;
        squares += tokens * tokens;
    }
    const double mean = sum / 4'000;
    EXPECT_NEAR(mean, 1'000, 40);
    EXPECT_NEAR(std::sqrt(squares / 4'000 - mean * mean) / mean, 0.5, 0.05);
}

TEST(DeclaredWorkload, refuses_what_contradicts_itself) {
    EXPECT_FALSE(declared_trace({.prompt_tokens = 100, .shared_prefix = 100, .gap = {}}).ok());
    EXPECT_FALSE(declared_trace({.calls = 0, .gap = {}}).ok());
    EXPECT_FALSE(declared_trace({.output_tokens = 0, .gap = {}}).ok());
}

TEST(CheckPlayable, says_what_is_wrong_with_which_call) {
    const auto message = [](const Trace& trace) {
        const auto checked = check_playable(trace);
        return checked.ok() ? std::string() : checked.error().message;
    };
    EXPECT_NE(message(empty_trace()), "");
    Trace trace = empty_trace();
    add_session(trace, 2);
    EXPECT_EQ(message(trace), "");
    Trace longer = trace;
    longer.sessions[0].calls[1].prompt_tokens = 1'000;
    EXPECT_NE(message(longer).find("'s0', call 1"), std::string::npos);
    Trace nameless = trace;
    nameless.names = 1;
    EXPECT_NE(message(nameless), "");
    Trace orphan = trace;
    orphan.sessions[0].parent = ParentCall{.session = 0, .call = 0};
    EXPECT_NE(message(orphan).find("parent"), std::string::npos);
}

}  // namespace

}  // namespace brigada
