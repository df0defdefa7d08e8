#include "kv/block_pool.h"

#include "base/check.h"

namespace brigada {

BlockPool::BlockPool(uint32_t blocks) : refs_(blocks, 0) {
    free_.reserve(blocks);
    for (uint32_t i = blocks; i > 0; --i)
        free_.push_back(BlockId{i - 1});  // block 0 goes first
}

BlockId BlockPool::take() {
    CHECK(!free_.empty());
    const BlockId block = free_.back();
    free_.pop_back();
    refs_[raw(block)] = 1;
    return block;
}

void BlockPool::add_ref(BlockId block) {
    CHECK(refs(block) > 0, "block ", raw(block), " is free");
    ++refs_[raw(block)];
}

bool BlockPool::drop_ref(BlockId block) {
    CHECK(refs(block) > 0, "block ", raw(block), " is free");
    if (--refs_[raw(block)] > 0) return false;
    free_.push_back(block);
    return true;
}

void BlockPool::check() const {
    std::vector<bool> on_list(refs_.size(), false);
    for (const BlockId block : free_) {
        CHECK(refs(block) == 0, "block ", raw(block), " is free and has ", refs(block));
        CHECK(!on_list[raw(block)], "block ", raw(block), " is free twice");
        on_list[raw(block)] = true;
    }
    for (size_t i = 0; i < refs_.size(); ++i)
        CHECK(on_list[i] == (refs_[i] == 0), "block ", i);
}

}  // namespace brigada
