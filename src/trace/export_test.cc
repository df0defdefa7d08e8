#include "trace/export_trace.h"

#include <gtest/gtest.h>

#include <map>

#include "trace/corpus_for_tests.h"
#include "trace/exporter.h"
#include "trace/generator.h"
#include "trace/profile.h"
#include "trace/random_trace_for_tests.h"
#include "trace/timeline.h"
#include "trace/trace_text.h"

namespace brigada {
namespace {

std::string text_of(const Trace& trace, ExportFormat format) {
    std::string out;
    const auto done = export_trace(trace, format, [&](std::string_view piece) { out += piece; });
    EXPECT_TRUE(done.ok()) << done.error().message;
    return out;
}

/// For each call in the given order, the earliest call's block that each of its full blocks is the
/// same as: what prompts share, whatever their blocks are called.
std::vector<std::vector<size_t>> sharing(const Trace& trace, const std::vector<CallAt>& order) {
    std::vector<PromptNames> prompts(trace.sessions.size());
    std::map<uint32_t, size_t> seen;
    std::vector<std::vector<size_t>> out;
    for (const CallAt& at : order) {
        const TraceCall& call = trace.sessions[at.session].calls[at.call];
        const auto& names = prompts[at.session].next(call);
        out.emplace_back();
        for (uint32_t i = 0; i < call.prompt_tokens / trace.block_tokens; ++i)
            out.back().push_back(seen.try_emplace(names[i], seen.size()).first->second);
    }
    return out;
}

TEST(Export, our_own_format_gives_back_what_was_written) {
    for (uint64_t seed = 0; seed < 100; ++seed) {
        SCOPED_TRACE(seed);
        const Trace trace = random_trace(seed, 16);
        ASSERT_TRUE(check(trace).ok()) << check(trace).error().message;
        const std::string text = text_of(trace, ExportFormat::brigada);
        auto back = import_bytes("t.jsonl", text);
        ASSERT_TRUE(back.ok()) << back.error().message;
        back->trace.origin = trace.origin;
        EXPECT_EQ(back->trace, trace);
        auto again = import_bytes("t.jsonl.zst", packed(text));
        ASSERT_TRUE(again.ok()) << again.error().message;
        again->trace.origin = trace.origin;
        EXPECT_EQ(again->trace, trace);
    }
}

TEST(Export, what_was_generated_can_be_read_though_nobody_used_all_of_a_beginning) {
    for (const uint32_t users : {1, 20}) {
        const Trace trace = generate(*builtin_profile("claude-code"), {.users = users}).value();
        auto back = import_bytes("t.jsonl", text_of(trace, ExportFormat::brigada));
        ASSERT_TRUE(back.ok()) << back.error().message;
        back->trace.origin = trace.origin;
        EXPECT_EQ(back->trace, trace);
    }
}

TEST(Export, the_corpus_is_the_same_after_a_round_trip) {
    auto back = import_bytes("t.jsonl", text_of(claude_code(), ExportFormat::brigada));
    ASSERT_TRUE(back.ok()) << back.error().message;
    back->trace.origin = claude_code().origin;
    EXPECT_EQ(back->trace, claude_code());
}

TEST(Export, mooncake_keeps_lengths_gaps_and_what_prompts_share) {
    for (uint64_t seed = 0; seed < 100; ++seed) {
        SCOPED_TRACE(seed);
        const Trace trace = random_trace(seed, 512);
        const auto back = import_bytes("t.jsonl", text_of(trace, ExportFormat::mooncake));
        ASSERT_TRUE(back.ok()) << back.error().message;
        ASSERT_EQ(back->format, TraceFormat::mooncake);
        ASSERT_TRUE(check(back->trace).ok());
        const auto order = by_time(timeline(trace));
        std::vector<CallAt> read;  // sessions stand there in the order of their first call
        std::map<uint32_t, uint32_t> session_of;
        for (const CallAt& at : order)
            read.push_back(
                {session_of.try_emplace(at.session, session_of.size()).first->second, at.call});
        EXPECT_EQ(sharing(back->trace, read), sharing(trace, order));
        for (size_t i = 0; i < order.size(); ++i) {
            const TraceCall& was = trace.sessions[order[i].session].calls[order[i].call];
            const TraceCall& is = back->trace.sessions[read[i].session].calls[read[i].call];
            EXPECT_EQ(is.prompt_tokens, was.prompt_tokens);
            EXPECT_EQ(is.output_tokens, was.output_tokens);
            EXPECT_EQ(is.keep_blocks, was.keep_blocks);
            if (was.gap > Duration()) EXPECT_EQ(is.gap, was.gap);
        }
    }
}

TEST(Export, smaller_blocks_are_joined_into_mooncakes) {
    const auto ignore = [](std::string_view) {};
    EXPECT_TRUE(export_trace(random_trace(1, 64), ExportFormat::mooncake, ignore).ok());
    const auto uneven = export_trace(random_trace(1, 48), ExportFormat::mooncake, ignore);
    ASSERT_FALSE(uneven.ok());
    EXPECT_EQ(uneven.error().message,
              "Mooncake has blocks of 512 tokens; this trace's, of 48, can't be joined into them");
}

TEST(Export, kv_cache_tester_keeps_sub_agents_and_what_prompts_share) {
    for (uint64_t seed = 0; seed < 100; ++seed) {
        SCOPED_TRACE(seed);
        const Trace trace = random_trace(seed, 64);
        const auto back = import_bytes("t.jsonl", text_of(trace, ExportFormat::kv_cache_tester));
        ASSERT_TRUE(back.ok()) << back.error().message;
        ASSERT_EQ(back->format, TraceFormat::kv_cache_tester);
        ASSERT_TRUE(check(back->trace).ok());
        // There sub-agents follow their parent.
        std::vector<uint32_t> written;
        for (uint32_t s = 0; s < trace.sessions.size(); ++s) {
            if (trace.sessions[s].parent) continue;
            written.push_back(s);
            for (uint32_t call = 0; call < trace.sessions[s].calls.size(); ++call)
                for (uint32_t c = s + 1; c < trace.sessions.size(); ++c)
                    if (trace.sessions[c].parent == ParentCall{s, call}) written.push_back(c);
        }
        ASSERT_EQ(back->trace.sessions.size(), written.size());
        std::vector<CallAt> was, is;
        for (uint32_t i = 0; i < written.size(); ++i) {
            const TraceSession& from = trace.sessions[written[i]];
            const TraceSession& to = back->trace.sessions[i];
            ASSERT_EQ(to.calls.size(), from.calls.size());
            EXPECT_EQ(to.parent.has_value(), from.parent.has_value());
            if (from.parent) EXPECT_EQ(to.parent->call, from.parent->call);
            EXPECT_EQ(to.system_tokens, from.system_tokens);
            for (uint32_t c = 0; c < from.calls.size(); ++c) {
                was.push_back({written[i], c});
                is.push_back({i, c});
                EXPECT_EQ(to.calls[c].user, from.calls[c].user);
                EXPECT_EQ(to.calls[c].recorded_time, from.calls[c].recorded_time);
                EXPECT_NEAR(to.calls[c].gap.seconds(), from.calls[c].gap.seconds(), 1e-5);
            }
        }
        EXPECT_EQ(sharing(back->trace, is), sharing(trace, was));
    }
}

TEST(Export, aiperfs_turns_have_texts_of_the_prompts_lengths) {
    for (uint64_t seed = 0; seed < 50; ++seed) {
        SCOPED_TRACE(seed);
        const Trace trace = random_trace(seed, 16);
        const auto back = import_bytes("t.jsonl", text_of(trace, ExportFormat::aiperf));
        ASSERT_TRUE(back.ok()) << back.error().message;
        ASSERT_EQ(back->format, TraceFormat::aiperf);
        std::vector<uint32_t> was, is;
        for (const TraceSession& session : trace.sessions)
            for (const TraceCall& call : session.calls)
                was.push_back(call.prompt_tokens);
        for (const TraceSession& session : back->trace.sessions)
            for (const TraceCall& call : session.calls)
                is.push_back(call.prompt_tokens);
        EXPECT_EQ(is, was);
    }
}

}  // namespace
}  // namespace brigada
