#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/corpus_for_tests.h"
#include "trace/timeline.h"
#include "trace/trace_text.h"

namespace brigada {
namespace {

TEST(Import, traces_of_others_are_told_by_their_content_and_read_whole) {
    struct {
        const char* name;
        size_t sessions, calls;
        uint32_t block_tokens;
    } const known[] = {
        {"claude_code_sessions.jsonl.zst", 710 + 63, 48'658 + 676, 64},
        {"mooncake_conversation.jsonl.zst", 12'031, 12'031, 512},
        {"azure_llm_2023_code.csv.zst", 8'819, 8'819, 16},
        {"tracelab_example_48sessions.csv", 48, 303, 16},
        {"tracelab_sanitized_example_rounds.jsonl.zst", 2, 19, 16},
        {"vllm_measured/rtx4090_llama3.1-8b_tp1.csv", 300, 300, 16},
    };
    for (const auto& one : known) {
        SCOPED_TRACE(one.name);
        const Trace& trace = imported(one.name);
        EXPECT_EQ(trace.sessions.size(), one.sessions);
        EXPECT_EQ(trace.calls(), one.calls);
        EXPECT_EQ(trace.block_tokens, one.block_tokens);
        const Result<void> right = check(trace);
        EXPECT_TRUE(right.ok()) << right.error().message;
    }
}

Trace read(std::string_view text, const ImportOptions& options = {}) {
    auto result = import_bytes("t", text, options);
    EXPECT_TRUE(result.ok()) << result.error().message;
    return result.ok() ? std::move(result).value().trace : Trace();
}

std::string complaint(std::string_view text, const ImportOptions& options = {}) {
    const auto result = import_bytes("t", text, options);
    return result.ok() ? "it was read" : result.error().message;
}

TEST(Import, sub_agents_begin_with_their_parents_answer_and_take_their_part_of_its_wait) {
    const Trace trace = read(
        R"({"id":"a","block":64,"calls":[{"t":0,"m":"x","in":64,"out":3,"keep":0,"add":[[1,1]],)"
        R"("k":"U","api":2},{"sub":"Explore","t":12,"dur_ms":8000,"calls":[{"t":0,"in":64,)"
        R"("out":5,"keep":0,"add":[[9,1]],"k":"U","api":8}]},)"
        R"({"t":15,"m":"x","in":128,"out":1,"keep":1,"add":[[2,1]],"k":"T","api":1}]})");
    ASSERT_EQ(trace.sessions.size(), 2U);
    EXPECT_EQ(trace.sessions[1].parent, (ParentCall{0, 0}));
    EXPECT_EQ(trace.sessions[1].start, Instant() + Duration::seconds(2));
    EXPECT_EQ(trace.sessions[0].calls[1].gap, Duration::seconds(3));  // 13 s, 10 of them its
    EXPECT_EQ(timeline(trace)[0][1].sent, Instant() + Duration::seconds(15));
}

TEST(Import, both_forms_of_a_claude_code_session_are_the_same_trace) {
    const Trace compact = read(
        R"({"id":"a","block":64,"tool_tokens":64,"system_tokens":9,"calls":[)"
        R"({"t":0,"m":"x","in":200,"out":3,"keep":0,"add":[[1,3]],"k":"U","api":2,"think":0},)"
        R"({"t":5,"m":"x","in":300,"out":3,"keep":2,"add":[[7,2]],"k":"T","api":2,"think":3}]})");
    const Trace full = read(
        R"({"id":"a","block_size":64,"hash_id_scope":"local","tool_tokens":64,"system_tokens":9,)"
        R"("requests":[{"t":0,"type":"n","model":"x","in":200,"out":3,"hash_ids":[1,2,3],)"
        R"("input_types":["text"],"api_time":2,"think_time":0},{"t":5,"type":"s","model":"x",)"
        R"("in":300,"out":3,"hash_ids":[1,2,7,8],"input_types":["tool_result"],"api_time":2,)"
        R"("think_time":3}]})");
    EXPECT_EQ(full, compact);
    EXPECT_EQ(compact.sessions[0].calls[1].keep_blocks, 2U);
}

TEST(Import, sessions_with_as_many_tokens_of_tools_begin_alike) {
    const std::string line =
        R"({"id":"a","block":64,"tool_tokens":130,"calls":[{"t":0,"in":256,"out":3,"keep":0,)"
        R"("add":[[1,4]],"k":"U"}]})";
    const Trace trace = read(line + "\n" + line);
    EXPECT_EQ(trace.names, 4U + 2U);  // two blocks are all tools
    EXPECT_EQ(trace.sessions[1].calls[0].added, (std::vector<BlockRun>{{0, 2}, {4, 2}}));
}

TEST(Import, chats_of_bailian_follow_their_parent_and_content_is_named_with_what_is_before) {
    const Trace trace = read(R"({"chat_id":1,"parent_chat_id":-1,"timestamp":1,)"
                             R"("input_length":32,"output_length":3,"hash_ids":[7,8]})"
                             "\n"
                             R"({"chat_id":2,"parent_chat_id":1,"timestamp":4,)"
                             R"("input_length":48,"output_length":3,"hash_ids":[7,8,9]})"
                             "\n"
                             R"({"chat_id":3,"parent_chat_id":-1,"timestamp":5,)"
                             R"("input_length":32,"output_length":3,"hash_ids":[8,7]})");
    ASSERT_EQ(trace.sessions.size(), 2U);
    ASSERT_EQ(trace.sessions[0].calls.size(), 2U);
    EXPECT_EQ(trace.sessions[0].calls[1].gap, Duration::seconds(3));
    EXPECT_EQ(trace.sessions[0].calls[1].keep_blocks, 2U);
    EXPECT_EQ(trace.names, 5U);  // 8 and 7 hold the same there, after other blocks
}

TEST(Import, our_ledger_becomes_sessions) {
    const Trace trace = read(
        "id,started,first_byte,ended,team,session,model_asked,input_tokens,cached_input_tokens,"
        "cache_write_tokens,output_tokens\r\n"
        "01,2026-11-29T08:05:00Z,2026-11-29T08:05:01Z,2026-11-29T08:05:03Z,t1,s,m,68,32,0,5\r\n"
        "03,2026-11-29T08:06:00Z,,2026-11-29T08:06:01Z,t1,s,m,0,32,8,5\r\n"
        "02,2026-11-29T08:05:10Z,,2026-11-29T08:05:11Z,t1,s,m,20,96,4,5\r\n"
        "04,2026-11-29T08:05:10Z,,2026-11-29T08:05:11Z,t1,,m,9,0,0,0\r\n");
    ASSERT_EQ(trace.sessions.size(), 1U);
    const auto& calls = trace.sessions[0].calls;
    ASSERT_EQ(calls.size(), 3U);
    EXPECT_EQ(calls[0].recorded_ttft, Duration::seconds(1));
    EXPECT_EQ(calls[1].gap, Duration::seconds(7));
    EXPECT_EQ(calls[1].keep_blocks, 6U);  // it extends the 100 tokens before
    EXPECT_FALSE(calls[1].user);
    EXPECT_TRUE(calls[2].user);           // 49 s later
    EXPECT_EQ(calls[2].keep_blocks, 2U);  // shorter: what was cached
    EXPECT_EQ(trace.sessions[0].system_tokens, 32U);
}

TEST(Import, spans_of_our_gateway_are_calls) {
    const Trace trace = read(trace_bytes("../otlp/failed_over.json"));
    ASSERT_EQ(trace.calls(), 1U);
    EXPECT_EQ(trace.models, std::vector<std::string>{"coder"});
}

TEST(Import, conversations_share_what_their_texts_do) {
    const std::string system(640, 's');
    const auto conversation = [&](const std::string& question) {
        return R"({"messages":[{"role":"system","content":")" + system +
               R"("},{"role":"user","content":")" + question +
               R"("},{"role":"assistant","content":"Yes, of course."}]})";
    };
    const Trace trace =
        read(conversation(std::string(64, 'a')) + "\n" + conversation(std::string(64, 'b')));
    ASSERT_EQ(trace.sessions.size(), 2U);
    EXPECT_EQ(trace.sessions[0].calls[0].prompt_tokens, 176U);
    EXPECT_EQ(trace.sessions[0].calls[0].output_tokens, 4U);
    EXPECT_EQ(trace.names, 12U);  // 10 of the system prompt, one of each question
}

