// Counts against those that transformers gave: see testdata/prompt-counts/ORIGIN and
// testdata/smollm2/ORIGIN. Some need the models' own vocabularies, which are large and not ours.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <sstream>

#include "base/file.h"
#include "gateway/count/cut_messages.h"
#include "gateway/count/prompt_counter.h"
#include "hub/cache.h"
#include "net/http.h"

namespace brigada {
namespace {

constexpr int64_t kGoldenClock = 1'782'907'200;  // 2026-07-01T12:00:00Z
constexpr size_t kMostFileBytes = 256 << 20;

std::vector<Json> lines_of(const Path& path) {
    std::istringstream lines(read_file(path, kMostFileBytes).value());
    std::vector<Json> out;
    for (std::string line; std::getline(lines, line);)
        out.push_back(parse_json(line, path.string()).value());
    return out;
}

Json read_json(const Path& path) {
    return parse_json(read_file(path, 8 << 20).value(), path.string()).value();
}

Path data() {
    return BRIGADA_TESTDATA;
}

bool must_be_there() {
    const char* value = std::getenv("BRIGADA_REQUIRE_ASSETS");
    return value && std::string_view(value) == "1";
}

/// Empty where the vocabulary has not been obtained.
Path vocabulary(const std::string& name) {
    if (name == "stories260K") return data() / "models" / "stories260K" / "hf" / "tokenizer.json";
    const char* own = std::getenv("BRIGADA_TOKENIZERS");
    const Path folder = own ? Path(own) : Cache::from_environment()->models() / ".." / "tokenizers";
    const Path path = folder / (name + ".json");
    return std::filesystem::exists(path) ? path : Path();
}

PromptCounter counter_of(const Path& path, const std::string& name) {
    const Path folder = data() / "chat-templates";
    std::string source = read_file(folder / "templates" / (name + ".jinja"), 1 << 20).value();
    const Json tokens = read_json(folder / "goldens" / (name + ".json"));
    Tokenizer tokenizer = Tokenizer::from_json(read_file(path, kMostFileBytes).value(), "").value();
    ChatTemplate compiled =
        ChatTemplate::parse(source, tokens["bos_token"], tokens["eos_token"]).value();
    return PromptCounter({.tokenizer = std::move(tokenizer),
                          .chat_template = std::move(compiled),
                          .template_source = std::move(source)});
}

Result<int64_t> count(const PromptCounter& counter, const Json& messages, const Json& tools) {
    std::string raw = dump_json(messages), raw_tools = tools.is_null() ? "" : dump_json(tools);
    raw.reserve(raw.size() + kBodyPadding);
    raw_tools.reserve(raw_tools.size() + kBodyPadding);
    TRY(const PromptTurn turn,
        counter.read({.tools = raw_tools, .messages = cut_messages(raw)}, {1, 2}, kGoldenClock));
    TRY(const CountedPrompt counted, counter.count_whole(turn, nullptr));
    return counted.tokens;
}

TEST(PromptCounts, are_those_of_transformers) {
    std::map<std::pair<std::string, std::string>, std::vector<Json>> goldens;
    for (Json& golden : lines_of(data() / "prompt-counts" / "golden.jsonl"))
        goldens[{golden["vocabulary"], golden["template"]}].push_back(golden);
    size_t compared = 0;
    for (const auto& [names, cases] : goldens) {
        const Path path = vocabulary(names.first);
        if (path.empty()) {
            ASSERT_FALSE(must_be_there()) << names.first << " is absent: tools/fetch_tokenizers";
            continue;
        }
        const PromptCounter counter = counter_of(path, names.second);
        for (const Json& golden : cases) {
            SCOPED_TRACE(dump_json(golden));
            const std::string name = golden["conversation"];
            const Json read =
                read_json(data() / "chat-templates" / "conversations" / (name + ".json"));
            const auto tokens = count(counter, read["messages"], read.value("tools", Json()));
            ASSERT_TRUE(tokens.ok()) << tokens.error().message;
            EXPECT_EQ(*tokens, golden["tokens"].get<int64_t>());
            ++compared;
        }
    }
    EXPECT_GE(compared, 162u);
}

TEST(PromptCounts, of_smollm2_are_those_of_transformers) {
    const auto model = resolve_model(*Cache::from_environment(), "smollm2");
    if (!model.ok()) {
        ASSERT_FALSE(must_be_there()) << model.error().message;
        GTEST_SKIP() << model.error().message;
    }
    const PromptCounter counter(open_prompt_model({.path = *model}).value());
    size_t compared = 0;
    for (const Json& golden : lines_of(data() / "smollm2" / "golden.jsonl")) {
        if (!golden.contains("messages")) continue;
        SCOPED_TRACE(golden["prompt"]);
        EXPECT_EQ(count(counter, golden["messages"], nullptr).value(),
                  static_cast<int64_t>(golden["prompt_ids"].size()));
        ++compared;
    }
    EXPECT_GT(compared, 5u);
}

}  // namespace
}  // namespace brigada
