// What constraining costs: compiling a catalogue of 60 tools, and the masks along an answer of real
// vocabularies. Vocabularies as in tokenizer_bench.cc; without them nothing is measured.
#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>
#include <cstdlib>

#include "base/concat.h"
#include "base/file.h"
#include "base/json.h"
#include "grammar/grammar_masks.h"
#include "grammar/grammar_spec.h"
#include "tokens/tokenizer.h"

namespace brigada {
namespace {

Json tool_schema(int number) {
    Json out = {{"type", "object"}, {"required", {"path"}}, {"additionalProperties", false}};
    Json& properties = out["properties"];
    properties["path"] = {{"type", "string"}, {"description", "where"}};
    properties["mode"] = {{"enum", {"read", "write", "append"}}};
    properties["limit"] = {{"type", "integer"}, {"minimum", 1}, {"maximum", 2000}};
    properties["since"] = {{"type", "string"}, {"format", "date-time"}};
    properties["tags"] = {{"type", "array"}, {"items", {{"type", "string"}}}, {"maxItems", 10}};
    properties["options"] = {{"type", "object"},
                             {"properties",
                              {{"depth", {{"type", "integer"}}},
                               {"name_" + std::to_string(number), {{"type", "string"}}},
                               {"ratio", {{"type", "number"}}},
                               {"force", {{"type", "boolean"}}}}}};
    return out;
}

/// A call of one of 60 tools.
GrammarSpec catalogue() {
    Json branches = Json::array();
    for (int i = 0; i < 60; ++i) {
        const std::string name = "tool_" + std::to_string(i);
        branches.push_back(
            {{"type", "object"},
             {"properties", {{"name", {{"const", name}}}, {"arguments", tool_schema(i)}}},
             {"required", {"name", "arguments"}},
             {"additionalProperties", false}});
    }
    return {.kind = GrammarSpec::Kind::json_schema,
            .text = dump_json({{"anyOf", branches}}),
            .field = "schema"};
}

constexpr std::string_view kAnswer =
    R"({"name": "tool_37", "arguments": {"path": "/usr/share/doc/the quick brown fox/naïve", )"
    R"("mode": "append", "limit": 25, "since": "2024-02-29T10:15:00Z", "tags": ["one", "two", )"
    R"("drei"], "options": {"depth": 3, "name_37": "a \"quoted\" name\nand more", "ratio": 0.75, )"
    R"("force": true}}})";

void compile(benchmark::State& state) {
    const GrammarSpec spec = catalogue();
    for (auto _ : state) {
        const auto grammar = compile_grammar(spec);
        if (!grammar.ok()) return state.SkipWithError(grammar.error().message.c_str());
        state.counters["states"] = (*grammar)->states();
    }
    state.counters["schema_KB"] = static_cast<double>(spec.text.size()) * 1e-3;
}
BENCHMARK(compile)->Unit(benchmark::kMillisecond);

struct Vocabulary {
    Tokenizer tokenizer;
    TokenTrie trie;
    explicit Vocabulary(Tokenizer from) : tokenizer(std::move(from)), trie(tokenizer) {}
};

std::unique_ptr<Vocabulary> load(const std::string& name) {
    const char* own = std::getenv("BRIGADA_TOKENIZERS");
    const char* home = std::getenv("HOME");
    const Path folder = own ? Path(own) : Path(home ? home : ".") / ".cache/brigada/tokenizers";
    const auto json = read_file(folder / (name + ".json"), 256 << 20);
    if (!json.ok()) return nullptr;
    auto tokenizer = Tokenizer::from_json(*json, "");
    if (!tokenizer.ok()) return nullptr;
    return std::make_unique<Vocabulary>(*std::move(tokenizer));
}

/// Of this thread, microseconds: others that run meanwhile do not count.
double cpu_us() {
    timespec used{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return 1e6 * static_cast<double>(used.tv_sec) + 1e-3 * static_cast<double>(used.tv_nsec);
}

/// The masks before each token of the answer. `warm`: the second answer with the grammar, else each
/// answer finds nothing worked out.
void masks(benchmark::State& state, const std::string& name, bool warm, const GrammarSpec& spec,
           std::string_view text) {
    const auto vocabulary = load(name);
    if (!vocabulary) return state.SkipWithError("no vocabulary: tools/fetch_tokenizers");
    const auto grammar = compile_grammar(spec).value();
    const Tokens answer = vocabulary->tokenizer.encode(text, Specials::none);
    std::vector<double> micros;
    auto kept = std::make_unique<GrammarMasks>(grammar, vocabulary->trie);
    const auto run = [&](bool measured) {
        Position at = kept->start(false);
        for (TokenId token : answer) {
            const double before = cpu_us();
            benchmark::DoNotOptimize(kept->allowed(at).words().data());
            at = kept->step(at, vocabulary->tokenizer.bytes(token));
            if (measured) micros.push_back(cpu_us() - before);
        }
        CHECK(kept->may_end(at));
    };
    if (warm) run(false);
    for (auto _ : state) {
        if (!warm) kept = std::make_unique<GrammarMasks>(grammar, vocabulary->trie);
        run(true);
    }
    std::sort(micros.begin(), micros.end());
    const auto at = [&](double share) {
        return micros[static_cast<size_t>(share * static_cast<double>(micros.size() - 1))];
    };
    state.counters["median_us"] = at(0.5);
    state.counters["p90_us"] = at(0.9);
    state.counters["max_us"] = at(1.0);
    state.counters["tokens"] = static_cast<double>(answer.size());
    state.counters["MB"] = static_cast<double>(kept->size_bytes()) * 1e-6;
}
void call_masks(benchmark::State& state, const std::string& name, bool warm) {
    masks(state, name, warm, catalogue(), kAnswer);
}
BENCHMARK_CAPTURE(call_masks, qwen3_cold, "qwen3", false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(call_masks, qwen3_warm, "qwen3", true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(call_masks, o200k_cold, "gpt-oss", false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(call_masks, o200k_warm, "gpt-oss", true)->Unit(benchmark::kMillisecond);

/// An answer that is free until it calls one of 60 strict tools by itself.
GrammarSpec strict_tools() {
    Json tools = Json::array();
    for (int i = 0; i < 60; ++i)
        tools.push_back({{"name", "tool_" + std::to_string(i)},
                         {"parameters", tool_schema(i)},
                         {"strict", true}});
    return {.kind = GrammarSpec::Kind::tool_calls,
            .text = dump_json({{"format", "hermes"},
                               {"forced", false},
                               {"many", true},
                               {"reasoning", "think"},
                               {"begins", "start"},
                               {"tools", tools}}),
            .field = "tools"};
}

/// Of what is said before a call, or of a call.
void strict_masks(benchmark::State& state, bool warm, bool calls) {
    std::string text =
        "<think>\nThe user wants a file.\n</think>\n\nI will look at the file, and then say what "
        "is in it: there may be <tags>, \"quotes\" and lists.\n";
    for (int i = 0; i < 3 && !calls; ++i)
        text += text.substr(text.find("I will"));
    if (calls) text = concat("<tool_call>\n", kAnswer, "\n</tool_call>");
    masks(state, "qwen3", warm, strict_tools(), text);
}
BENCHMARK_CAPTURE(strict_masks, text_cold, false, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(strict_masks, text_warm, true, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(strict_masks, call_cold, false, true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(strict_masks, call_warm, true, true)->Unit(benchmark::kMillisecond);

void trie(benchmark::State& state, const std::string& name) {
    const auto vocabulary = load(name);
    if (!vocabulary) return state.SkipWithError("no vocabulary: tools/fetch_tokenizers");
    for (auto _ : state)
        benchmark::DoNotOptimize(TokenTrie(vocabulary->tokenizer).vocabulary());
}
BENCHMARK_CAPTURE(trie, qwen3, "qwen3")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace brigada
