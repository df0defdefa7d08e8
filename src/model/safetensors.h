// SafetensorsFile: one .safetensors file, and the set of them that is a Hugging Face model. Tensors
// point into the mapped bytes. Source: the format description of the safetensors project.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "model/tensor.h"

namespace brigada {

/// The longest header that is read, as in the format's own implementation.
inline constexpr uint64_t kMaxSafetensorsHeader = 100'000'000;

/// A tensor in a file whose type is not read here: U8 masks, FP8 weights.
struct UnreadTensor {
    std::string name;
    std::string dtype;  // as the file spells it
    uint64_t bytes = 0;
};

class SafetensorsFile {
  public:
    /// Maps and parses. Error::corrupt names the path, the tensor and the value that contradicts
    /// the file.
    static Result<SafetensorsFile> open(const Path& path);

    /// The same over bytes that the caller keeps alive; `name` takes the path's place in messages.
    static Result<SafetensorsFile> parse(std::span<const std::byte> bytes, std::string name);

    const std::string& name() const { return name_; }

    /// F32, F16 and BF16, sorted by name.
    std::span<const Tensor> tensors() const { return tensors_; }
    /// All others, sorted by name.
    std::span<const UnreadTensor> unread() const { return unread_; }

    /// Null when absent.
    const Tensor* tensor(std::string_view name) const;

  private:
    SafetensorsFile() = default;

    std::string name_;
    std::optional<Mapping> mapping_;
    std::vector<Tensor> tensors_;
    std::vector<UnreadTensor> unread_;
};

/// The files of a model directory: those that model.safetensors.index.json names, each tensor in
/// the file that it says, or else model.safetensors. Error::not_found when there is neither.
Result<std::vector<SafetensorsFile>> open_safetensors(const Path& directory);

}  // namespace brigada
