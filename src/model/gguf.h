// GgufFile: a GGUF file (versions 2 and 3, little endian), parsed once and checked. Metadata and
// tensors point into the bytes of the file; only names are copied, so opening 30 GB costs
// milliseconds. Source: the GGUF specification of the ggml project.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "model/tensor.h"

namespace brigada {

/// Types of metadata values; the numbers are those of the file.
enum class GgufType : uint32_t {
    u8 = 0,
    i8 = 1,
    u16 = 2,
    i16 = 3,
    u32 = 4,
    i32 = 5,
    f32 = 6,
    boolean = 7,
    string = 8,
    array = 9,
    u64 = 10,
    i64 = 11,
    f64 = 12,
};

/// "u32", "string", for messages.
std::string_view to_string(GgufType type);

/// An array as it lies in the file: `count` elements, never arrays themselves.
struct GgufArray {
    GgufType element = GgufType::u8;
    uint64_t count = 0;
    std::span<const std::byte> bytes;
};

/// Integers and floats of every width are widened.
using GgufValue = std::variant<uint64_t, int64_t, double, bool, std::string_view, GgufArray>;

struct GgufEntry {
    std::string_view key;
    GgufType type = GgufType::u8;
    GgufValue value;
};

class GgufFile {
  public:
    /// Maps and parses; of a model split over several files ("x-00002-of-00003.gguf") all of them,
    /// whichever is named: metadata are those of the first. Error::corrupt names the path, the
    /// thing and the value that contradicts the file, Error::unsupported a version that is not read
    /// here.
    static Result<GgufFile> open(const Path& path);

    /// The same over bytes that the caller keeps alive; `name` takes the path's place in messages.
    static Result<GgufFile> parse(std::span<const std::byte> bytes, std::string name);

    const std::string& name() const { return name_; }
    uint32_t version() const { return version_; }

    /// In the order of the file.
    std::span<const GgufEntry> entries() const { return entries_; }
    /// In the order of the file; shapes row-major, that is, the file's dimensions backwards.
    std::span<const Tensor> tensors() const { return tensors_; }

    /// Null when absent.
    const GgufEntry* entry(std::string_view key) const;
    const Tensor* tensor(std::string_view name) const;

    /// Values by kind. Absent: nullopt. Error::corrupt when the value is of another kind; integers
    /// of any width and sign are one kind, as long as the value fits, and a number may be an
    /// integer.
    Result<std::optional<uint64_t>> unsigned_integer(std::string_view key) const;
    Result<std::optional<double>> number(std::string_view key) const;
    Result<std::optional<bool>> boolean(std::string_view key) const;
    Result<std::optional<std::string_view>> string(std::string_view key) const;
    Result<std::optional<std::vector<std::string_view>>> strings(std::string_view key) const;
    Result<std::optional<std::vector<double>>> numbers(std::string_view key) const;
    Result<std::optional<std::vector<int64_t>>> integers(std::string_view key) const;
    Result<std::optional<std::vector<bool>>> booleans(std::string_view key) const;

  private:
    GgufFile() = default;

    static Result<GgufFile> open_alone(const Path& path);
    Result<uint32_t> parts() const;
    Result<void> add(GgufFile part);

    Error wrong_kind(const GgufEntry& entry, std::string_view wanted) const;

    std::string name_;
    uint32_t version_ = 0;
    std::vector<Mapping> mappings_;
    std::vector<GgufEntry> entries_;
    std::vector<Tensor> tensors_;
    std::vector<uint32_t> entries_by_key_;  // indices, sorted
    std::vector<uint32_t> tensors_by_name_;
};

}  // namespace brigada
