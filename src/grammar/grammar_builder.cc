#include "grammar/grammar_builder.h"

#include <utility>

#include "base/check.h"
#include "grammar/lowering.h"

namespace brigada {

Expr GrammarBuilder::add(Node node) {
    nodes_.push_back(std::move(node));
    return Expr{static_cast<uint32_t>(nodes_.size() - 1)};
}

Expr GrammarBuilder::literal(std::string_view bytes) {
    return add({.kind = Node::Kind::literal, .bytes = std::string(bytes)});
}

Expr GrammarBuilder::one_of(CodePointSet set) {
    return add({.kind = Node::Kind::one_of, .set = std::move(set)});
}

Expr GrammarBuilder::byte(ByteRange range) {
    return add({.kind = Node::Kind::byte, .range = range});
}

Expr GrammarBuilder::sequence(std::vector<Expr> parts) {
    if (parts.size() == 1) return parts.front();
    return add({.kind = Node::Kind::sequence, .parts = std::move(parts)});
}

Expr GrammarBuilder::either(std::vector<Expr> parts) {
    if (parts.size() == 1) return parts.front();
    return add({.kind = Node::Kind::either, .parts = std::move(parts)});
}

Expr GrammarBuilder::repeat(Expr part, uint32_t least, std::optional<uint32_t> most) {
    CHECK(!most || least <= *most);
    return add({.kind = Node::Kind::repeat, .parts = {part}, .least = least, .most = most});
}

Expr GrammarBuilder::graph(ExprGraph graph) {
    return add({.kind = Node::Kind::graph, .expr_graph = std::move(graph)});
}

Rule GrammarBuilder::declare(std::string name, bool apart) {
    rules_.push_back({std::move(name), apart});
    return Rule{static_cast<uint32_t>(rules_.size() - 1)};
}

void GrammarBuilder::define(Rule rule, Expr body) {
    RuleEntry& entry = rules_[static_cast<uint32_t>(rule)];
    CHECK(!entry.body, entry.name);
    entry.body = body;
}

Expr GrammarBuilder::call(Rule rule) {
    return add({.kind = Node::Kind::call, .rule = rule});
}

Result<Grammar> GrammarBuilder::build(Expr root) const {
    return GrammarLowering(*this).lower(root);
}

}  // namespace brigada
