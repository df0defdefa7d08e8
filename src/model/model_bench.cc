// What opening a model costs: a header and a vocabulary, whatever the weights weigh. The files are
// synthetic headers in the shapes of real models; where the weights would be there is a hole.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "model/gguf.h"
#include "model/gguf_vocabulary.h"
#include "model/model.h"
#include "model/synthetic.h"

namespace brigada {
namespace {

/// A sparse GGUF file, gone when destroyed.
class SparseModel {
  public:
    explicit SparseModel(const ModelConfig& config)
        : path_(std::filesystem::temp_directory_path() /
                ("brigada_bench_" + std::to_string(::getpid()) + ".gguf")) {
        const GgufWriter writer = synthetic_gguf(config, {.dtype = DType::q8_0});
        std::ofstream out(path_, std::ios::binary);
        // The header comes first and whole; the sink then refuses the weights.
        const auto header_only = [&out](std::span<const std::byte> bytes) -> Result<void> {
            if (out.tellp() > 0) return Error{Code::cancelled, "header written"};
            out.write(reinterpret_cast<const char*>(bytes.data()),
                      static_cast<std::streamsize>(bytes.size()));
            return {};
        };
        CHECK(!writer.write(header_only).ok());
        out.close();
        std::filesystem::resize_file(path_, writer.file_bytes());
    }
    ~SparseModel() { std::filesystem::remove(path_); }

    const Path& path() const { return path_; }

  private:
    Path path_;
};

ModelConfig llama_3_1_70b_shape() {
    ModelConfig c = llama_3_2_1b_shape();
    c.name = "Llama-3.1-70B, random weights";
    c.d_model = 8192;
    c.layers = 80;
    c.heads = 64;
    c.head_dim = 128;
    c.d_ff = 28'672;
    c.tied_embeddings = false;
    c.rope.dims = 128;
    c.layer_kinds.assign(c.layers, FullAttention{});
    return c;
}

void open_header(benchmark::State& state, const ModelConfig& config) {
    const SparseModel file(config);
    for (auto _ : state) {
        const auto opened = GgufFile::open(file.path());
        CHECK(opened.ok() && config_from_gguf(*opened).ok());
    }
    state.counters["file_GB"] = static_cast<double>(std::filesystem::file_size(file.path())) * 1e-9;
}

/// The vocabulary's strings, copied out of the file; no tokenizer built yet.
void read_vocabulary(benchmark::State& state, const ModelConfig& config) {
    const SparseModel file(config);
    const auto opened = GgufFile::open(file.path());
    CHECK(opened.ok());
    for (auto _ : state)
        CHECK(vocabulary_from_gguf(*opened).ok());
    state.counters["pieces"] = config.vocab;
}

void open_whole_model(benchmark::State& state, const ModelConfig& config) {
    const SparseModel file(config);
    for (auto _ : state)
        CHECK(open_model(file.path()).ok());
    state.counters["file_GB"] = static_cast<double>(std::filesystem::file_size(file.path())) * 1e-9;
}

BENCHMARK_CAPTURE(open_header, qwen3_0_6b, qwen3_0_6b_shape())->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(open_header, llama_70b, llama_3_1_70b_shape())->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_vocabulary, qwen3_0_6b, qwen3_0_6b_shape())->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(open_whole_model, qwen3_0_6b, qwen3_0_6b_shape())->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(open_whole_model, llama_70b, llama_3_1_70b_shape())
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace brigada