TEST(Import, what_is_wrong_is_named_with_file_line_field_and_value) {
    const std::string good = R"({"timestamp": 10, "input_length": 600, "output_length": 5})"
                             "\n";
    EXPECT_EQ(complaint(good + R"({"timestamp": 4, "input_length": 600, "output_length": 5})"),
              "t, line 2: timestamp is -0.006 s; the clock jumps back: the one before came at 0 s");
    EXPECT_EQ(complaint(R"({"timestamp": 0, "input_length": -3, "output_length": 5})"),
              "t, line 1: input_length is -3; 0 to 20000000 tokens are believed");
    EXPECT_EQ(complaint(R"({"timestamp": 0, "input_length": 4e9, "output_length": 5})"),
              "t, line 1: input_length is 4000000000; 0 to 20000000 tokens are believed");
    EXPECT_EQ(complaint(R"({"timestamp": 0, "input_length": 1.5, "output_length": 5})"),
              "t, line 1: input_length is 1.5; a whole number is needed");
    EXPECT_EQ(complaint(R"({"timestamp": 0, "input_length": 600})"),
              "t, line 1: no output_length; a number of tokens is needed");
    EXPECT_EQ(complaint(R"({"timestamp": 0, "input_length": 600, "output_length": 5, )"
                        R"("hash_ids": [1]})"),
              "t, line 1: hash_ids is 1 blocks; input_length 600 makes 2 blocks of 512 tokens");
    EXPECT_THAT(complaint(good + "{\"timestamp\": NaN, \"input_length\": 600}"),
                testing::HasSubstr("t, line 2"));
    EXPECT_EQ(complaint("TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03,nan,1\n"),
              "t, line 2: ContextTokens is nan; a whole number is needed");
    EXPECT_EQ(complaint("TIMESTAMP,ContextTokens,GeneratedTokens\nyesterday,5,1\n"),
              "t, line 2: TIMESTAMP is yesterday; as in 2023-11-16 18:17:03.9799600");
    EXPECT_EQ(complaint("TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03,5\n"),
              "t, line 2: 2 fields; there are 3 columns");
    EXPECT_EQ(complaint(R"({"id":"a","block":64,"calls":[{"t":0,"in":64,"out":3,"keep":0,)"
                        R"("add":[[1,1]]},{"t":1,"in":192,"out":3,"keep":2,"add":[[9,1]]}]})"),
              "t, line 1, calls[1]: keep is 2; the call before has 1 blocks");
    EXPECT_EQ(complaint("session_id,arrival_time,round_idx,prefix_len,input_len,output_len,"
                        "tool_wait_after_ms\n0,1,0,0,5,1,1\n0,1,2,0,5,1,1\n"),
              "t, line 3: round_idx is 2; session 0 goes on with round 1");
    EXPECT_EQ(complaint(""), "t: empty");
    EXPECT_THAT(complaint("a,b\n1,2\n"), testing::HasSubstr("say which it is"));
    EXPECT_THAT(complaint("\x1f\x8b zipped"), testing::HasSubstr("gunzip it"));
}

