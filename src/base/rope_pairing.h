// RopePairing: which two numbers of a head a rotary position turns together. Stated by a model's
// file and carried out by the kernels, which know nothing of each other.
#pragma once

#include <cstdint>

namespace brigada {

enum class RopePairing : uint8_t {
    adjacent,  // (2i, 2i + 1): the original LLaMA weights and GGUF's llama architecture
    halves,    // (i, i + dims / 2): Hugging Face and GPT-NeoX
};

}  // namespace brigada
