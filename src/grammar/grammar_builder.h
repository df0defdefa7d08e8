// GrammarBuilder: a grammar put together from pieces: literal text, character classes, sequences,
// alternatives, repetition, and rules that may call each other and themselves. JSON Schemas,
// regular expressions and grammar notation are read into it; whoever needs a format of their own,
// such as tool calls in a model's own words, composes these with literals around them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "grammar/code_points.h"
#include "grammar/grammar.h"

namespace brigada {

/// A piece of a grammar, and a rule of one. They belong to the builder that made them.
enum class Expr : uint32_t {};
enum class Rule : uint32_t {};

/// A piece as states and pieces between them, for what has no short way to be written in a line:
/// the properties of an object, a deterministic automaton. It begins at state 0.
struct ExprGraph {
    struct Edge {
        uint32_t from = 0;
        Expr on{};
        uint32_t to = 0;
    };
    uint32_t states = 1;
    std::vector<Edge> edges{};
    std::vector<uint32_t> ends{};

    uint32_t add_state() { return states++; }
};

class GrammarBuilder {
  public:
    /// The empty text, and what no text is.
    Expr empty() { return literal(""); }
    Expr never() { return one_of({}); }

    /// These bytes, UTF-8 or not.
    Expr literal(std::string_view bytes);
    /// One code point of the set, as UTF-8.
    Expr one_of(CodePointSet set);
    /// One byte of the range, whatever it is a part of.
    Expr byte(ByteRange range);
    Expr sequence(std::vector<Expr> parts);
    Expr either(std::vector<Expr> parts);
    Expr optional(Expr part) { return repeat(part, 0, 1); }
    /// `most` nullopt: without end. Needs least <= most.
    Expr repeat(Expr part, uint32_t least, std::optional<uint32_t> most);
    Expr graph(ExprGraph graph);

    /// A rule is declared, may be called from anywhere, and is defined once before build(). One
    /// that is `apart` is never written out where it is called: for what many places call, so that
    /// its masks are worked out once for all of them.
    Rule declare(std::string name, bool apart = false);
    void define(Rule rule, Expr body);
    Expr call(Rule rule);

    /// The grammar whose texts are those of `root`. Error::invalid_argument when no text matches,
    /// or only the empty one; ::too_large when it takes more than kMaxGrammarStates.
    Result<Grammar> build(Expr root) const;

    /// What an Expr is made of, for those that turn one into another.
    struct Node {
        enum class Kind { literal, one_of, byte, sequence, either, repeat, graph, call };
        Kind kind = Kind::literal;
        std::string bytes{};        // literal
        CodePointSet set{};         // one_of
        ByteRange range{};          // byte
        std::vector<Expr> parts{};  // sequence, either; repeat has one
        uint32_t least = 0;         // repeat
        std::optional<uint32_t> most{};
        ExprGraph expr_graph{};  // graph
        Rule rule{};             // call
    };
    const Node& node(Expr expr) const { return nodes_[static_cast<uint32_t>(expr)]; }
    size_t nodes() const { return nodes_.size(); }

    struct RuleEntry {
        std::string name;
        bool apart = false;
        std::optional<Expr> body{};
    };
    const std::vector<RuleEntry>& rules() const { return rules_; }

  private:
    Expr add(Node node);

    std::vector<Node> nodes_;
    std::vector<RuleEntry> rules_;
};

}  // namespace brigada
