// Real vocabularies against ids that other programs gave: see testdata/tokenizer-goldens/ORIGIN.
// The vocabularies are large and not ours; tools/fetch_tokenizers puts them into a cache.
#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

#include "base/file.h"
#include "base/json.h"
#include "tokens/stream_decoder.h"
#include "tokens/tokenizer.h"

namespace brigada {
namespace {

constexpr size_t kMostFileBytes = 256 << 20;

std::string env(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

Path tokenizer_folder() {
    if (const std::string own = env("BRIGADA_TOKENIZERS"); !own.empty()) return own;
    if (const std::string own = env("BRIGADA_CACHE"); !own.empty()) return Path(own) / "tokenizers";
    const std::string xdg = env("XDG_CACHE_HOME");
    return (xdg.empty() ? Path(env("HOME")) / ".cache" : Path(xdg)) / "brigada" / "tokenizers";
}

std::vector<Json> golden_lines(const std::string& name) {
    const Path path = Path(BRIGADA_TESTDATA) / "tokenizer-goldens" / (name + ".jsonl");
    std::istringstream lines(read_file(path, kMostFileBytes).value());
    std::vector<Json> out;
    for (std::string line; std::getline(lines, line);)
        out.push_back(parse_json(line, name).value());
    return out;
}

Tokens tokens_of(const Json& ids) {
    Tokens out;
    for (const Json& id : ids)
        out.push_back(TokenId{id.get<uint32_t>()});
    return out;
}

std::string stream(const Tokenizer& tokenizer, const Tokens& ids) {
    StreamDecoder decoder(tokenizer, false);
    std::string text;
    for (const TokenId id : ids)
        text += decoder.append(id);
    return text + decoder.flush();
}

class Goldens : public testing::TestWithParam<std::string> {};

TEST_P(Goldens, are_met_by_the_real_vocabulary) {
    const Path path = tokenizer_folder() / (GetParam() + ".json");
    if (!std::filesystem::exists(path)) {
        ASSERT_NE(env("BRIGADA_REQUIRE_ASSETS"), "1")
            << path << " is absent: tools/fetch_tokenizers";
        GTEST_SKIP() << path << " is absent: tools/fetch_tokenizers obtains it";
    }
    const Path config_path = tokenizer_folder() / (GetParam() + ".config.json");
    const auto config = read_file(config_path, kMostFileBytes);
    const auto tokenizer = Tokenizer::from_json(read_file(path, kMostFileBytes).value(),
                                                config.ok() ? config.value() : "");
    ASSERT_TRUE(tokenizer.ok()) << tokenizer.error().message;

    size_t compared = 0;
    for (const Json& golden : golden_lines(GetParam())) {
        const auto text = golden.at("text").get<std::string>();
        SCOPED_TRACE(testing::Message()
                     << "string " << golden.at("i") << ": " << text.substr(0, 200));
        const auto ids = [&](const char* key) {
            return tokens_of(golden.contains(key) ? golden.at(key) : golden.at("ids"));
        };
        EXPECT_EQ(tokenizer->encode(text, Specials::recognise), ids("ids"));
        EXPECT_EQ(tokenizer->encode(text, Specials::none), ids("ids_no_special"));
        EXPECT_EQ(tokenizer->encode(text, Specials::no_added), ids("ids_no_added"));
        const std::string decoded = golden.value("decoded", text);
        EXPECT_EQ(tokenizer->decode(ids("ids"), false), decoded);
        EXPECT_EQ(stream(*tokenizer, ids("ids")), decoded);
        ++compared;
    }
    EXPECT_EQ(compared, 373u);
}

INSTANTIATE_TEST_SUITE_P(Tokenizer, Goldens,
                         testing::Values("qwen3", "llama3.1", "deepseek_v3", "gpt-oss", "gemma3",
                                         "llama2", "mistral-v1"),
                         [](const auto& test) {
                             std::string name = test.param;
                             std::erase_if(name, [](char c) { return !std::isalnum(c); });
                             return name;
                         });

}  // namespace
}  // namespace brigada
