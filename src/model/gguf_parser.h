// The parsing of a GGUF file: from bytes to metadata entries and tensors, or to the first thing in
// them that cannot be true.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/gguf.h"

namespace brigada {

struct GgufContents {
    uint32_t version = 0;
    std::vector<GgufEntry> entries;         // in the order of the file, views into its bytes
    std::vector<Tensor> tensors;            // in the order of the file
    std::vector<uint32_t> entries_by_key;   // indices, sorted; all keys differ
    std::vector<uint32_t> tensors_by_name;  // indices, sorted; all names differ
};

/// Memory stays within a small multiple of what the header takes in the file: each count is held
/// against the bytes that are left before anything is reserved.
Result<GgufContents> parse_gguf(std::span<const std::byte> bytes, std::string_view name);

/// The elements of an array of strings inside a file that was parsed.
std::vector<std::string_view> gguf_strings(const GgufArray& array);

/// One numeric or boolean value of `type` at `bytes`, widened. CHECKs that `type` is one.
GgufValue gguf_scalar(GgufType type, const std::byte* bytes);

/// Bytes of a numeric or boolean value; 0 for strings and arrays.
size_t gguf_scalar_bytes(GgufType type);

}  // namespace brigada
