#include "grammar/code_point_dfa.h"

#include <algorithm>
#include <map>
#include <utility>

#include "grammar/code_point_nfa.h"
#include "tokens/unicode.h"

namespace brigada {

namespace {

constexpr size_t kMaxNfaStates = 16 * kMaxDfaStates;

Error too_large() {
    return {Code::too_large, concat("takes an automaton of more than ", kMaxDfaStates, " states")};
}

/// Where the sets of the automaton's edges begin and end.
std::vector<char32_t> class_starts(const CodePointNfa& nfa) {
    std::vector<char32_t> out = {0};
    for (uint32_t state = 0; state < nfa.states(); ++state) {
        for (const CodePointNfa::Edge& edge : nfa.edges(state)) {
            if (!edge.on) continue;
            for (CodePointRange range : edge.on->ranges()) {
                out.push_back(range.first);
                if (range.last < kLastCodePoint) out.push_back(range.last + 1);
            }
        }
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

/// Numbers things in the order in which they are met.
template <typename Key>
class Numbers {
  public:
    uint32_t of(const Key& key) {
        const auto [it, fresh] = known_.emplace(key, static_cast<uint32_t>(keys_.size()));
        if (fresh) keys_.push_back(key);
        return it->second;
    }
    size_t size() const { return keys_.size(); }
    Key operator[](size_t i) const { return keys_[i]; }

  private:
    std::map<Key, uint32_t> known_;
    std::vector<Key> keys_;
};

}  // namespace

Result<CodePointDfa> CodePointDfa::from(const GrammarBuilder& builder, Expr expr) {
    auto nfa = CodePointNfa::from(builder, expr, kMaxNfaStates);
    if (!nfa) return too_large();
    CodePointDfa out;
    out.first_of_class_ = class_starts(*nfa);
    Numbers<std::vector<uint32_t>> sets;
    std::vector<uint32_t> start = {CodePointNfa::kStart};
    nfa->close(start);
    sets.of(start);
    for (size_t i = 0; i < sets.size(); ++i) {
        if (i == kMaxDfaStates) return too_large();
        const std::vector<uint32_t> set = sets[i];
        out.ends_.push_back(std::binary_search(set.begin(), set.end(), CodePointNfa::kEnd));
        std::vector<std::vector<uint32_t>> reached(out.classes());
        for (uint32_t state : set) {
            for (const CodePointNfa::Edge& edge : nfa->edges(state)) {
                if (!edge.on) continue;
                for (CodePointRange range : edge.on->ranges())
                    for (size_t c = out.class_of(range.first);
                         c < out.classes() && out.first_of_class_[c] <= range.last; ++c)
                        reached[c].push_back(edge.to);
            }
        }
        for (std::vector<uint32_t>& to : reached) {
            nfa->close(to);
            out.next_.push_back(to.empty() ? kSink : sets.of(to));
        }
    }
    return out;
}

/// Both run side by side; `ends` says which pairs of ends are one.
template <typename Ends>
Result<CodePointDfa> CodePointDfa::product(const CodePointDfa& a, const CodePointDfa& b,
                                           Ends ends) {
    CodePointDfa out;
    std::merge(a.first_of_class_.begin(), a.first_of_class_.end(), b.first_of_class_.begin(),
               b.first_of_class_.end(), std::back_inserter(out.first_of_class_));
    out.first_of_class_.erase(std::unique(out.first_of_class_.begin(), out.first_of_class_.end()),
                              out.first_of_class_.end());
    Numbers<std::pair<uint32_t, uint32_t>> pairs;
    pairs.of({0, 0});
    for (size_t i = 0; i < pairs.size(); ++i) {
        if (i == kMaxDfaStates) return too_large();
        const auto [in_a, in_b] = pairs[i];
        out.ends_.push_back(ends(a.ends(in_a), b.ends(in_b)));
        for (char32_t first : out.first_of_class_) {
            const uint32_t to_a = a.next(in_a, a.class_of(first));
            const uint32_t to_b = b.next(in_b, b.class_of(first));
            // Nothing leads on when the first has ended for good: both() and without() need it.
            out.next_.push_back(to_a == kSink ? kSink : pairs.of({to_a, to_b}));
        }
    }
    return out;
}

Result<CodePointDfa> CodePointDfa::both(const CodePointDfa& a, const CodePointDfa& b) {
    return product(a, b, [](bool in_a, bool in_b) { return in_a && in_b; });
}

Result<CodePointDfa> CodePointDfa::without(const CodePointDfa& a, const CodePointDfa& b) {
    return product(a, b, [](bool in_a, bool in_b) { return in_a && !in_b; });
}

size_t CodePointDfa::class_of(char32_t code) const {
    const auto after = std::upper_bound(first_of_class_.begin(), first_of_class_.end(), code);
    return static_cast<size_t>(after - first_of_class_.begin()) - 1;
}

/// All states were reached from the start.
bool CodePointDfa::empty() const {
    return std::find(ends_.begin(), ends_.end(), true) == ends_.end();
}

bool CodePointDfa::accepts(std::string_view text) const {
    uint32_t state = 0;
    for (size_t at = 0; at < text.size();) {
        const Char c = char_at(text, at);
        if (c.code == kNotACharacter) return false;
        at += c.bytes;
        state = next(state, class_of(c.code));
    }
    return ends(state);
}

Expr CodePointDfa::to_expr(GrammarBuilder& builder) const {
    ExprGraph graph{.states = static_cast<uint32_t>(ends_.size())};
    for (uint32_t state = 0; state < ends_.size(); ++state) {
        if (ends_[state]) graph.ends.push_back(state);
        std::map<uint32_t, CodePointSet> by_target;
        for (size_t c = 0; c < classes(); ++c) {
            const char32_t last = c + 1 < classes() ? first_of_class_[c + 1] - 1 : kLastCodePoint;
            if (next(state, c) != kSink) by_target[next(state, c)].add({first_of_class_[c], last});
        }
        for (auto& [to, set] : by_target)
            graph.edges.push_back({state, builder.one_of(std::move(set)), to});
    }
    return builder.graph(std::move(graph));
}

}  // namespace brigada
