// GgufWriter: writes a GGUF version 3 file. For synthetic models at real shapes, tests and tools;
// data may be held in memory or made tensor by tensor while the file is written, so that the file
// may be larger than memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "model/dtype.h"
#include "model/gguf.h"

namespace brigada {

class GgufWriter {
  public:
    /// Receives the next bytes of the file, in order.
    using Sink = std::function<Result<void>(std::span<const std::byte>)>;

    /// Fills `out` ([cols]) with the numbers of row `row`; rows are asked for in order.
    using RowMaker = std::function<void(uint64_t row, std::span<float> out)>;

    /// `alignment` of tensors in the file, a power of two.
    explicit GgufWriter(uint32_t alignment = 32);

    // Metadata, in the order in which it will stand. Keys are not checked for repetition: a
    // reader's tests need such files too.
    void add_u32(std::string_view key, uint32_t value);
    void add_f32(std::string_view key, float value);
    void add_bool(std::string_view key, bool value);
    void add_string(std::string_view key, std::string_view value);
    void add_strings(std::string_view key, std::span<const std::string> values);
    void add_i32s(std::string_view key, std::span<const int32_t> values);
    void add_f32s(std::string_view key, std::span<const float> values);

    /// A tensor whose bytes are given; `shape` row-major.
    void add_tensor(std::string name, DType dtype, std::vector<uint64_t> shape,
                    std::vector<std::byte> data);

    /// A tensor whose rows are made, and quantised (quantise.h), when the file is written.
    void add_tensor(std::string name, DType dtype, std::vector<uint64_t> shape, RowMaker rows);

    Result<void> write(const Sink& sink) const;

    /// Creates or overwrites. Error::io names the path; what was written until then stays.
    Result<void> write(const Path& path) const;

    std::vector<std::byte> to_bytes() const;

    /// Length of the file that write makes.
    uint64_t file_bytes() const;

  private:
    struct PendingTensor {
        std::string name;
        DType dtype;
        std::vector<uint64_t> shape;
        std::vector<std::byte> data;
        RowMaker rows;  // empty when `data` is given
        uint64_t bytes;
    };

    void add_key(std::string_view key, GgufType type);
    void add_array(std::string_view key, GgufType element, uint64_t count);
    void add_pending(PendingTensor tensor);
    std::string header() const;

    uint32_t alignment_;
    uint64_t entries_ = 0;
    std::string metadata_;  // as it will stand in the file
    std::vector<PendingTensor> tensors_;
};

}  // namespace brigada
