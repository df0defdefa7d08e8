// PagedMemory: zeroed memory of any size that costs nothing until it is written: the system hands
// it out page by page. KV lives in it, so a large cache is paid for as it fills.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.h"

namespace brigada {

class PagedMemory {
  public:
    /// Starts at a page. Error::exhausted names the bytes that were not to be had.
    static Result<PagedMemory> allocate(uint64_t bytes);
    PagedMemory() = default;
    PagedMemory(PagedMemory&& other) noexcept;
    PagedMemory& operator=(PagedMemory&& other) noexcept;
    ~PagedMemory();

    std::byte* data() const { return data_; }

  private:
    std::byte* data_ = nullptr;
    size_t size_ = 0;
};

}  // namespace brigada
