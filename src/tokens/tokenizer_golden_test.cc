// Real vocabularies against ids that other programs gave: see testdata/tokenizer-goldens/ORIGIN.
// The vocabularies are large and not ours; tools/fetch_tokenizers puts them into a cache.
#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>
#include <unordered_map>

#include "base/file.h"
#include "base/json.h"
#include "tokens/gguf_strings_for_tests.h"
#include "tokens/stream_decoder.h"
#include "tokens/tokenizer.h"
#include "tokens/tokenizer_json.h"

namespace brigada {
namespace {

constexpr size_t kMostFileBytes = 256 << 20;

std::string env(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
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

/// The folder of things that a script or a command obtained, below the cache.
Path cache_folder(const std::string& name) {
    if (const std::string own = env("BRIGADA_CACHE"); !own.empty()) return Path(own) / name;
    const std::string xdg = env("XDG_CACHE_HOME");
    return (xdg.empty() ? Path(env("HOME")) / ".cache" : Path(xdg)) / "brigada" / name;
}

Path tokenizer_folder() {
    const std::string own = env("BRIGADA_TOKENIZERS");
    return own.empty() ? cache_folder("tokenizers") : Path(own);
}

/// Compares encoding in all three ways, decoding and streaming; returns the number of strings.
size_t compare(const Tokenizer& tokenizer, const std::string& name) {
    size_t compared = 0;
    for (const Json& golden : golden_lines(name)) {
        const auto text = golden.at("text").get<std::string>();
        SCOPED_TRACE(testing::Message()
                     << "string " << golden.at("i") << ": " << text.substr(0, 200));
        const auto ids = [&](const char* key) {
            return tokens_of(golden.contains(key) ? golden.at(key) : golden.at("ids"));
        };
        EXPECT_EQ(tokenizer.encode(text, Specials::recognise), ids("ids"));
        EXPECT_EQ(tokenizer.encode(text, Specials::none), ids("ids_no_special"));
        EXPECT_EQ(tokenizer.encode(text, Specials::no_added), ids("ids_no_added"));
        EXPECT_EQ(tokenizer.count(text, Specials::recognise), ids("ids").size());
        const std::string decoded = golden.value("decoded", text);
        EXPECT_EQ(tokenizer.decode(ids("ids"), false), decoded);
        EXPECT_EQ(stream(tokenizer, ids("ids")), decoded);
        ++compared;
    }
    return compared;
}

/// Scores that fall with the place of a piece's first merge: what the merges were once made from.
void merges_to_scores(VocabularySpec& spec) {
    std::unordered_map<std::string, size_t> first;
    for (const Merge& merge : spec.merges)
        first.emplace(merge.left + merge.right, first.size());
    for (const std::string& piece : spec.pieces)
        spec.scores.push_back(first.contains(piece) ? -static_cast<float>(first.at(piece)) : -1e9f);
    spec.merges.clear();
}

/// The reason to skip or, where BRIGADA_REQUIRE_ASSETS=1, to fail.
#define NEED_FILE(path, command)                                                 \
    if (!std::filesystem::exists(path)) {                                        \
        ASSERT_NE(env("BRIGADA_REQUIRE_ASSETS"), "1") << (path) << " is absent"; \
        GTEST_SKIP() << (path) << " is absent: " << (command) << " obtains it";  \
    }                                                                            \
    static_assert(true)

struct RealVocabulary {
    std::string name;
    std::string pre;  // what a GGUF of this model has for tokenizer.ggml.pre; "": SentencePiece
};

class Goldens : public testing::TestWithParam<RealVocabulary> {
  protected:
    Path path() const { return tokenizer_folder() / (GetParam().name + ".json"); }

    VocabularySpec spec() const {
        const auto config =
            read_file(tokenizer_folder() / (GetParam().name + ".config.json"), kMostFileBytes);
        return read_tokenizer_json(read_file(path(), kMostFileBytes).value(),
                                   config.ok() ? config.value() : "")
            .value();
    }
};

TEST_P(Goldens, are_met_by_the_real_vocabulary) {
    NEED_FILE(path(), "tools/fetch_tokenizers");
    const auto tokenizer = Tokenizer::from_spec(spec());
    ASSERT_TRUE(tokenizer.ok()) << tokenizer.error().message;
    EXPECT_EQ(compare(*tokenizer, GetParam().name), 373u);
}

/// A GGUF says neither steps nor ignore_merges: `pre`, or flags, must stand for them. Of
/// SentencePiece it has scores instead of merges; they fall with the id.
TEST_P(Goldens, are_met_by_what_a_gguf_says_of_it) {
    NEED_FILE(path(), "tools/fetch_tokenizers");
    VocabularySpec spec = this->spec();
    spec.has_steps = spec.ignore_merges = false;
    spec.normalizer.clear();
    spec.splits.clear();
    spec.pre = GetParam().pre;
    spec.add_space_prefix = spec.strip_decoded_space;
    if (spec.pre.empty()) merges_to_scores(spec);
    const auto tokenizer = Tokenizer::from_spec(std::move(spec));
    ASSERT_TRUE(tokenizer.ok()) << tokenizer.error().message;
    EXPECT_EQ(compare(*tokenizer, GetParam().name), 373u);
}

INSTANTIATE_TEST_SUITE_P(
    Tokenizer, Goldens,
    testing::Values(RealVocabulary{"qwen3", "qwen2"}, RealVocabulary{"llama3.1", "llama-bpe"},
                    RealVocabulary{"deepseek_v3", "deepseek-v3"},
                    RealVocabulary{"gpt-oss", "gpt-4o"}, RealVocabulary{"gemma3", ""},
                    RealVocabulary{"llama2", ""}, RealVocabulary{"mistral-v1", ""}),
    [](const auto& test) {
        std::string name = test.param.name;
        std::erase_if(name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); });
        return name;
    });

TEST(SmolLm2, meets_its_goldens_from_the_gguf) {
    const Path path = cache_folder("models") / "smollm2" / "SmolLM2-135M-Instruct.Q4_1.gguf";
    NEED_FILE(path, "brigada model pull smollm2");
    const Mapping file = Mapping::open(path).value();
    const auto tokenizer = Tokenizer::from_spec(GgufStringsForTests::read(
        {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()}));
    ASSERT_TRUE(tokenizer.ok()) << tokenizer.error().message;
    EXPECT_EQ(tokenizer->size(), 49152u);
    EXPECT_GE(compare(*tokenizer, "smollm2"), 100u);
}

}  // namespace
}  // namespace brigada
