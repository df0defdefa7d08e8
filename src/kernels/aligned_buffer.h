// AlignedBuffer: zeroed memory that starts on a cache line, and on a huge page when it is large:
// weights are streamed, and page-table walks cost up to a tenth of the bandwidth.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <span>

namespace brigada {

class AlignedBuffer {
  public:
    AlignedBuffer() = default;

    /// `bytes` zeroed bytes; empty() when the system has none to give.
    static AlignedBuffer allocate(size_t bytes);

    /// Room for at least `bytes`; what was there is lost when it grows. CHECKs that there is
    /// memory.
    void reserve(size_t bytes);

    bool empty() const { return size_ == 0; }
    size_t size() const { return size_; }
    std::byte* data() { return data_.get(); }
    const std::byte* data() const { return data_.get(); }
    std::span<std::byte> bytes() { return {data(), size_}; }
    std::span<const std::byte> bytes() const { return {data(), size_}; }

  private:
    struct Free {
        void operator()(std::byte* at) const { std::free(at); }
    };

    std::unique_ptr<std::byte, Free> data_;
    size_t size_ = 0;
};

}  // namespace brigada
