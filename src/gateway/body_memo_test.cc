#include "gateway/body_memo.h"

#include <gtest/gtest.h>

#include "base/concat.h"
#include "base/rng.h"
#include "net/http.h"

namespace brigada {
namespace {

constexpr size_t kPlenty = 64 << 20;

std::string some_text(Rng& rng, size_t most) {
    std::string out;
    for (size_t left = rng.below(most); left > 0; --left)
        out += "ab {}[],:"[rng.below(9)];
    return out;
}

/// An agent's conversation, and the fields around it in some order.
struct Session {
    Dialect dialect = Dialect::chat;
    std::string blank = {};
    std::vector<std::string> before = {R"("model":"m")"};
    std::vector<std::string> messages = {};
    std::vector<std::string> behind = {};

    std::string message(std::string_view text, std::string_view mark = {}) const {
        return concat(R"({"role":"user",)", blank, R"("content":")", text, "\"", mark, "}", blank);
    }

    /// Anthropic's clients mark the last message.
    std::string body() const {
        std::string out = concat(blank, "{", blank);
        for (const std::string& field : before)
            out += concat(field, blank, ",");
        out += concat(dialect == Dialect::responses ? R"("input":)" : R"("messages":)", blank, "[");
        for (size_t n = 0; n < messages.size(); ++n) {
            const bool is_last = n + 1 == messages.size();
            const bool is_marked = is_last && dialect == Dialect::messages;
            out += message(messages[n], is_marked ? R"(, "cache_control":{"type":"x"})" : "");
            if (!is_last) out += concat(",", blank);
        }
        out += concat("]", blank);
        for (const std::string& field : behind)
            out += concat(",", field, blank);
        return out + "}";
    }
};

Session some_session(Rng& rng) {
    constexpr Dialect kDialects[] = {Dialect::chat, Dialect::messages, Dialect::responses};
    Session out{.dialect = kDialects[rng.below(3)], .blank = rng.below(2) == 0 ? "" : "\n "};
    const std::string fields[] = {
        concat(R"("tools":[{"name":")", some_text(rng, 3'000), R"("}])"),
        concat(R"("system":"x-anthropic-billing-header: a;\nBe kind. )", some_text(rng, 99), "\""),
        R"("stream":true)",
        R"("stream_options":{"include_usage":false})",
        R"("metadata":{"user_id":"u","tags":["a","b"]})",
        R"("cache":{"no-cache":true})",
        R"("max_tokens":7)",
        R"("tool_choice": "auto" )",
    };
    for (const std::string& field : fields)
        if (rng.below(3) > 0) (rng.below(2) == 0 ? out.before : out.behind).push_back(field);
    return out;
}

