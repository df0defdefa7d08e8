// HugePages: memory for tables of hundreds of megabytes that are read at random, where most of the
// time of a look would go to finding its page. A hint to Linux; small tables get ordinary memory.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>

namespace brigada {

template <typename Value>
struct HugePages {
    using value_type = Value;

    HugePages() = default;
    template <typename Other>
    explicit HugePages(const HugePages<Other>&) {}

    Value* allocate(size_t count) {
        const size_t bytes = count * sizeof(Value);
        void* const memory = ::operator new(bytes, alignment(bytes));
        if (is_huge(bytes)) madvise(memory, bytes, MADV_HUGEPAGE);
        return static_cast<Value*>(memory);
    }

    void deallocate(Value* memory, size_t count) {
        ::operator delete(memory, alignment(count * sizeof(Value)));
    }

    friend bool operator==(HugePages, HugePages) { return true; }

  private:
    static constexpr size_t kPage = size_t{2} << 20;

    static bool is_huge(size_t bytes) { return bytes >= 4 * kPage; }
    static std::align_val_t alignment(size_t bytes) {
        return std::align_val_t{is_huge(bytes) ? kPage : alignof(Value)};
    }
};

}  // namespace brigada
