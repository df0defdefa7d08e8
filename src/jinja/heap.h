// Heap: everything one rendering allocates, freed at once when it ends, and the account of what it
// has used. Work, memory and output are limited, so a hostile template ends with an error.
#pragma once

#include <deque>
#include <memory_resource>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/json.h"
#include "jinja/value.h"

namespace brigada::jinja {

struct Limits {
    uint64_t max_work = 50'000'000;      // nodes evaluated, items visited and 16-byte pieces copied
    size_t max_heap_bytes = 512u << 20;  // all that is allocated in a rendering, garbage included
    size_t max_output_bytes = 64u << 20;  // the text rendered
    int max_depth = 400;                  // nested evaluations, macro calls included
};

class Heap {
  public:
    explicit Heap(Limits limits) : limits_(limits) {}
    Heap(const Heap&) = delete;
    Heap& operator=(const Heap&) = delete;

    const Limits& limits() const { return limits_; }

    /// Accounts for `units` of work. Error::too_large once work or memory is used up.
    Result<void> work(uint64_t units);
    /// Error::too_large unless `bytes` more may be allocated.
    Result<void> room_for(size_t bytes) const;

    /// A text of the heap's own.
    Result<Value> text(std::string&& value);
    Result<Value> text(std::string_view value) { return text(std::string(value)); }

    List* list() { return make<List>(allocator()); }
    List* list(std::span<const Value> items);
    List* tuple(std::span<const Value> items);
    Dict* dict() { return make<Dict>(allocator()); }

    /// A T that lives until the heap ends; its destructor never runs.
    template <typename T, typename... Parts>
    T* make(Parts&&... parts) {
        return new (arena_.allocate(sizeof(T), alignof(T))) T(std::forward<Parts>(parts)...);
    }

    /// `json` as a Value whose texts are borrowed from it. Integers beyond 64 bits become floats.
    /// Error::invalid_argument when it is nested deeper than kJsonMaxDepth.
    Result<Value> from_json(const Json& json);
    /// The same for a document parsed on the way, kept until the heap ends.
    Result<Value> from_json(Json&& json);

    Allocator allocator() { return &arena_; }

  private:
    /// Passes on to the system and counts.
    class Counter : public std::pmr::memory_resource {
      public:
        size_t bytes() const { return bytes_; }
        void add(size_t bytes) { bytes_ += bytes; }

      private:
        void* do_allocate(size_t bytes, size_t alignment) override;
        void do_deallocate(void* memory, size_t bytes, size_t alignment) override;
        bool do_is_equal(const memory_resource& other) const noexcept override {
            return this == &other;
        }
        size_t bytes_ = 0;
    };

    Result<Value> from_json(const Json& json, int depth);

    Limits limits_;
    uint64_t work_ = 0;
    Counter counter_;
    std::pmr::monotonic_buffer_resource arena_{16 * 1024, &counter_};
    std::deque<std::string> texts_;
    std::deque<Json> documents_;
};

/// The work of reading or writing `bytes` once.
inline uint64_t work_of_bytes(size_t bytes) {
    return bytes / 16;
}

/// A text that grows within the heap's limits.
class TextBuilder {
  public:
    explicit TextBuilder(Heap& heap) : heap_(heap) {}

    Result<void> add(std::string_view piece);
    Result<void> add(char c, size_t times = 1);
    std::string& text() { return text_; }
    /// The text as a Value of the heap.
    Result<Value> finish() { return heap_.text(std::move(text_)); }

  private:
    Heap& heap_;
    std::string text_;
};

}  // namespace brigada::jinja
