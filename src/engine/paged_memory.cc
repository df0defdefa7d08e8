#include "engine/paged_memory.h"

#include <sys/mman.h>

#include <utility>

namespace brigada {

Result<PagedMemory> PagedMemory::allocate(uint64_t bytes) {
    PagedMemory out;
    if (bytes == 0) return out;
    void* data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (data == MAP_FAILED)
        return Error{Code::exhausted, concat("cannot reserve ", bytes, " bytes for the KV cache; ",
                                             "ask for less with --kv-memory")};
    out.data_ = static_cast<std::byte*>(data);
    out.size_ = bytes;
    return out;
}

PagedMemory::PagedMemory(PagedMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

PagedMemory& PagedMemory::operator=(PagedMemory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
}

PagedMemory::~PagedMemory() {
    if (data_) ::munmap(data_, size_);
}

}  // namespace brigada
