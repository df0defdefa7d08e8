// PrefixNames: gives the blocks of a trace their names. Sources name a block by its content, or by
// an id that means something within one session only; here it gets one name for what it holds and
// all that stands before it, in the order of first appearance.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace brigada {

class PrefixNames {
  public:
    static constexpr uint32_t kStart = std::numeric_limits<uint32_t>::max();  // before any block
    static constexpr uint32_t kMost = kStart - 1;

    /// Names of blocks whose ids mean the same everywhere, or within the current session.
    uint32_t shared(uint32_t before, uint64_t id) { return shared_.name(before, id, next_); }
    uint32_t local(uint32_t before, uint64_t id) { return local_.name(before, id, next_); }

    /// Ids of the session before mean nothing any more.
    void forget_local() { local_ = {}; }

    /// The first of `count` blocks that nothing else shares.
    uint32_t fresh(uint32_t count) {
        const uint32_t first = next_;
        next_ += count;
        return first;
    }

    /// How many names there are; there is room for `more`.
    uint32_t count() const { return next_; }
    bool has_room(uint64_t more) const { return more <= kMost - next_; }

  private:
    /// Open addressing, linear probing, at most half full.
    class Table {
      public:
        uint32_t name(uint32_t before, uint64_t id, uint32_t& next);

      private:
        struct Entry {
            uint64_t id = 0;
            uint32_t before = 0;
            uint32_t name = kStart;  // nothing here
        };

        Entry& slot(uint32_t before, uint64_t id);
        void grow();

        std::vector<Entry> entries_;
        size_t used_ = 0;
    };

    Table shared_;
    Table local_;
    uint32_t next_ = 0;
};

}  // namespace brigada
