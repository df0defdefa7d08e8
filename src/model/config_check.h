// What every source of a ModelConfig goes through at the end, and the words with which an
// architecture is refused.
#pragma once

#include <string_view>

#include "base/result.h"
#include "model/config.h"

namespace brigada {

/// Error::corrupt names the first measure that is absent, absurd or at odds with another. After
/// this every product of two measures fits 64 bits with room to spare, and the RoPE frequencies are
/// finite.
Result<void> check_config(const ModelConfig& config, std::string_view what);

/// "…: architecture "mamba" does not run here; llama, mistral, qwen2 and qwen3 do".
Error unsupported_architecture(std::string_view what, std::string_view name);

/// The value as a measure; Error::corrupt when it is over 32 bits.
Result<uint32_t> as_u32(uint64_t value, std::string_view what, std::string_view key);

}  // namespace brigada
