#include "load/transcript.h"

#include <gtest/gtest.h>

#include "dialect/write_conversation.h"
#include "load/probe.h"
#include "load/traces_for_tests.h"

namespace brigada {

namespace {

const PromptText& text() {
    static const PromptText kText(1.0);
    return kText;
}

struct Played {
    Trace trace;
    BlockTexts blocks{trace};

    Transcript transcript(uint32_t session = 0, uint32_t round = 0,
                          TranscriptOptions options = {}) const {
        return {trace, trace.sessions[session], blocks, text(), options, round};
    }
};

std::vector<Role> roles_of(const Conversation& conversation) {
    std::vector<Role> out;
    for (const Message& message : conversation.messages)
        out.push_back(message.role);
    return out;
}

std::string messages_of(const Transcript& transcript) {
    const auto body = write_conversation(transcript.conversation(), Dialect::chat, "m");
    const size_t begin = body->body.find("\"messages\":["), end = body->body.rfind("],\"tools\"");
    return body->body.substr(begin, end - begin);
}

Trace agent_trace() {
    Trace trace = empty_trace();
    TraceSession& session = add_session(trace, 0);
    session.system_tokens = 100;
    add_call(trace, session, 300, 40);
    add_call(trace, session, 500, 30, {}, false);
    add_call(trace, session, 640, 20, {}, false);
    add_call(trace, session, 700, 10, {}, true);
    return trace;
}

TEST(Transcript, alternates_as_an_agent_does) {
    const Played played{agent_trace()};
    Transcript at = played.transcript();
    at.advance_to(3);
    const Conversation conversation = at.conversation();
    EXPECT_EQ(roles_of(conversation),
              (std::vector<Role>{Role::system, Role::user, Role::assistant, Role::user,
                                 Role::assistant, Role::user, Role::assistant, Role::user}));
    EXPECT_TRUE(std::holds_alternative<ToolCallBlock>(conversation.messages[2].blocks.back()));
    EXPECT_TRUE(std::holds_alternative<ToolResultBlock>(conversation.messages[3].blocks.front()));
    EXPECT_TRUE(std::holds_alternative<TextBlock>(conversation.messages[6].blocks.back()));
    EXPECT_EQ(conversation.tools.size(), 1u);
    EXPECT_EQ(at.prompt_tokens(), 700u);
}

TEST(Transcript, each_prompt_begins_with_the_one_before) {
    const Played played{agent_trace()};
    Transcript at = played.transcript();
    std::string before;
    for (uint32_t call = 0; call < 4; ++call) {
        at.advance_to(call);
        const std::string now = messages_of(at);
        EXPECT_TRUE(now.starts_with(before));
        EXPECT_GT(now.size(), before.size());
        before = now;
    }
    Transcript jumped = played.transcript();
    jumped.advance_to(3);
    EXPECT_EQ(messages_of(jumped), before);
}

TEST(Transcript, shares_the_text_of_the_blocks_that_sessions_share) {
    Trace trace = empty_trace();
    trace.names = 10;
    for (int i = 0; i < 2; ++i) {
        TraceSession& session = add_session(trace, 0);
        session.system_tokens = 160;
        session.calls.push_back(
            {.gap = {},
             .prompt_tokens = 320,
             .output_tokens = 5,
             .added = {{.first = 0, .count = 10}, {.first = trace.names, .count = 10}},
             .recorded_time = {},
             .recorded_ttft = {}});
        trace.names += 10;
    }
    const Played played{std::move(trace)};
    std::vector<Conversation> all;
    std::vector<Transcript> kept;
    for (const auto& [session, round] : {std::pair{0u, 0u}, {1u, 0u}, {0u, 1u}})
        kept.push_back(played.transcript(session, round));
    for (Transcript& at : kept) {
        at.advance_to(0);
        all.push_back(at.conversation());
    }
    const auto words = [&](size_t which, size_t message) {
        return std::get<TextBlock>(all[which].messages[message].blocks[0]).text;
    };
    EXPECT_EQ(words(0, 0), words(1, 0));  // the system's prompt
    EXPECT_EQ(words(0, 0), words(2, 0));  // in a later round, too
    EXPECT_FALSE(words(0, 1) == words(1, 1));
    EXPECT_FALSE(words(0, 1) == words(2, 1));  // but not what only this session has
}

TEST(Transcript, cuts_a_prompt_that_goes_another_way) {
    Trace trace = agent_trace();
    TraceSession& session = trace.sessions[0];
    session.calls.push_back({.gap = {},
                             .prompt_tokens = 260,
                             .output_tokens = 5,
                             .keep_blocks = 10,  // 160 tokens: the system's and some of the user's
                             .added = {{.first = trace.names, .count = 7}},
                             .recorded_time = {},
                             .recorded_ttft = {}});
    trace.names += 7;
    const Played played{std::move(trace)};
    Transcript at = played.transcript(), first = played.transcript();
    at.advance_to(4);
    first.advance_to(0);
    const Conversation now = at.conversation(), then = first.conversation();
    ASSERT_EQ(roles_of(now), (std::vector<Role>{Role::system, Role::user, Role::user}));
    const auto words = [](const Conversation& from, size_t message) {
        return std::get<TextBlock>(from.messages[message].blocks[0]).text.raw;
    };
    EXPECT_EQ(words(now, 0), words(then, 0));
    EXPECT_TRUE(words(then, 1).starts_with(words(now, 1).substr(0, words(now, 1).size() - 40)));
}

/// What a server would count: texts, and what its template adds.
double counted(const Conversation& conversation, const TemplateCost& cost) {
    double tokens = 0, markup = cost.call;
    for (const Message& message : conversation.messages) {
        markup += cost.message;
        for (const Block& block : message.blocks) {
            if (const auto* words = std::get_if<TextBlock>(&block))
                tokens += static_cast<double>(estimated_tokens(unescaped(words->text)));
            if (const auto* result = std::get_if<ToolResultBlock>(&block)) {
                markup += cost.tool_step;
                for (const ToolResultPart& part : result->content)
                    tokens += static_cast<double>(
                        estimated_tokens(unescaped(std::get<TextBlock>(part).text)));
            }
        }
    }
    return tokens + markup;
}

TEST(Transcript, leaves_room_for_what_the_template_adds) {
    const TemplateCost cost{.call = 35, .message = 6.5, .tool_step = 18};
    const Played played{agent_trace()};
    Transcript at = played.transcript(0, 0, {.cost = cost});
    for (uint32_t call = 0; call < 4; ++call) {
        at.advance_to(call);
        const double wanted = played.trace.sessions[0].calls[call].prompt_tokens;
        EXPECT_NEAR(counted(at.conversation(), cost) / wanted, 1, 0.03) << call;
    }
}

/// Steps so small that the markup does not fit are made up for by the next ones.
TEST(Transcript, pays_what_it_owes_as_soon_as_there_is_room) {
    Trace trace = empty_trace();
    TraceSession& session = add_session(trace, 0);
    uint32_t prompt = 60;
    for (int i = 0; i < 30; ++i, prompt += i % 3 == 0 ? 200 : 3)
        add_call(trace, session, prompt, 2, {}, i % 2 == 0);
    const TemplateCost cost{.call = 20, .message = 5, .tool_step = 10};
    const Played played{std::move(trace)};
    Transcript at = played.transcript(0, 0, {.cost = cost});
    at.advance_to(29);
    const double wanted = played.trace.sessions[0].calls[29].prompt_tokens;
    EXPECT_NEAR(counted(at.conversation(), cost) / wanted, 1, 0.03);
}

/// A server with another tokenizer than ours: each prompt is nearer to its length than the text is.
TEST(Transcript, makes_up_for_what_the_server_counted) {
    Trace trace = empty_trace();
    TraceSession& session = add_session(trace, 0);
    for (uint32_t i = 0; i < 12; ++i)
        add_call(trace, session, 400 + 150 * i, 40, {}, i % 3 == 0);
    const Played played{std::move(trace)};
    for (const double scale : {0.85, 1.2}) {
        SCOPED_TRACE(scale);
        Transcript at = played.transcript();
        double counted_last = 0;
        std::string before;
        for (uint32_t call = 0; call < 12; ++call) {
            at.advance_to(call);
            EXPECT_TRUE(messages_of(at).starts_with(before));
            before = messages_of(at);
            counted_last = counted(at.conversation(), {}) * scale;
            at.correct(static_cast<int64_t>(counted_last));
        }
        EXPECT_NEAR(counted_last / (400 + 150 * 11), 1, 0.025);
    }
}

TEST(Transcript, does_not_believe_a_count_that_is_far_off) {
    const Played played{agent_trace()};
    Transcript told = played.transcript(), not_told = played.transcript();
    told.advance_to(0);
    told.correct(5);
    told.advance_to(3);
    not_told.advance_to(3);
    EXPECT_EQ(messages_of(told), messages_of(not_told));
}

TEST(Transcript, without_tools_says_results_as_the_user) {
    const Played played{agent_trace()};
    Transcript at = played.transcript(0, 0, {.uses_tools = false});
    at.advance_to(1);
    const Conversation conversation = at.conversation();
    EXPECT_TRUE(conversation.tools.empty());
    EXPECT_TRUE(std::holds_alternative<TextBlock>(conversation.messages.back().blocks[0]));
}

TEST(Probe, finds_the_template_that_a_server_has) {
    const TemplateCost cost{.call = 31, .message = 4.5, .tool_step = 22};
    constexpr double kScale = 1.25;
    const Trace probes = probe_trace(64, 1'000);
    const BlockTexts blocks(probes);
    std::vector<ProbeCount> counts;
    for (const ProbeCall kind : kProbeCalls) {
        const TraceSession& session = probes.sessions[static_cast<size_t>(kind)];
        Transcript at(probes, session, blocks, text(), {}, 9);
        at.advance_to(static_cast<uint32_t>(session.calls.size()) - 1);
        const double words = counted(at.conversation(), {});
        const double markup = counted(at.conversation(), cost) - words;
        counts.push_back({.text = words, .prompt = words * kScale + markup});
    }
    const ProbeFacts facts = probe_facts(counts);
    EXPECT_TRUE(facts.believed);
    EXPECT_NEAR(facts.scale, kScale, 1e-9);
    EXPECT_NEAR(facts.cost.call, cost.call, 1e-6);
    EXPECT_NEAR(facts.cost.message, cost.message, 1e-6);
    EXPECT_NEAR(facts.cost.tool_step, cost.tool_step, 1e-6);
}

TEST(Probe, believes_no_server_that_counts_the_same_for_everything) {
    const std::vector<ProbeCount> counts{{128, 100}, {1'128, 100}, {256, 100}, {256, 100}};
    const ProbeFacts facts = probe_facts(counts);
    EXPECT_FALSE(facts.believed);
    EXPECT_EQ(facts.cost, TemplateCost{});
}

}  // namespace

}  // namespace brigada
