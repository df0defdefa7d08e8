// Any bytes as a safetensors file: parsed, every tensor's bytes touched, every name translated.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "model/safetensors.h"
#include "model/weight_names.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace brigada;
    const auto file =
        SafetensorsFile::parse({reinterpret_cast<const std::byte*>(data), size}, "fuzz");
    if (!file.ok()) return 0;
    volatile unsigned sink = 0;
    for (const Tensor& tensor : file->tensors()) {
        if (file->tensor(tensor.name) != &tensor) std::abort();
        if (tensor.elements() * block_bytes(tensor.dtype) != tensor.data.size()) std::abort();
        for (const std::byte b : tensor.data)
            sink = sink + static_cast<unsigned>(b);
        sink = sink + static_cast<unsigned>(name_from_hugging_face(tensor.name).has_value());
    }
    return 0;
}
