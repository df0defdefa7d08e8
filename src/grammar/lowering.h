// GrammarLowering: from the pieces of a GrammarBuilder to the states and edges of a Grammar. Small
// rules are written out where they are called, so that calls are left for recursion and for what is
// large; what can never lead to a text is cut off, so that no answer runs into a dead end.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "grammar/grammar.h"
#include "grammar/grammar_builder.h"

namespace brigada {

class GrammarLowering {
  public:
    explicit GrammarLowering(const GrammarBuilder& builder);

    Result<Grammar> lower(Expr root);

  private:
    template <typename Edge>
    struct From {
        uint32_t from = 0;
        Edge edge;
    };
    struct Called {
        bool inlined = false;
        std::optional<uint32_t> number{};  // among the grammar's rules, once it is called
    };

    // How much a piece takes, and which rules are written out.
    uint64_t size_of(Expr expr);
    uint64_t size_of(Rule rule);

    // States and edges; false when there are too many states.
    bool lower_rules(Expr root);
    uint32_t add_rule();
    uint32_t add_state();
    bool lower(Expr expr, uint32_t from, uint32_t to);
    bool lower_literal(const std::string& bytes, uint32_t from, uint32_t to);
    bool lower_set(const CodePointSet& set, uint32_t from, uint32_t to);
    bool lower_sequence(const std::vector<Expr>& parts, uint32_t from, uint32_t to);
    bool lower_repeat(const GrammarBuilder::Node& node, uint32_t from, uint32_t to);
    bool lower_graph(const ExprGraph& graph, uint32_t from, uint32_t to);
    bool lower_call(Rule rule, uint32_t from, uint32_t to);
    void add_byte(uint32_t from, ByteRange range, uint32_t to);
    void add_free(uint32_t from, uint32_t to) { free_.push_back({from, to}); }

    // Afterwards.
    void loop_tail_calls();
    std::vector<bool> reaches_end(bool by_bytes) const;
    void drop_dead_ends();
    void find_byte_classes();
    void sort_edges();
    template <typename Edge>
    static void tabulate(const std::vector<From<Edge>>& edges, uint32_t states,
                         Grammar::Table<Edge>& out);

    const GrammarBuilder& builder_;
    std::vector<Called> called_;                  // [rule of the builder]
    std::vector<std::optional<uint64_t>> sizes_;  // [rule of the builder]
    std::vector<bool> measuring_;  // rules being measured: met again, they are recursive
    uint32_t measured_depth_ = 0;
    std::vector<Rule> waiting_;  // called, not lowered yet
    uint32_t current_rule_ = 0;
    std::vector<From<Grammar::ByteEdge>> bytes_;
    std::vector<From<Grammar::CallEdge>> calls_;
    std::vector<From<Grammar::FreeEdge>> free_;
    Grammar out_;
};

}  // namespace brigada
