// Counting turn by turn against counting from scratch, for every template in testdata. Their real
// vocabularies are large and not ours: here each gets one of bytes and a few merges, with all that
// looks like a control token in the template as added tokens.
#include "gateway/count/prompt_counter.h"
#include "gateway/count/cut_messages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>

#include "base/file.h"
#include "base/rng.h"
#include "net/http.h"
#include "tokens/byte_alphabet.h"

namespace brigada {
namespace {

constexpr int64_t kNow = 1'782'907'200;  // 2026-07-01T12:00:00Z
constexpr ContentKey kSalt{1, 2};

VocabularySpec vocabulary_for(const std::string& source) {
    VocabularySpec spec;
    spec.pre = "gpt-2";
    for (int b = 0; b < 256; ++b)
        spec.pieces.push_back(alphabet_of_bytes(std::string(1, static_cast<char>(b))));
    for (const auto& [left, right] : {std::pair{"t", "h"},
                                      {"th", "e"},
                                      {" ", "the"},
                                      {"f", "i"},
                                      {"fi", "le"},
                                      {"l", "e"},
                                      {"\n", "\n"},
                                      {" ", " "}}) {
        spec.merges.push_back({alphabet_of_bytes(left), alphabet_of_bytes(right)});
        const std::string piece = alphabet_of_bytes(std::string(left) + right);
        if (std::ranges::find(spec.pieces, piece) == spec.pieces.end())
            spec.pieces.push_back(piece);
    }
    const std::regex control(R"(<\|[^|>'"]{1,40}\|>|<｜[^>]{1,60}｜>|<\|[a-z_]+>|<[a-z_]+\|>|)"
                             R"(\[/?[A-Z_]{3,30}\]|</?[a-z_]{3,30}>|]~[a-z]*\]?)");
    std::set<std::string> names;
    for (std::sregex_iterator at(source.begin(), source.end(), control), end; at != end; ++at)
        names.insert(at->str());
    for (const std::string& name : names) {
        spec.added.push_back({.text = name,
                              .id = TokenId{static_cast<uint32_t>(spec.pieces.size())},
                              .special = true});
        spec.pieces.push_back(name);
    }
    return spec;
}

Path templates() {
    return Path(BRIGADA_TESTDATA) / "chat-templates" / "templates";
}

PromptModel model_of(const std::string& name) {
    std::string source = read_file(templates() / (name + ".jinja"), 1 << 20).value();
    Tokenizer tokenizer = Tokenizer::from_spec(vocabulary_for(source)).value();
    ChatTemplate compiled = ChatTemplate::parse(source, "<s>", "</s>").value();
    return {.tokenizer = std::move(tokenizer),
            .chat_template = std::move(compiled),
            .template_source = std::move(source)};
}

/// A conversation that grows, shrinks and changes, as clients send it.
class Client {
  public:
    explicit Client(uint64_t seed) : rng_(seed) {
        if (rng_.chance(0.5)) messages_.push_back({{"role", "system"}, {"content", text()}});
        add_user();
        if (rng_.chance(0.5)) change_tools();
    }

    /// What the client does until its next call.
    void go_on() {
        const double choice = rng_.uniform();
        if (choice < 0.03) messages_.push_back(assistant());  // and goes on by itself
        if (choice < 0.55)
            add_round();
        else if (choice < 0.80)
            answer_and_ask();
        else if (choice < 0.86)
            edit();
        else if (choice < 0.92)
            compact();
        else if (choice < 0.96)
            change_tools();
    }

    const Json& messages() const { return messages_; }
    const Json& tools() const { return tools_; }

  private:
    std::string text() {
        static constexpr std::string_view kWords[] = {
            "the file", " the",       "\n",  "niño ", "最后", "  ", "\n\n",
            "it's",     "{\"a\": 1}", "<b>", "\t",    "x",    "😀"};
        std::string out;
        for (uint64_t i = 0; i < rng_.below(12); ++i)
            out += kWords[rng_.below(std::size(kWords))];
        if (rng_.chance(0.02)) out += "<think>never</think> mind";
        if (rng_.chance(0.02)) out += " /no_think";
        if (rng_.chance(0.02)) out = "<tool_response>" + out + "</tool_response>";
        return out;
    }

