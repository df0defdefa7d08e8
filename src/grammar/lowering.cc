#include "grammar/lowering.h"

#include <algorithm>
#include <bitset>
#include <utility>

#include "base/check.h"

namespace brigada {

namespace {

using Node = GrammarBuilder::Node;

/// Rules of at most so many states are written out where they are called.
constexpr uint64_t kInlineStates = 64;

/// Rules within rules that are measured: recursion must stay within the stack.
constexpr uint32_t kMaxMeasuredDepth = 1000;

constexpr uint64_t kMuch = kMaxGrammarStates + 1;

uint64_t add(uint64_t a, uint64_t b) {
    return std::min(a + b, kMuch);
}

uint64_t times(uint64_t a, uint64_t b) {
    if (a == 0 || b == 0) return 0;
    return a > kMuch / b ? kMuch : std::min(a * b, kMuch);
}

bool is_continuation(ByteRange range) {
    return range == ByteRange{0x80, 0xbf};
}

}  // namespace

GrammarLowering::GrammarLowering(const GrammarBuilder& builder)
    : builder_(builder),
      called_(builder.rules().size()),
      sizes_(builder.rules().size()),
      measuring_(builder.rules().size()) {}

Result<Grammar> GrammarLowering::lower(Expr root) {
    if (size_of(root) >= kMuch || !lower_rules(root))
        return Error{Code::too_large, concat("the grammar takes more than ", kMaxGrammarStates,
                                             " states; use smaller repetition counts")};
    loop_tail_calls();
    drop_dead_ends();
    sort_edges();
    find_byte_classes();
    if (!reaches_end(true)[out_.start(out_.root())])
        return Error{Code::invalid_argument, "no text can match it"};
    const std::vector<bool> by_nothing = reaches_end(false);
    for (uint32_t rule = 0; rule < out_.rules(); ++rule)
        out_.nullable_.push_back(by_nothing[out_.start(rule)]);
    if (bytes_.empty()) return Error{Code::invalid_argument, "only the empty text matches it"};
    return std::move(out_);
}

// --- sizes --------------------------------------------------------------------------------------

uint64_t GrammarLowering::size_of(Expr expr) {
    const Node& node = builder_.node(expr);
    switch (node.kind) {
        case Node::Kind::literal:
            return node.bytes.size();
        case Node::Kind::one_of:
            return 2 * node.set.ranges().size();
        case Node::Kind::byte:
            return 1;
        case Node::Kind::sequence:
        case Node::Kind::either: {
            uint64_t sum = 1;
            for (Expr part : node.parts)
                sum = add(sum, add(1, size_of(part)));
            return sum;
        }
        case Node::Kind::repeat: {
            const uint64_t copies = node.most ? *node.most : node.least + uint64_t{1};
            return add(2, times(add(1, size_of(node.parts[0])), copies));
        }
        case Node::Kind::graph: {
            uint64_t sum = node.expr_graph.states;
            for (const ExprGraph::Edge& edge : node.expr_graph.edges)
                sum = add(sum, size_of(edge.on));
            return sum;
        }
        case Node::Kind::call:
            return size_of(node.rule);
    }
    return 0;
}

/// What a call takes: the body where it is written out, else an edge. Every cycle of calls has a
/// rule that is met while it is measured; that one stays a call.
uint64_t GrammarLowering::size_of(Rule rule) {
    const auto at = static_cast<uint32_t>(rule);
    if (measuring_[at]) {
        sizes_[at] = 1;
        return 1;
    }
    if (sizes_[at]) return *sizes_[at];
    if (measured_depth_ == kMaxMeasuredDepth) return 1;  // left a call unless it is met again
    CHECK(builder_.rules()[at].body, builder_.rules()[at].name);
    measuring_[at] = true;
    ++measured_depth_;
    const uint64_t size = size_of(*builder_.rules()[at].body);
    --measured_depth_;
    measuring_[at] = false;
    if (!sizes_[at]) {
        called_[at].inlined = size <= kInlineStates && !builder_.rules()[at].apart;
        sizes_[at] = called_[at].inlined ? size : 1;
    }
    return *sizes_[at];
}

// --- states and edges ---------------------------------------------------------------------------

bool GrammarLowering::lower_rules(Expr root) {
    add_rule();
    if (!lower(root, out_.start(0), out_.end(0))) return false;
    while (!waiting_.empty()) {
        const auto rule = static_cast<uint32_t>(waiting_.back());
        waiting_.pop_back();
        current_rule_ = *called_[rule].number;
        if (!lower(*builder_.rules()[rule].body, out_.start(current_rule_),
                   out_.end(current_rule_)))
            return false;
    }
    return true;
}

uint32_t GrammarLowering::add_rule() {
    const uint32_t before = std::exchange(current_rule_, out_.rules());
    out_.rule_start_.push_back(0);
    out_.rule_end_.push_back(0);
    out_.rule_start_.back() = add_state();
    out_.rule_end_.back() = add_state();
    return std::exchange(current_rule_, before);
}

uint32_t GrammarLowering::add_state() {
    out_.rule_of_.push_back(current_rule_);
    return out_.states() - 1;
}

bool GrammarLowering::lower(Expr expr, uint32_t from, uint32_t to) {
    if (out_.states() > kMaxGrammarStates) return false;
    const Node& node = builder_.node(expr);
    switch (node.kind) {
        case Node::Kind::literal:
            return lower_literal(node.bytes, from, to);
        case Node::Kind::one_of:
            return lower_set(node.set, from, to);
        case Node::Kind::byte:
            add_byte(from, node.range, to);
            return true;
        case Node::Kind::sequence:
            return lower_sequence(node.parts, from, to);
        case Node::Kind::either:
            return std::all_of(node.parts.begin(), node.parts.end(),
                               [&](Expr part) { return lower(part, from, to); });
        case Node::Kind::repeat:
            return lower_repeat(node, from, to);
        case Node::Kind::graph:
            return lower_graph(node.expr_graph, from, to);
        case Node::Kind::call:
            return lower_call(node.rule, from, to);
    }
    return false;
}

bool GrammarLowering::lower_literal(const std::string& bytes, uint32_t from, uint32_t to) {
    if (bytes.empty()) add_free(from, to);
    for (size_t i = 0; i < bytes.size(); ++i) {
        const auto byte = static_cast<uint8_t>(bytes[i]);
        const uint32_t next = i + 1 < bytes.size() ? add_state() : to;
        add_byte(from, {byte, byte}, next);
        from = next;
    }
    return true;
}

/// Ends of continuation bytes that take anything are shared: large classes have many of them.
bool GrammarLowering::lower_set(const CodePointSet& set, uint32_t from, uint32_t to) {
    uint32_t tails[4] = {to};  // [n]: n free continuation bytes away from `to`
    const auto tail = [&](size_t n) {
        for (size_t i = 1; i <= n; ++i)
            if (tails[i] == 0) add_byte(tails[i] = add_state(), {0x80, 0xbf}, tails[i - 1]);
        return tails[n];
    };
    for (CodePointRange range : set.ranges()) {
        for (const ByteRanges& bytes : utf8_ranges(range)) {
            size_t shared = 0;
            while (shared + 1 < bytes.size() && is_continuation(bytes[bytes.size() - 1 - shared]))
                ++shared;
            uint32_t at = from;
            for (size_t i = 0; i + shared < bytes.size(); ++i) {
                const bool last = i + shared + 1 == bytes.size();
                const uint32_t next = last ? tail(shared) : add_state();
                add_byte(at, bytes[i], next);
                at = next;
            }
        }
    }
    return true;
}

bool GrammarLowering::lower_sequence(const std::vector<Expr>& parts, uint32_t from, uint32_t to) {
    if (parts.empty()) add_free(from, to);
    for (size_t i = 0; i < parts.size(); ++i) {
        const uint32_t next = i + 1 < parts.size() ? add_state() : to;
        if (!lower(parts[i], from, next)) return false;
        from = next;
    }
    return true;
}

bool GrammarLowering::lower_repeat(const Node& node, uint32_t from, uint32_t to) {
    const Expr part = node.parts[0];
    for (uint32_t i = 0; i < node.least; ++i) {
        const uint32_t next = add_state();
        if (!lower(part, from, next)) return false;
        from = next;
    }
    if (!node.most) {
        const uint32_t loop = add_state();
        add_free(from, loop);
        add_free(loop, to);
        return lower(part, loop, loop);
    }
    for (uint32_t i = node.least; i < *node.most; ++i) {
        const uint32_t next = add_state();
        add_free(from, to);
        if (!lower(part, from, next)) return false;
        from = next;
    }
    add_free(from, to);
    return true;
}

bool GrammarLowering::lower_graph(const ExprGraph& graph, uint32_t from, uint32_t to) {
    const uint32_t first = out_.states();
    for (uint32_t i = 0; i < graph.states; ++i)
        add_state();
    add_free(from, first);
    for (const ExprGraph::Edge& edge : graph.edges)
        if (!lower(edge.on, first + edge.from, first + edge.to)) return false;
    for (uint32_t end : graph.ends)
        add_free(first + end, to);
    return true;
}

bool GrammarLowering::lower_call(Rule rule, uint32_t from, uint32_t to) {
    const auto at = static_cast<uint32_t>(rule);
    if (called_[at].inlined) return lower(*builder_.rules()[at].body, from, to);
    if (!called_[at].number) {
        called_[at].number = add_rule();
        waiting_.push_back(rule);
    }
    calls_.push_back({from, {*called_[at].number, to}});
    return true;
}

void GrammarLowering::add_byte(uint32_t from, ByteRange range, uint32_t to) {
    bytes_.push_back({from, {range.first, range.last, to}});
}

// --- afterwards ---------------------------------------------------------------------------------

/// A rule whose last act is to call itself starts again instead: lists written by recursion would
/// otherwise nest as deep as they are long.
void GrammarLowering::loop_tail_calls() {
    constexpr uint32_t kNowhere = UINT32_MAX, kNotOnlyFree = UINT32_MAX - 1;
    std::vector<uint32_t> only_next(out_.states(), kNowhere);  // by the one free edge there is
    for (const auto& edge : free_)
        only_next[edge.from] = only_next[edge.from] == kNowhere ? edge.edge : kNotOnlyFree;
    for (const auto& edge : bytes_)
        only_next[edge.from] = kNotOnlyFree;
    for (const auto& edge : calls_)
        only_next[edge.from] = kNotOnlyFree;
    const auto is_tail = [&](uint32_t state, uint32_t end) {
        for (int hops = 0; state != end && hops < 8 && state < kNotOnlyFree; ++hops)
            state = only_next[state];
        return state == end && only_next[end] == kNowhere;
    };
    std::erase_if(calls_, [&](const From<Grammar::CallEdge>& call) {
        const uint32_t rule = out_.rule_of(call.from);
        if (call.edge.rule != rule || !is_tail(call.edge.to, out_.end(rule))) return false;
        add_free(call.from, out_.start(rule));
        return true;
    });
}

/// [state]: whether the end of its rule can be reached, by reading bytes or by none.
std::vector<bool> GrammarLowering::reaches_end(bool by_bytes) const {
    struct Back {
        uint32_t from;
        uint32_t rule;  // that must match in between; kNone for an edge without a call
    };
    constexpr uint32_t kNone = UINT32_MAX;
    std::vector<From<Back>> into;
    if (by_bytes)
        for (const auto& edge : bytes_)
            into.push_back({edge.edge.to, {edge.from, kNone}});
    for (const auto& edge : free_)
        into.push_back({edge.edge, {edge.from, kNone}});
    for (const auto& edge : calls_)
        into.push_back({edge.edge.to, {edge.from, edge.edge.rule}});
    Grammar::Table<Back> back;
    tabulate(into, out_.states(), back);

    std::vector<bool> reached(out_.states());
    std::vector<std::vector<uint32_t>> until_rule(out_.rules());  // states that wait for a rule
    std::vector<uint32_t> work;
    const auto reach = [&](uint32_t state) {
        if (!reached[state]) work.push_back(state);
        reached[state] = true;
    };
    for (uint32_t rule = 0; rule < out_.rules(); ++rule)
        reach(out_.end(rule));
    while (!work.empty()) {
        const uint32_t state = work.back();
        work.pop_back();
        for (const Back& edge : back.of(state)) {
            if (edge.rule == kNone || reached[out_.start(edge.rule)])
                reach(edge.from);
            else
                until_rule[edge.rule].push_back(edge.from);
        }
        const uint32_t rule = out_.rule_of(state);
        if (state == out_.start(rule))
            for (uint32_t waiting : until_rule[rule])
                reach(waiting);
    }
    return reached;
}

void GrammarLowering::drop_dead_ends() {
    const std::vector<bool> alive = reaches_end(true);
    std::erase_if(bytes_, [&](const auto& edge) { return !alive[edge.edge.to]; });
    std::erase_if(free_, [&](const auto& edge) { return !alive[edge.edge]; });
    std::erase_if(calls_, [&](const auto& edge) {
        return !alive[edge.edge.to] || !alive[out_.start(edge.edge.rule)];
    });
}

void GrammarLowering::find_byte_classes() {
    std::bitset<257> begins;
    begins.set(' ').set(' ' + 1);
    for (const auto& edge : bytes_)
        begins.set(edge.edge.first).set(edge.edge.last + size_t{1});
    uint32_t last = 0;
    for (size_t byte = 0; byte < 256; ++byte) {
        if (byte > 0 && begins[byte]) ++last;
        out_.class_of_[byte] = static_cast<uint8_t>(last);
    }
    out_.classes_ = last + 1;
}

void GrammarLowering::sort_edges() {
    tabulate(bytes_, out_.states(), out_.bytes_);
    tabulate(calls_, out_.states(), out_.calls_);
    tabulate(free_, out_.states(), out_.free_);
}

/// Counting sort by the state that an edge leaves; edges of one state keep their order.
template <typename Edge>
void GrammarLowering::tabulate(const std::vector<From<Edge>>& edges, uint32_t states,
                               Grammar::Table<Edge>& out) {
    out.begin.assign(states + size_t{1}, 0);
    for (const From<Edge>& edge : edges)
        ++out.begin[edge.from + 1];
    for (size_t i = 1; i < out.begin.size(); ++i)
        out.begin[i] += out.begin[i - 1];
    std::vector<uint32_t> next(out.begin.begin(), out.begin.end() - 1);
    out.edges.resize(edges.size());
    for (const From<Edge>& edge : edges)
        out.edges[next[edge.from]++] = edge.edge;
}

}  // namespace brigada
