// Grammar: a set of texts as a pushdown automaton over bytes: each rule is a small nondeterministic
// automaton whose edges are ranges of bytes or calls of rules. Immutable, so that threads share
// one; GrammarBuilder makes it, Recogniser runs it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace brigada {

/// States a grammar may have, all rules together: about 50 bytes each.
inline constexpr size_t kMaxGrammarStates = 1 << 20;

class Grammar {
  public:
    struct ByteEdge {
        uint8_t first = 0, last = 0;
        uint32_t to = 0;
    };
    struct CallEdge {
        uint32_t rule = 0;
        uint32_t to = 0;  // where the caller goes on
    };
    /// Edges taken without reading anything: `to` alone.
    using FreeEdge = uint32_t;

    uint32_t rules() const { return static_cast<uint32_t>(rule_start_.size()); }
    uint32_t states() const { return static_cast<uint32_t>(rule_of_.size()); }
    uint32_t root() const { return 0; }

    uint32_t start(uint32_t rule) const { return rule_start_[rule]; }
    uint32_t end(uint32_t rule) const { return rule_end_[rule]; }
    uint32_t rule_of(uint32_t state) const { return rule_of_[state]; }
    /// Whether the rule matches the empty text.
    bool nullable(uint32_t rule) const { return nullable_[rule]; }

    std::span<const ByteEdge> bytes_from(uint32_t state) const { return bytes_.of(state); }
    std::span<const CallEdge> calls_from(uint32_t state) const { return calls_.of(state); }
    std::span<const FreeEdge> free_from(uint32_t state) const { return free_.of(state); }

    /// Bytes that no edge tells apart are of one class; the space is one of its own.
    uint8_t byte_class(uint8_t byte) const { return class_of_[byte]; }
    uint32_t byte_classes() const { return classes_; }

  private:
    friend class GrammarLowering;

    /// Edges sorted by the state they leave.
    template <typename Edge>
    struct Table {
        std::vector<uint32_t> begin;  // [states + 1]
        std::vector<Edge> edges;
        std::span<const Edge> of(uint32_t state) const {
            return {edges.data() + begin[state], edges.data() + begin[state + 1]};
        }
    };

    std::vector<uint32_t> rule_start_, rule_end_;
    std::vector<uint32_t> rule_of_;
    std::vector<bool> nullable_;
    Table<ByteEdge> bytes_;
    Table<CallEdge> calls_;
    Table<FreeEdge> free_;
    std::array<uint8_t, 256> class_of_{};
    uint32_t classes_ = 1;
};

}  // namespace brigada