    void add_user() { messages_.push_back({{"role", "user"}, {"content", text()}}); }

    Json assistant() {
        Json out = {{"role", "assistant"}, {"content", text()}};
        if (rng_.chance(0.4)) out["reasoning_content"] = text();
        return out;
    }

    void add_round() {
        Json message = assistant();
        if (rng_.chance(0.5)) message["content"] = nullptr;
        Json calls = Json::array(), results = Json::array();
        for (uint64_t i = 0; i <= rng_.below(2); ++i) {
            const std::string id = concat("call", 10'000 + rng_.below(80'000));
            const std::string name = concat("tool_", rng_.below(3));
            calls.push_back(
                {{"id", id},
                 {"type", "function"},
                 {"function",
                  {{"name", name},
                   {"arguments", dump_json({{"path", text()}, {"n", rng_.below(9)}})}}}});
            results.push_back({{"role", "tool"}, {"tool_call_id", id}, {"content", text()}});
        }
        message["tool_calls"] = std::move(calls);
        messages_.push_back(std::move(message));
        for (Json& result : results)
            messages_.push_back(std::move(result));
    }

    void answer_and_ask() {
        messages_.push_back(assistant());
        add_user();
    }

    void edit() {
        Json& message = messages_[rng_.below(messages_.size())];
        message["content"] = text();
    }

    /// The oldest turns give way to a summary.
    void compact() {
        Json kept = Json::array({{{"role", "user"}, {"content", "so far: " + text()}}});
        messages_ = std::move(kept);
    }

    void change_tools() {
        tools_ = nullptr;
        if (rng_.chance(0.3)) return;
        tools_ = Json::array();
        for (uint64_t i = 0; i <= rng_.below(3); ++i)
            tools_.push_back(
                {{"type", "function"},
                 {"function",
                  {{"name", concat("tool_", i)},
                   {"description", text()},
                   {"parameters",
                    {{"type", "object"},
                     {"properties", {{"path", {{"type", "string"}, {"description", text()}}}}},
                     {"required", {"path"}}}}}}});
    }

    Rng rng_;
    Json messages_ = Json::array();
    Json tools_ = nullptr;
};

/// A call's raw fields, with room behind for those who read in strides.
struct Body {
    explicit Body(const Client& client)
        : messages(dump_json(client.messages())),
          tools(client.tools().is_null() ? "" : dump_json(client.tools())) {
        messages.reserve(messages.size() + kBodyPadding);
        tools.reserve(tools.size() + kBodyPadding);
    }
    PromptSource source() const { return {.tools = tools, .messages = cut_messages(messages)}; }

    std::string messages, tools;
};

std::optional<int64_t> from_scratch(const PromptModel& model, const Client& client) {
    Json messages = client.messages();
    for (Json& message : messages)
        if (message["content"].is_null()) message["content"] = "";
    const auto text = model.chat_template->render(
        {.messages = std::move(messages), .tools = client.tools(), .now_unix = kNow});
    if (!text.ok()) return std::nullopt;
    return static_cast<int64_t>(model.tokenizer.encode(*text, Specials::recognise).size());
}

struct Tally {
    int counted = 0;
    int appended = 0;
};

Tally compare(const std::string& name, uint64_t seeds) {
    const PromptModel model = model_of(name);
    const PromptCounter counter(model_of(name));
    StretchMemo stretches(1 << 20);
    SaltedStretches known(stretches, kSalt);
    CountMemo memo(1 << 20);
    Tally tally;
    for (uint64_t seed = 0; seed < seeds; ++seed) {
        Client client(seed);
        for (int call = 0; call < 25; ++call, client.go_on()) {
            SCOPED_TRACE(testing::Message() << name << " seed " << seed << " call " << call << ' '
                                            << dump_json(client.messages()));
            const Body body(client);
            const auto turn = counter.read(body.source(), kSalt, kNow);
            EXPECT_TRUE(turn.ok());
            const auto expected = from_scratch(model, client);
            auto appended = counter.count_appended(*turn, memo, 1 << 20);
            if (appended) ++tally.appended;
            auto whole = counter.count_whole(*turn, &known);
            EXPECT_EQ(whole.ok(), expected.has_value());
            if (!expected) continue;
            ++tally.counted;
            EXPECT_EQ(whole->tokens, *expected);
            if (appended) EXPECT_EQ(appended->tokens, *expected);
            memo.put(turn->key(), appended ? *std::move(appended) : *std::move(whole));
            if (testing::Test::HasFailure()) return tally;
        }
    }
    return tally;
}

