// Tensor: a name, a shape and the bytes of a weight, borrowed from the file that is mapped. The
// bytes may start at any address (safetensors aligns nothing), so copy a number out before reading
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/dtype.h"

namespace brigada {

struct Tensor {
    std::string name;
    DType dtype = DType::f32;
    std::vector<uint64_t> shape;      // row-major, slowest first: [rows][cols]; a vector is [cols]
    std::span<const std::byte> data;  // rows() * row_bytes(dtype, cols()) bytes, owned by the file

    /// Product of all dimensions but the last; 1 for a vector.
    uint64_t rows() const {
        uint64_t n = 1;
        for (size_t i = 0; i + 1 < shape.size(); ++i)
            n *= shape[i];
        return n;
    }
    /// The last dimension: numbers that lie next to each other. 1 for a scalar.
    uint64_t cols() const { return shape.empty() ? 1 : shape.back(); }
    uint64_t elements() const { return rows() * cols(); }

    /// Row `i` of the matrix, row_bytes(dtype, cols()) long.
    std::span<const std::byte> row(uint64_t i) const {
        const size_t bytes = row_bytes(dtype, cols());
        return data.subspan(i * bytes, bytes);
    }
};

/// "[512, 64]", for messages.
std::string shape_text(std::span<const uint64_t> shape);

}  // namespace brigada
