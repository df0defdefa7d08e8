#include "route/key_array.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "base/check.h"

namespace brigada {

KeyArray::~KeyArray() {
    truncate(0);
}

// Up to the next of the eight sizes between two powers of two.
uint32_t KeyArray::capacity(uint32_t size) {
    const uint32_t step = std::max(std::bit_floor(size) / 8, 1U);
    return (size + step - 1) / step * step;
}

void KeyArray::append(std::span<const BlockKey> keys) {
    CHECK(keys.size() <= std::numeric_limits<uint32_t>::max() / 2 - size_, keys.size(), " keys");
    const uint32_t end = size_;
    resize(end + static_cast<uint32_t>(keys.size()));
    std::ranges::copy(keys, data() + end);
}

void KeyArray::truncate(uint32_t size) {
    CHECK(size <= size_, size, " of ", size_, " keys");
    resize(size);
}

void KeyArray::resize(uint32_t size) {
    const bool moves = std::max(size, size_) > 1 && capacity(size) != capacity(size_);
    if (!moves) {
        size_ = size;
        return;
    }
    BlockKey* const old = size_ > 1 ? many_ : nullptr;
    BlockKey* const moved = size > 1 ? new BlockKey[capacity(size)] : nullptr;
    std::copy_n(data(), std::min(size, size_), moved ? moved : &one_);
    if (moved) many_ = moved;
    size_ = size;
    delete[] old;
}

}  // namespace brigada
