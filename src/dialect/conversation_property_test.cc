// Random conversations of Chat Completions through the other dialects and back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "base/json.h"
#include "base/rng.h"
#include "dialect/padded_for_tests.h"
#include "dialect/read_conversation.h"
#include "dialect/write_conversation.h"

namespace brigada {
namespace {

/// Makes requests of which every word is its own, so that a lost or doubled one is seen.
class Talk {
  public:
    explicit Talk(uint64_t seed) : rng_(seed) {}

    Json request() {
        Json messages = Json::array();
        for (int64_t n = rng_.between(1, 8); n > 0; --n)
            add_message(messages);
        messages.push_back({{"role", "user"}, {"content", word()}});
        if (rng_.chance(0.2)) messages.push_back({{"role", "assistant"}, {"content", word()}});
        Json out = {{"model", "m"}, {"messages", messages}};
        if (rng_.chance(0.7)) add_tools(out);
        add_options(out);
        return out;
    }

    const std::vector<std::string>& words() const { return words_; }

  private:
    /// With what JSON escapes, now and then.
    std::string word() {
        constexpr const char* kEnds[] = {"", "\"", "\\", "\n.", "\u00e9", "\U0001f600", "\x01"};
        words_.push_back(concat("word", words_.size(), "w"));
        return words_.back() + kEnds[rng_.below(std::size(kEnds))] + ".";
    }

    Json texts() {
        if (rng_.chance(0.5)) return word();
        Json out = Json::array();
        for (int64_t n = rng_.between(1, 3); n > 0; --n)
            out.push_back({{"type", "text"}, {"text", word()}});
        return out;
    }

    Json parts() {
        Json out = texts();
        if (!out.is_array()) return out;
        if (rng_.chance(0.3))
            out.push_back(
                {{"type", "image_url"}, {"image_url", {{"url", "data:image/png;base64,aGk="}}}});
        if (rng_.chance(0.2))
            out.push_back({{"type", "image_url"},
                           {"image_url", {{"url", concat("https://a.example/", word())}}}});
        return out;
    }

    void add_message(Json& messages) {
        constexpr const char* kRoles[] = {"system", "developer", "user", "assistant"};
        const uint64_t kind = rng_.below(5);
        if (kind == 4) return add_calls(messages);
        const bool user = kind == 2;
        messages.push_back({{"role", kRoles[kind]}, {"content", user ? parts() : texts()}});
        if (kind == 3 && rng_.chance(0.2)) messages.back()["refusal"] = word();
    }

    /// Calls with their results, some of which are missing, doubled or of other calls.
    void add_calls(Json& messages) {
        Json calls = Json::array(), results = Json::array();
        for (int64_t n = rng_.between(1, 3); n > 0; --n) {
            const std::string id = concat(rng_.chance(0.2) ? "functions.f:" : "c", rng_.below(4));
            const std::string arguments =
                rng_.chance(0.8) ? dump_json({{"a", word()}, {"n", rng_.below(100)}}) : word();
            calls.push_back({{"id", id},
                             {"type", "function"},
                             {"function", {{"name", "f"}, {"arguments", arguments}}}});
            const std::string of = rng_.chance(0.9) ? id : "other";
            if (rng_.chance(0.9))
                results.push_back({{"role", "tool"}, {"tool_call_id", of}, {"content", texts()}});
        }
        Json content = nullptr;
        if (rng_.chance(0.3)) content = word();
        messages.push_back({{"role", "assistant"}, {"content", content}, {"tool_calls", calls}});
        for (Json& result : results)
            messages.push_back(std::move(result));
    }

    void add_tools(Json& out) {
        const Json schema = {{"type", "object"}, {"properties", {{"a", {{"title", word()}}}}}};
        out["tools"] = {
            {{"type", "function"},
             {"function", {{"name", "f"}, {"description", word()}, {"parameters", schema}}}},
            {{"type", "function"}, {"function", {{"name", "g"}, {"strict", true}}}}};
        const Json choices[] = {
            "auto", "none", "required", {{"type", "function"}, {"function", {{"name", "g"}}}}};
        if (rng_.chance(0.5)) out["tool_choice"] = choices[rng_.below(4)];
        if (rng_.chance(0.3)) out["parallel_tool_calls"] = rng_.chance(0.5);
    }

