#include <gtest/gtest.h>

#include "trace/corpus_for_tests.h"
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

}  // namespace
}  // namespace brigada
