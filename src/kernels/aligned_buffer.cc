#include "kernels/aligned_buffer.h"

#include <sys/mman.h>

#include <cstring>

#include "base/check.h"

namespace brigada {

constexpr size_t kCacheLine = 64;
constexpr size_t kHugePage = size_t{2} << 20;

AlignedBuffer AlignedBuffer::allocate(size_t bytes) {
    AlignedBuffer out;
    const size_t alignment = bytes >= 2 * kHugePage ? kHugePage : kCacheLine;
    size_t rounded = 0;
    if (bytes == 0 || __builtin_add_overflow(bytes, alignment - 1, &rounded)) return out;
    rounded = rounded / alignment * alignment;
    auto* at = static_cast<std::byte*>(std::aligned_alloc(alignment, rounded));
    if (at == nullptr) return out;
    // Advice only: where the system has no huge pages, small ones serve.
    if (alignment == kHugePage) madvise(at, rounded, MADV_HUGEPAGE);
    std::memset(at, 0, rounded);
    out.data_.reset(at);
    out.size_ = bytes;
    return out;
}

void AlignedBuffer::reserve(size_t bytes) {
    if (bytes <= size_) return;
    *this = AlignedBuffer();
    *this = allocate(bytes);
    CHECK(size_ == bytes, "no memory for ", bytes, " bytes of kernel scratch");
}

}  // namespace brigada
