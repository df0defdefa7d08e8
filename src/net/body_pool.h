// BodyPool: memory of request bodies that were answered, for those to come. A large body taken
// anew costs a page fault for each 4 KB; the one given back last is still in the processor's cache.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace brigada {

class BodyPool {
  public:
    /// Smaller bodies are left to the heap, larger ones to the system.
    static constexpr size_t kSmallest = 32 << 10;
    static constexpr size_t kLargest = 2 << 20;
    static constexpr size_t kSpare = 16;

    /// An empty string, with room that somebody gave back if `size` bytes are worth it.
    std::string take(size_t size) {
        if (size < kSmallest || size > kLargest || spare_.empty()) return {};
        std::string out = std::move(spare_.back());
        spare_.pop_back();
        out.clear();
        return out;
    }

    /// `body` has no memory of its own afterwards.
    void give(std::string& body) {
        std::string taken;
        taken.swap(body);
        const size_t room = taken.capacity();
        if (room >= kSmallest && room <= kLargest && spare_.size() < kSpare)
            spare_.push_back(std::move(taken));
    }

    size_t spare() const { return spare_.size(); }

  private:
    std::vector<std::string> spare_;
};

}  // namespace brigada