    void add_options(Json& out) {
        constexpr const char* kEfforts[] = {"none", "minimal", "low", "high"};
        if (rng_.chance(0.3)) out["reasoning_effort"] = kEfforts[rng_.below(4)];
        if (rng_.chance(0.3)) out["temperature"] = rng_.chance(0.5) ? 0.5 : 1.5;
        if (rng_.chance(0.3)) out["top_p"] = 0.25;
        if (rng_.chance(0.3)) out["stop"] = {"END", " "};
        if (rng_.chance(0.3)) out["max_tokens"] = rng_.between(1, 100'000);
        if (rng_.chance(0.3)) out["stream"] = true;
        if (rng_.chance(0.3)) out["user"] = word();
    }

    Rng rng_;
    std::vector<std::string> words_;
};

Json translated(const Json& request, Dialect from, Dialect to) {
    const std::string body = padded(dump_json(request));
    const auto conversation = read_conversation(body, from);
    CHECK(conversation.ok(), conversation.ok() ? "" : conversation.error().message);
    const auto written = write_conversation(*conversation, to, "m");
    CHECK(written.ok(), written.ok() ? "" : written.error().message);
    return Json::parse(written->body);
}

size_t count(std::string_view text, std::string_view part) {
    size_t out = 0;
    for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1))
        ++out;
    return out;
}

class Through : public testing::TestWithParam<Dialect> {};

TEST_P(Through, every_word_passes_once) {
    for (uint64_t seed = 0; seed < 500; ++seed) {
        SCOPED_TRACE(seed);
        Talk talk(seed);
        const std::string there = dump_json(translated(talk.request(), Dialect::chat, GetParam()));
        for (const std::string& word : talk.words())
            ASSERT_EQ(count(there, word), 1u) << word << "\n" << there;
    }
}

TEST_P(Through, there_and_back_again_changes_nothing_more) {
    for (uint64_t seed = 0; seed < 500; ++seed) {
        SCOPED_TRACE(seed);
        const Json once = translated(translated(Talk(seed).request(), Dialect::chat, GetParam()),
                                     GetParam(), Dialect::chat);
        const Json twice =
            translated(translated(once, Dialect::chat, GetParam()), GetParam(), Dialect::chat);
        ASSERT_EQ(once, twice);
    }
}

/// The turns of a session so far are the beginning of those of the whole, so that upstreams find
/// what they have read.
TEST_P(Through, longer_sessions_begin_as_shorter_ones) {
    const std::string field = GetParam() == Dialect::messages ? "messages" : "input";
    for (uint64_t seed = 0; seed < 300; ++seed) {
        SCOPED_TRACE(seed);
        Json request = Talk(seed).request();
        const Json all = request["messages"];
        const Json whole = translated(request, Dialect::chat, GetParam());
        bool asked = false;
        for (size_t at = 1; at < all.size(); ++at) {
            asked |= all[at - 1]["role"] == "user";
            if (!asked || all[at]["role"] != "assistant" || all[at - 1]["role"] == "assistant")
                continue;
            request["messages"] = Json(all.begin(), all.begin() + static_cast<int64_t>(at));
            const Json part = translated(request, Dialect::chat, GetParam());
            ASSERT_LE(part[field].size(), whole[field].size());
            for (size_t i = 0; i < part[field].size(); ++i)
                ASSERT_EQ(part[field][i], whole[field][i]);
            EXPECT_EQ(part.value("system", Json()), whole.value("system", Json()));
        }
    }
}

/// What Anthropic refuses: turns that do not alternate, results that do not follow their calls,
/// ids twice or of other characters, blank texts.
TEST(ToMessages, holds_the_rules_of_turns_and_results) {
    for (uint64_t seed = 0; seed < 500; ++seed) {
        SCOPED_TRACE(seed);
        const Json body = translated(Talk(seed).request(), Dialect::chat, Dialect::messages);
        std::string last = "assistant";
        std::set<std::string> ids;
        std::vector<std::string> open;
        for (const Json& message : body["messages"]) {
            if (message != body["messages"][0]) ASSERT_NE(message["role"], last);
            last = message["role"];
            size_t answered = 0;
            const std::vector<std::string> asked = std::exchange(open, {});
            ASSERT_FALSE(message["content"].empty());
            for (const Json& block : message["content"]) {
                if (block["type"] == "tool_use") {
                    ASSERT_TRUE(ids.insert(block["id"]).second);
                    ASSERT_THAT(block["id"].get<std::string>(),
                                testing::MatchesRegex("[A-Za-z0-9_-]+"));
                    ASSERT_TRUE(block["input"].is_object());
                    open.push_back(block["id"]);
                } else if (block["type"] == "tool_result") {
                    ASSERT_LT(answered, asked.size());
                    ASSERT_EQ(block["tool_use_id"], asked[answered++]);
                } else {
                    ASSERT_EQ(answered, asked.size());
                }
            }
            ASSERT_EQ(answered, asked.size());
        }
        ASSERT_TRUE(open.empty());
    }
}

INSTANTIATE_TEST_SUITE_P(Dialects, Through, testing::Values(Dialect::messages, Dialect::responses),
                         [](const auto& info) { return std::string(to_string(info.param)); });

}  // namespace
}  // namespace brigada
