// WordCache: where in the output the ids of a word already stand, so that a word which comes again
// in one text is copied and not formed again. It belongs to one call of encode.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "tokens/piece_map.h"

namespace brigada {

class WordCache {
  public:
    /// Sized for a text of `text_bytes`; 32 bytes a slot, at most 128 KiB.
    explicit WordCache(size_t text_bytes)
        : slots_(std::bit_ceil(std::clamp<size_t>(text_bytes / 32, 1, 4096))) {}

    /// Appends the ids of `word` to `out` if they stand in it. Otherwise returns false, and the
    /// caller should append them and then say so with remember().
    bool append_again(std::string_view word, Tokens& out) {
        if (word.size() > kLongest) return false;
        current_ = &slots_[hash_bytes(word) & (slots_.size() - 1)];
        if (current_->size != word.size() ||
            std::memcmp(current_->word, word.data(), word.size()) != 0)
            return false;
        for (size_t i = current_->from; i < current_->from + current_->count; ++i)
            out.push_back(out[i]);
        return true;
    }

    /// The ids of `word`, the one last asked for, are those of `out` from index `from` on.
    void remember(std::string_view word, size_t from, const Tokens& out) {
        if (word.size() > kLongest || from > UINT32_MAX) return;
        current_->size = static_cast<uint8_t>(word.size());
        std::memcpy(current_->word, word.data(), word.size());
        current_->from = static_cast<uint32_t>(from);
        current_->count = static_cast<uint16_t>(out.size() - from);
    }

  private:
    static constexpr size_t kLongest = 25;

    struct Slot {
        uint8_t size = 0;  // 0: empty, no word is
        char word[kLongest];
        uint16_t count = 0;
        uint32_t from = 0;
    };
    static_assert(sizeof(Slot) == 32);

    std::vector<Slot> slots_;
    Slot* current_ = nullptr;
};

}  // namespace brigada
