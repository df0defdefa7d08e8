// KeyArray: block keys in a row that is lengthened and shortened at its end. An index has a hundred
// thousand of them, many of a single key: that one lies in the array's own place, and what is on
// the heap is at most an eighth larger than it needs to be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kv/block_key.h"

namespace brigada {

class KeyArray {
  public:
    KeyArray() : one_() {}
    ~KeyArray();
    KeyArray(const KeyArray&) = delete;
    KeyArray& operator=(const KeyArray&) = delete;

    uint32_t size() const { return size_; }
    std::span<const BlockKey> all() const { return {size_ > 1 ? many_ : &one_, size_}; }
    size_t heap_bytes() const { return size_ > 1 ? capacity(size_) * sizeof(BlockKey) : 0; }

    void append(std::span<const BlockKey> keys);
    void truncate(uint32_t size);

  private:
    static uint32_t capacity(uint32_t size);
    BlockKey* data() { return size_ > 1 ? many_ : &one_; }
    void resize(uint32_t size);

    union {
        BlockKey one_;
        BlockKey* many_;  // `capacity` of them
    };
    uint32_t size_ = 0;
};

}  // namespace brigada
