// ByteReader: a cursor over the bytes of a file that nobody trusts. Every read is checked against
// the end and says where it failed and what it was reading.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/concat.h"
#include "base/result.h"

namespace brigada {

class ByteReader {
  public:
    /// `name` begins every message and must outlive the reader.
    ByteReader(std::span<const std::byte> bytes, std::string_view name)
        : bytes_(bytes), name_(name) {}

    size_t offset() const { return offset_; }
    size_t remaining() const { return bytes_.size() - offset_; }

    /// A little-endian number.
    template <typename T>
        requires std::is_arithmetic_v<T>
    Result<T> number(std::string_view what) {
        TRY(auto bytes, take(sizeof(T), what));
        T value;
        std::memcpy(&value, bytes.data(), sizeof value);
        return value;
    }

    /// A u64 length and so many bytes.
    Result<std::string_view> string(std::string_view what) {
        TRY(auto length, number<uint64_t>(what));
        TRY(auto bytes, take(length, what));
        return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }

    Result<std::span<const std::byte>> take(uint64_t length, std::string_view what) {
        if (length > remaining())
            return Error{Code::corrupt,
                         concat(name_, ": ", what, " at byte ", offset_, " is ", length,
                                " bytes long; the file has ", remaining(), " more")};
        const auto out = bytes_.subspan(offset_, length);
        offset_ += length;
        return out;
    }

  private:
    std::span<const std::byte> bytes_;
    std::string_view name_;
    size_t offset_ = 0;
};

}  // namespace brigada
