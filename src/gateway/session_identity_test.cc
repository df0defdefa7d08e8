#include "gateway/session_identity.h"

#include <gtest/gtest.h>

namespace brigada {
namespace {

struct Case {
    const char* what;
    HttpHeaders headers;
    CallBody body;
    const char* session;
    const char* agent;
};

TEST(SessionIdentity, reads_what_agents_send_of_their_own_accord) {
    const Case cases[] = {
        {"nothing", {}, {}, "", ""},
        {"a person's own header wins",
         {{"X-Claude-Code-Session-Id", "c"}, {"x-session-id", "mine"}},
         {},
         "mine",
         ""},
        {"Claude Code", {{"X-Claude-Code-Session-Id", "c"}}, {.end_user = "u"}, "c", ""},
        {"a sub-agent of it",
         {{"x-claude-code-session-id", "c"}, {"x-claude-code-agent-id", "a"}},
         {},
         "c",
         "a"},
        {"Claude Code by its user id", {}, {.end_user = R"({"session_id":"c"})"}, "c", ""},
        {"Codex", {{"session-id", "s"}, {"thread-id", "s"}}, {.session = "s"}, "s", ""},
        {"a sub-agent of it: a thread of its own in the session",
         {{"session-id", "s"},
          {"thread-id", "t"},
          {"x-codex-parent-thread-id", "s"},
          {"x-openai-subagent", "collab_spawn"}},
         {.session = "s"},
         "s",
         "t"},
        {"a sub-agent of a sub-agent",
         {{"session-id", "s"}, {"thread-id", "u"}, {"x-codex-parent-thread-id", "t"}},
         {},
         "s",
         "u"},
        {"Codex when a sub-agent was a session that names its parent",
         {{"session_id", "t"}, {"x-codex-parent-thread-id", "s"}},
         {},
         "s",
         "t"},
        {"a helper of it in the same thread",
         {{"session-id", "s"}, {"thread-id", "s"}, {"x-openai-subagent", "compact"}},
         {},
         "s",
         "compact"},
        {"OpenCode", {{"x-session-id", "o"}, {"x-session-affinity", "o"}}, {}, "o", ""},
        {"a sub-agent of it",
         {{"x-session-id", "p"}, {"x-parent-session-id", "o"}, {"x-session-affinity", "p"}},
         {},
         "o",
         "p"},
        {"an agent without a session is nobody's", {{"x-claude-code-agent-id", "a"}}, {}, "", ""},
    };
    for (const Case& c : cases) {
        const SessionIdentity who = session_identity(c.headers, c.body);
        EXPECT_EQ(who.session, c.session) << c.what;
        EXPECT_EQ(who.agent, c.agent) << c.what;
    }
}

TEST(SessionIdentity, ids_that_are_too_long_count_as_none) {
    const std::string longest(255, 'x'), too_long(256, 'x');
    EXPECT_EQ(session_identity({{"session-id", longest}}, {}).session, longest);
    EXPECT_EQ(session_identity({{"session-id", too_long}}, {}).session, "");
    EXPECT_EQ(session_identity({{"session-id", "s"}, {"thread-id", too_long}}, {}).agent, "");
    EXPECT_EQ(session_identity({}, {.session = too_long}).session, "");
}

}  // namespace
}  // namespace brigada
