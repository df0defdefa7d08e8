// CodePointNfa: a piece of a grammar, without calls, as a nondeterministic automaton over code
// points: the step between a GrammarBuilder's pieces and a CodePointDfa.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>
#include <vector>

#include "grammar/code_points.h"
#include "grammar/grammar_builder.h"

namespace brigada {

class CodePointNfa {
  public:
    /// nullopt when it takes more than `max_states`. Literals must be UTF-8.
    static std::optional<CodePointNfa> from(const GrammarBuilder& builder, Expr expr,
                                            size_t max_states);

    struct Edge {
        const CodePointSet* on = nullptr;  // null: taken without reading
        uint32_t to = 0;
    };
    const std::vector<Edge>& edges(uint32_t state) const { return edges_[state]; }
    size_t states() const { return edges_.size(); }
    static constexpr uint32_t kStart = 0, kEnd = 1;

    /// Adds what is reached without reading, and leaves those that read or end; sorted, each once.
    void close(std::vector<uint32_t>& states);

  private:
    CodePointNfa(const GrammarBuilder& builder, size_t max_states)
        : builder_(&builder), max_states_(max_states) {}

    bool write(Expr expr, uint32_t from, uint32_t to);
    bool write_literal(std::string_view text, uint32_t from, uint32_t to);
    bool write_sequence(const std::vector<Expr>& parts, uint32_t from, uint32_t to);
    bool write_repeat(const GrammarBuilder::Node& node, uint32_t from, uint32_t to);
    bool write_graph(const ExprGraph& graph, uint32_t from, uint32_t to);
    uint32_t add_state();
    void skip(uint32_t from, uint32_t to) { edges_[from].push_back({nullptr, to}); }

    const GrammarBuilder* builder_;  // whose sets the edges refer to
    size_t max_states_;
    std::vector<std::vector<Edge>> edges_{2};
    std::deque<CodePointSet> characters_;  // of literals
    std::vector<bool> reached_;            // [state], scratch of close()
};

}  // namespace brigada