/// Mostly the next turn; sometimes what clients do now and then.
void go_on(Session& session, Rng& rng) {
    const size_t what = rng.below(12);
    if (what == 0 && session.messages.size() > 2) {
        session.messages.resize(rng.below(session.messages.size()));  // a rewind
    } else if (what == 1 && !session.messages.empty()) {
        session.messages[rng.below(session.messages.size())] = some_text(rng, 50);
    } else if (what == 2) {
        session.behind.push_back(concat(R"("tools":[")", some_text(rng, 9), "\"]"));
    } else {
        for (size_t n = 1 + rng.below(4); n > 0; --n)
            session.messages.push_back(some_text(rng, 20'000));
    }
}

/// All that was read, with places in the body in place of what stands there.
std::string shown(const CallBody& body, std::string_view text) {
    std::string out = concat(body.model, " ", body.stream, " ", body.max_output.value_or(-1), " ",
                             body.end_user, " ", body.session, " ", body.cache_cut.has_value(), " ",
                             body.model_value.at, "+", body.model_value.size);
    for (const std::string& tag : body.tags)
        out += concat(" #", tag);
    for (const auto& cut : {body.cache_cut, body.previous_cut, body.usage_request})
        out += cut ? concat(" cut ", cut->at, "+", cut->size, " ", cut->text) : " -";
    for (const std::string_view part : body.prompt)
        out += body.own_system && part == *body.own_system
                   ? concat(" own ", part)
                   : concat(" ", part.empty() ? 0 : part.data() - text.data(), "+", part.size());
    for (const std::string_view part : body.rendering)
        out += concat(" ", part.empty() ? 0 : part.data() - text.data(), "+", part.size());
    out += concat(" list ", body.list.field, " ", body.list.at);
    for (const BodySpan& message : body.list.messages)
        out += concat(" ", message.at, "+", message.size);
    return out;
}

/// Reads with and without the memo and compares.
void expect_same(BodyMemo& memo, std::string text, Dialect dialect) {
    text.reserve(text.size() + kBodyPadding);
    const auto known = memo.read(text, dialect, "team:red");
    const auto fresh = read_call_body(text, dialect);
    ASSERT_EQ(known.ok(), fresh.ok()) << text.substr(0, 300);
    if (!fresh.ok()) {
        ASSERT_EQ(known.error().message, fresh.error().message);
        return;
    }
    ASSERT_EQ(shown(known->body, text), shown(*fresh, text));
    const PromptKeys keys = prompt_keys(*fresh, dialect, "team:red");
    ASSERT_EQ(known->prompt.bytes, keys.bytes);
    ASSERT_EQ(known->prompt.keys, keys.keys);
}

TEST(BodyMemo, reads_what_reading_all_reads) {
    BodyMemo memo(kPlenty, 7);
    uint64_t turns = 0;
    for (uint64_t seed = 0; seed < 60; ++seed) {
        SCOPED_TRACE(seed);
        Rng rng(seed);
        Session session = some_session(rng);
        for (int turn = 0; turn < 25; ++turn, ++turns) {
            go_on(session, rng);
            ASSERT_NO_FATAL_FAILURE(expect_same(memo, session.body(), session.dialect));
        }
    }
    EXPECT_GT(memo.hits(), turns / 2);
}

/// A session of some 200 KB.
Session long_session(Dialect dialect = Dialect::chat) {
    Session out{.dialect = dialect};
    for (int n = 0; n < 20; ++n)
        out.messages.push_back(std::string(10'000, static_cast<char>('a' + n)));
    return out;
}

TEST(BodyMemo, says_what_is_wrong_with_a_body_whose_beginning_it_knows) {
    BodyMemo memo(kPlenty, 7);
    const std::string good = long_session().body();
    const std::string open = good.substr(0, good.size() - 2);  // behind the last message
    ASSERT_NO_FATAL_FAILURE(expect_same(memo, good, Dialect::chat));
    for (const std::string_view rest :
         {R"(,{"role":"user"}]})", "", ",", ",]}", "]", "}", "]]}", R"(,{"role":"user"]})",
          R"(,{"a":1}]} x)", R"(],"model":7})", R"(],"messages":[]})", R"(],"input":["a"]})",
          R"(],"messages":"no list"})", ",1,null]}", R"(,{"a":"\ud800")", R"({"a":1}]})"})
        ASSERT_NO_FATAL_FAILURE(expect_same(memo, concat(open, rest), Dialect::chat)) << rest;
    EXPECT_GE(memo.hits(), 1u);
}

TEST(BodyMemo, tenants_and_dialects_share_nothing) {
    BodyMemo memo(kPlenty, 7);
    std::string body = long_session().body();
    body.reserve(body.size() + kBodyPadding);
    ASSERT_TRUE(memo.read(body, Dialect::chat, "team:red").ok());
    ASSERT_TRUE(memo.read(body, Dialect::chat, "team:blue").ok());
    ASSERT_TRUE(memo.read(body, Dialect::messages, "team:red").ok());
    EXPECT_EQ(memo.hits(), 0u);
    ASSERT_TRUE(memo.read(body, Dialect::chat, "team:red").ok());
    EXPECT_EQ(memo.hits(), 1u);
}

TEST(BodyMemo, knows_the_turn_before_although_its_mark_has_moved) {
    BodyMemo memo(kPlenty, 7);
    Session session = long_session(Dialect::messages);
    ASSERT_NO_FATAL_FAILURE(expect_same(memo, session.body(), session.dialect));
    session.messages.push_back("and now?");
    ASSERT_NO_FATAL_FAILURE(expect_same(memo, session.body(), session.dialect));
    EXPECT_EQ(memo.hits(), 1u);
}

TEST(BodyMemo, keeps_no_more_than_it_may) {
    constexpr size_t kLittle = 100'000;
    BodyMemo memo(kLittle, 7);
    for (int n = 0; n < 50; ++n) {
        Session session = long_session();
        session.messages.front() += std::to_string(n);
        ASSERT_NO_FATAL_FAILURE(expect_same(memo, session.body(), session.dialect));
    }
    EXPECT_LE(memo.bytes(), kLittle);
    EXPECT_GT(memo.bytes(), kLittle / 2);
}

}  // namespace
}  // namespace brigada
