#include "grammar/code_point_nfa.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "tokens/unicode.h"

namespace brigada {

using Node = GrammarBuilder::Node;

std::optional<CodePointNfa> CodePointNfa::from(const GrammarBuilder& builder, Expr expr,
                                               size_t max_states) {
    CodePointNfa out(builder, max_states);
    if (!out.write(expr, kStart, kEnd)) return std::nullopt;
    out.reached_.resize(out.states());
    return out;
}

void CodePointNfa::close(std::vector<uint32_t>& states) {
    std::vector<uint32_t> out;
    const auto reach = [&](uint32_t state) {
        if (!reached_[state]) out.push_back(state);
        reached_[state] = true;
    };
    for (uint32_t state : states)
        reach(state);
    for (size_t i = 0; i < out.size(); ++i)
        for (const Edge& edge : edges_[out[i]])
            if (!edge.on) reach(edge.to);
    for (uint32_t state : out)
        reached_[state] = false;
    std::erase_if(out, [&](uint32_t state) {
        return state != kEnd && std::none_of(edges_[state].begin(), edges_[state].end(),
                                             [](const Edge& edge) { return edge.on != nullptr; });
    });
    std::sort(out.begin(), out.end());
    states = std::move(out);
}

uint32_t CodePointNfa::add_state() {
    edges_.emplace_back();
    return static_cast<uint32_t>(edges_.size() - 1);
}

bool CodePointNfa::write(Expr expr, uint32_t from, uint32_t to) {
    if (states() > max_states_) return false;
    const Node& node = builder_->node(expr);
    switch (node.kind) {
        case Node::Kind::literal:
            return write_literal(node.bytes, from, to);
        case Node::Kind::one_of:
            edges_[from].push_back({&node.set, to});
            return true;
        case Node::Kind::sequence:
            return write_sequence(node.parts, from, to);
        case Node::Kind::either:
            return std::all_of(node.parts.begin(), node.parts.end(),
                               [&](Expr part) { return write(part, from, to); });
        case Node::Kind::repeat:
            return write_repeat(node, from, to);
        case Node::Kind::graph:
            return write_graph(node.expr_graph, from, to);
        case Node::Kind::byte:
        case Node::Kind::call:
            break;
    }
    CHECK(false, "a call or a lone byte is not part of a regular language of code points");
}

bool CodePointNfa::write_literal(std::string_view text, uint32_t from, uint32_t to) {
    for (size_t at = 0; at < text.size();) {
        const Char c = char_at(text, at);
        CHECK(c.code != kNotACharacter);
        at += c.bytes;
        characters_.push_back(CodePointSet::of(c.code));
        const uint32_t next = add_state();
        edges_[from].push_back({&characters_.back(), next});
        from = next;
    }
    skip(from, to);
    return true;
}

bool CodePointNfa::write_sequence(const std::vector<Expr>& parts, uint32_t from, uint32_t to) {
    for (Expr part : parts) {
        const uint32_t next = add_state();
        if (!write(part, from, next)) return false;
        from = next;
    }
    skip(from, to);
    return true;
}

bool CodePointNfa::write_repeat(const Node& node, uint32_t from, uint32_t to) {
    const uint32_t copies = node.most.value_or(node.least);
    for (uint32_t i = 0; i < copies; ++i) {
        if (i >= node.least) skip(from, to);
        const uint32_t next = add_state();
        if (!write(node.parts[0], from, next)) return false;
        from = next;
    }
    if (!node.most) {
        const uint32_t loop = add_state();
        skip(from, loop);
        if (!write(node.parts[0], loop, loop)) return false;
        from = loop;
    }
    skip(from, to);
    return true;
}

bool CodePointNfa::write_graph(const ExprGraph& graph, uint32_t from, uint32_t to) {
    const auto first = static_cast<uint32_t>(states());
    for (uint32_t i = 0; i < graph.states; ++i)
        add_state();
    skip(from, first);
    for (const ExprGraph::Edge& edge : graph.edges)
        if (!write(edge.on, first + edge.from, first + edge.to)) return false;
    for (uint32_t end : graph.ends)
        skip(first + end, to);
    return true;
}

}  // namespace brigada
