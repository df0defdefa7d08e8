// Encoding at the size of an agent's prompt: 400 KB of code-like text, cold: nothing is kept from
// one call to the next. Vocabularies as in tokenizer_golden_test.cc; without them nothing is
// measured.
#include <benchmark/benchmark.h>

#include <cstdlib>

#include "base/file.h"
#include "base/rng.h"
#include "tokens/tokenizer.h"

namespace brigada {
namespace {

constexpr size_t kTextBytes = 400'000;
constexpr size_t kMostFileBytes = 256 << 20;

/// This project's own headers and sources, as often as needed: BRIGADA_BENCH_TEXT names another
/// file.
std::string code_text() {
    const char* own = std::getenv("BRIGADA_BENCH_TEXT");
    if (own) return read_file(own, kMostFileBytes).value();
    const Path folder = Path(BRIGADA_TESTDATA).parent_path() / "src";
    std::vector<Path> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
        if (entry.path().extension() == ".cc" || entry.path().extension() == ".h")
            files.push_back(entry.path());
    std::ranges::sort(files);
    std::string text;
    for (const Path& file : files)
        text += read_file(file, kMostFileBytes).value();
    while (text.size() < kTextBytes)
        text += text;
    return text.substr(0, kTextBytes);
}

Result<Tokenizer> load(const std::string& name) {
    const char* own = std::getenv("BRIGADA_TOKENIZERS");
    const char* home = std::getenv("HOME");
    const Path folder = own ? Path(own) : Path(home ? home : ".") / ".cache/brigada/tokenizers";
    TRY(const std::string json, read_file(folder / (name + ".json"), kMostFileBytes));
    return Tokenizer::from_json(json, "");
}

void encode(benchmark::State& state, const std::string& name) {
    const auto tokenizer = load(name);
    if (!tokenizer.ok()) return state.SkipWithError(tokenizer.error().message.c_str());
    const std::string text = code_text();
    size_t tokens = 0;
    for (auto _ : state) {
        const Tokens ids = tokenizer->encode(text, Specials::recognise);
        benchmark::DoNotOptimize(ids.data());
        tokens = ids.size();
    }
    state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * text.size()));
    state.counters["tokens"] = static_cast<double>(tokens);
}

void open(benchmark::State& state, const std::string& name) {
    for (auto _ : state) {
        const auto tokenizer = load(name);
        if (!tokenizer.ok()) return state.SkipWithError(tokenizer.error().message.c_str());
    }
}

BENCHMARK_CAPTURE(encode, qwen3, "qwen3")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(encode, o200k, "gpt-oss")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(encode, llama3, "llama3.1")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(encode, deepseek3, "deepseek_v3")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(encode, gemma3, "gemma3")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(encode, llama2, "llama2")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(open, qwen3, "qwen3")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(open, gemma3, "gemma3")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace brigada