TEST(Import, a_packed_text_cut_short_is_told_from_a_whole_one) {
    const std::string whole = trace_bytes("mooncake_conversation.jsonl.zst");
    const std::string_view half = std::string_view(whole).substr(0, whole.size() / 2);
    EXPECT_THAT(complaint(half), testing::HasSubstr("ends in its middle; is the file cut short?"));
    const auto lenient = import_bytes("t", half, {.lenient = true});
    ASSERT_TRUE(lenient.ok()) << lenient.error().message;
    EXPECT_GT(lenient->trace.calls(), 1000U);
    EXPECT_GE(lenient->skipped, 1U);
}

TEST(Import, our_own_format_cut_short_is_refused) {
    EXPECT_EQ(complaint(R"({"brigada_trace":1,"origin":"x","block_tokens":16,"models":["m"],)"
                        R"("tenants":["t"],"sessions":2,"names":1})"
                        "\n"
                        R"({"name":"s","start":0,"calls":[{"in":4,"out":2,"add":[0,1]}]})"),
              "t: 1 sessions; its head says 2; is the file cut short?");
    EXPECT_EQ(complaint(R"({"brigada_trace":1,"origin":"x","block_tokens":16,"models":["m"],)"
                        R"("tenants":["t"],"sessions":1,"names":2})"
                        "\n"
                        R"({"name":"s","start":0,"calls":[{"in":4,"out":2,"add":[0,2]}]})"),
              "t: session 's', call 1: has 2 blocks; 4 tokens in blocks of 16 are 1");
}

TEST(Import, leniently_wrong_lines_are_skipped_and_counted) {
    const auto result =
        import_bytes("t",
                     R"({"timestamp": 10, "input_length": 600, "output_length": 5})"
                     "\nnothing\n"
                     R"({"timestamp": 9, "input_length": 600, "output_length": 5})"
                     "\n"
                     R"({"timestamp": 11, "input_length": 600, "output_length": 5})",
                     {.lenient = true});
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_EQ(result->trace.calls(), 2U);
    EXPECT_EQ(result->skipped, 2U);
    EXPECT_EQ(result->complaints.size(), 2U);
}

}  // namespace
}  // namespace brigada
