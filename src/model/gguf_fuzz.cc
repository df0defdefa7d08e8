// Any bytes as a GGUF file: parsed, every tensor's bytes touched, every value asked for by every
// kind, and what is built on top of it: config, vocabulary, templates, defaults.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "model/config.h"
#include "model/dequantise.h"
#include "model/gguf.h"
#include "model/gguf_vocabulary.h"

namespace {

using namespace brigada;

/// Reads the first and the last byte of each row, and numbers of the first one.
float touch(const Tensor& tensor) {
    float sum = 0;
    for (uint64_t i : {uint64_t{0}, tensor.rows() - 1}) {
        const auto row = tensor.row(i);
        sum += static_cast<float>(row.front()) + static_cast<float>(row.back());
    }
    if (!is_read(tensor.dtype)) return sum;
    std::vector<float> numbers(tensor.cols());
    dequantise_row(tensor.dtype, tensor.row(0).data(), tensor.cols(), numbers.data());
    return sum + numbers.back();
}

/// Every entry is of some kind that can be asked for.
bool has_some_kind(const GgufFile& file, std::string_view key) {
    const bool scalar = file.unsigned_integer(key).ok() || file.number(key).ok() ||
                        file.boolean(key).ok() || file.string(key).ok();
    const bool array = file.strings(key).ok() || file.numbers(key).ok() ||
                       file.integers(key).ok() || file.booleans(key).ok();
    return scalar != array;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const auto file = GgufFile::parse({reinterpret_cast<const std::byte*>(data), size}, "fuzz");
    if (!file.ok()) return 0;
    volatile float sink = 0;
    for (const Tensor& tensor : file->tensors()) {
        if (file->tensor(tensor.name) != &tensor) std::abort();
        sink = sink + touch(tensor);
    }
    for (const GgufEntry& entry : file->entries()) {
        if (file->entry(entry.key) != &entry) std::abort();
        if (!has_some_kind(*file, entry.key)) std::abort();
    }
    const auto config = config_from_gguf(*file);
    if (config.ok() && config->layer_kinds.size() != config->layers) std::abort();
    const auto vocabulary = vocabulary_from_gguf(*file);
    const auto templates = templates_from_gguf(*file);
    const auto defaults = generation_defaults_from_gguf(*file);
    return 0;
}
