// File and Mapping: whole-file reads, and read-only memory maps for weights. Every failure names
// the path and what the system said.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "base/result.h"

namespace brigada {

using Path = std::filesystem::path;

/// The file's bytes. Error::not_found, ::io, or ::too_large when it is over `max_bytes`.
Result<std::string> read_file(const Path& path, size_t max_bytes);

/// A read-only map of a whole file; unmapped when destroyed. An empty file maps to an empty span.
class Mapping {
  public:
    static Result<Mapping> open(const Path& path);

    Mapping(Mapping&& other) noexcept;
    Mapping& operator=(Mapping&& other) noexcept;
    ~Mapping();

    std::span<const std::byte> bytes() const { return {data_, size_}; }

  private:
    Mapping(const std::byte* data, size_t size) : data_(data), size_(size) {}

    const std::byte* data_ = nullptr;
    size_t size_ = 0;
};

}  // namespace brigada