bool can_append(const AppendLaw& law) {
    return law.calls_after_user || law.turns_after_user || law.calls_after_tool ||
           law.turns_after_tool;
}

std::vector<std::string> all_templates() {
    std::vector<std::string> out;
    for (const auto& entry : std::filesystem::directory_iterator(templates()))
        out.push_back(entry.path().stem());
    std::ranges::sort(out);
    return out;
}

class Counting : public testing::TestWithParam<std::string> {};

TEST_P(Counting, of_a_turn_is_counting_from_scratch) {
    const Tally tally = compare(GetParam(), 24);
    EXPECT_GT(tally.counted, 90);
    if (can_append(PromptCounter(model_of(GetParam())).law()))
        EXPECT_GT(tally.appended, 35);
    else  // only the very same call again
        EXPECT_LE(tally.appended, 40);
}

INSTANTIATE_TEST_SUITE_P(
    PromptCounter, Counting, testing::ValuesIn(all_templates()), [](const auto& test) {
        std::string name = test.param;
        std::ranges::replace_if(
            name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
        return name;
    });

AppendLaw law_of(const std::string& name) {
    return PromptCounter(model_of(name)).law();
}

TEST(AppendLaw, is_what_can_be_read_in_a_template) {
    EXPECT_EQ(law_of("qwen2.5"), (AppendLaw{true, true, true, true}));
    // What was thought between calls is left out once the next user has spoken.
    EXPECT_EQ(law_of("qwen3"), (AppendLaw{true, true, true, false}));
    EXPECT_EQ(law_of("gpt-oss"), (AppendLaw{true, true, true, false}));
    // Tools stand before the last user's message, wherever that is.
    EXPECT_EQ(law_of("mistral-small-3.2"), (AppendLaw{true, false, true, false}));
    // Calls are numbered from the first of the conversation on.
    EXPECT_EQ(law_of("kimi-k2"), (AppendLaw{}));
    // Roles alternate; there are no tools.
    EXPECT_EQ(law_of("gemma-2"), (AppendLaw{.turns_after_user = true}));
}

TEST(AppendLaw, does_not_hold_for_a_template_that_looks_at_everything) {
    const std::string source =
        "{% for m in messages %}<|m|>{{ m.role }}{{ m.content }}{% endfor %}"
        "{{ messages | length }}";
    EXPECT_EQ(find_append_law({.tokenizer = Tokenizer::from_spec(vocabulary_for(source)).value(),
                               .chat_template = ChatTemplate::parse(source, "", "").value(),
                               .template_source = source}),
              (AppendLaw{}));
}

/// Words grow across the place where such messages meet, though the sums agree by chance.
TEST(AppendLaw, needs_an_added_token_where_parts_meet) {
    const std::string source =
        "{% for m in messages %}{{ m.role }}: {{ m.content }}\n\n{% endfor %}";
    EXPECT_EQ(find_append_law({.tokenizer = Tokenizer::from_spec(vocabulary_for(source)).value(),
                               .chat_template = ChatTemplate::parse(source, "", "").value(),
                               .template_source = source}),
              (AppendLaw{}));
}

struct Turn {
    explicit Turn(const char* messages_json, ContentKey salt = kSalt) : messages(messages_json) {
        messages.reserve(messages.size() + kBodyPadding);
        turn = counter().read({.messages = cut_messages(messages)}, salt, kNow).value();
    }
    static const PromptCounter& counter() {
        static const PromptCounter made(model_of("qwen3"));
        return made;
    }

    std::string messages;
    PromptTurn turn;
};

constexpr const char* kFirst = R"([{"role":"user","content":"the file"}])";
constexpr const char* kSecond = R"([{"role":"user","content":"the file"},)"
                                R"({"role":"assistant","content":"which"},)"
                                R"({"role":"user","content":"that"}])";

TEST(PromptCounter, one_tenants_turn_is_no_beginning_for_another) {
    CountMemo memo(1 << 20);
    const Turn red(kFirst);
    memo.put(red.turn.key(), Turn::counter().count_whole(red.turn, nullptr).value());
    EXPECT_TRUE(Turn::counter().count_appended(Turn(kSecond).turn, memo, 1 << 20));
    EXPECT_FALSE(Turn::counter().count_appended(Turn(kSecond, {3, 4}).turn, memo, 1 << 20));
    EXPECT_FALSE(Turn::counter().count_appended(Turn(kFirst, {3, 4}).turn, memo, 1 << 20));
}

TEST(PromptCounter, reads_no_more_than_it_may) {
    CountMemo memo(1 << 20);
    const Turn first(kFirst);
    memo.put(first.turn.key(), Turn::counter().count_whole(first.turn, nullptr).value());
    EXPECT_FALSE(Turn::counter().count_appended(Turn(kSecond).turn, memo, 40));
}

TEST(PromptCounter, counts_whole_what_a_template_looks_for) {
    CountMemo memo(1 << 20);
    const Turn first(kFirst);
    memo.put(first.turn.key(), Turn::counter().count_whole(first.turn, nullptr).value());
    EXPECT_FALSE(Turn::counter().count_appended(
        Turn(R"([{"role":"user","content":"the file"},)"
             R"({"role":"assistant","content":"<think>hm</think>which"},)"
             R"({"role":"user","content":"that"}])")
            .turn,
        memo, 1 << 20));
}

TEST(PromptCounter, says_what_it_does_not_count) {
    const auto count = [](const char* json) {
        return Turn::counter().count_whole(Turn(json).turn, nullptr).error().message;
    };
    EXPECT_EQ(count(R"([{"role":"user","content":[{"type":"image_url"}]}])"),
              "\"image_url\" parts have tokens that no tokenizer of text counts");
    EXPECT_EQ(count(R"([{"content":"no role"}])"), "role: must be the role of a message");
    for (const char* list : {"{}", "[]", "[1]"})
        EXPECT_EQ(
            Turn::counter().read({.messages = cut_messages(list)}, kSalt, kNow).error().message,
            "messages: must be a list of objects, with one at least");
    EXPECT_EQ(Turn::counter().read({.dialect = Dialect::embeddings}, kSalt, kNow).error().message,
              "prompts of embeddings are not counted");
}

TEST(PromptCounter, counts_prompts_of_completions) {
    const auto count = [](std::string raw) {
        raw.reserve(raw.size() + kBodyPadding);
        const auto turn =
            Turn::counter().read({.dialect = Dialect::completions, .prompt = raw}, kSalt, kNow);
        return Turn::counter().count_whole(turn.value(), nullptr).value().tokens;
    };
    EXPECT_EQ(count(R"("the file")"), 3);  // "the", " ", "file"
    EXPECT_EQ(count(R"(["the","the"])"), 2);
    EXPECT_EQ(count("[1,2,3]"), 3);
    EXPECT_EQ(count("[[1,2],[3]]"), 3);
}

TEST(CountMemo, forgets_what_was_not_asked_for_the_longest) {
    CountMemo memo(1'000);
    const ContentKey a{1, 0}, b{2, 0};
    memo.put(a, {.tokens = 1});
    memo.put(b, {.tokens = 2});
    for (uint64_t i = 3; i < 100; ++i) {
        ASSERT_NE(memo.find(a), nullptr);
        memo.put({i, 0}, {.tokens = 3});
        ASSERT_LE(memo.bytes(), 1'000u);
    }
    EXPECT_EQ(memo.find(a)->tokens, 1);
    EXPECT_EQ(memo.find(b), nullptr);
}

}  // namespace
}  // namespace brigada
