#include "grammar/text_scanner.h"

#include <algorithm>

namespace brigada {

namespace {

bool is_space(uint8_t byte) {
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

}  // namespace

TextScanner::Mode TextScanner::add_mode() {
    modes_.emplace_back();
    return Mode{static_cast<uint32_t>(modes_.size() - 1)};
}

TextScanner::Mode TextScanner::add_end() {
    const Mode out = add_mode();
    at(out).is_end = true;
    return out;
}

TextScanner::Literal& TextScanner::literal_in(std::vector<Literal>& literals,
                                              std::string_view text) {
    const auto known = std::ranges::find(literals, text, &Literal::text);
    if (known != literals.end()) return *known;
    return literals.emplace_back(std::string(text));
}

void TextScanner::watch(Mode mode, std::string_view literal, Expr piece, Mode to) {
    literal_in(at(mode).anywhere, literal).ways.push_back({piece, to});
}

void TextScanner::watch_start(Mode mode, std::string_view literal, Expr piece, Mode to) {
    literal_in(at(mode).at_start, literal).ways.push_back({piece, to});
}

void TextScanner::forbid_start(Mode mode, std::string_view literal) {
    literal_in(at(mode).at_start, literal);
}

TextScanner::State TextScanner::beginning(Mode mode) const {
    State out{.mode = static_cast<uint32_t>(mode), .end = {}, .begun = {}};
    for (size_t i = 0; i < modes_[out.mode].at_start.size(); ++i)
        out.begun.emplace_back(i, 0);
    return out;
}

TextScanner::Step TextScanner::step(const State& from, uint8_t byte) const {
    const ModeEntry& mode = modes_[from.mode];
    Step out{.state = from};
    const Literal* begun = step_start(mode, byte, out.state);
    const Literal* found = step_anywhere(mode, byte, out.state);
    out.complete = begun ? begun : found;
    if (out.state.begun.empty() && mode.otherwise)
        out.state.mode = static_cast<uint32_t>(*mode.otherwise);
    return out;
}

const TextScanner::Literal* TextScanner::step_start(const ModeEntry& mode, uint8_t byte,
                                                    State& state) const {
    std::vector<std::pair<size_t, size_t>> next;
    const Literal* complete = nullptr;
    for (auto [literal, at] : state.begun) {
        const std::string& text = mode.at_start[literal].text;
        if (text[at] == '\n' && is_space(byte)) {
            next.emplace_back(literal, at);
            continue;
        }
        at += text[at] == '\n' ? 1 : 0;
        if (static_cast<uint8_t>(text[at]) != byte) continue;
        if (at + 1 == text.size())
            complete = &mode.at_start[literal];
        else
            next.emplace_back(literal, at + 1);
    }
    state.begun = std::move(next);
    return complete;
}

const TextScanner::Literal* TextScanner::step_anywhere(const ModeEntry& mode, uint8_t byte,
                                                       State& state) const {
    std::string text = state.end + static_cast<char>(byte);
    for (const Literal& literal : mode.anywhere)
        if (text.ends_with(literal.text)) return &literal;
    for (state.end.clear(); !text.empty(); text.erase(0, 1)) {
        const auto begins = [&](const Literal& literal) { return literal.text.starts_with(text); };
        if (std::ranges::none_of(mode.anywhere, begins)) continue;
        state.end = std::move(text);
        break;
    }
    return nullptr;
}

// --- as a graph ---------------------------------------------------------------------------------

Expr TextScanner::write(Mode first) {
    graph_ = ExprGraph{.states = 0};
    numbers_.clear();
    completed_.clear();
    number_of(beginning(first));
    while (!waiting_.empty()) {
        const auto [state, number] = waiting_.back();
        waiting_.pop_back();
        if (modes_[state.mode].may_end) graph_.ends.push_back(number);
        if (!modes_[state.mode].is_end) write_steps(state, number);
    }
    return b_.graph(graph_);
}

void TextScanner::write_steps(const State& state, uint32_t number) {
    int first = 0;
    Step here = step(state, 0);
    for (int byte = 1; byte <= 256; ++byte) {
        Step next;
        if (byte < 256) next = step(state, static_cast<uint8_t>(byte));
        const bool is_same = here.complete ? next.complete == here.complete
                                           : !next.complete && next.state == here.state;
        if (byte < 256 && is_same) continue;
        const ByteRange range{static_cast<uint8_t>(first), static_cast<uint8_t>(byte - 1)};
        const uint32_t to = here.complete ? number_of(*here.complete) : number_of(here.state);
        graph_.edges.push_back({number, b_.byte(range), to});
        first = byte;
        here = std::move(next);
    }
}

uint32_t TextScanner::number_of(State state) {
    const auto [known, fresh] = numbers_.try_emplace(state, graph_.states);
    if (fresh) waiting_.emplace_back(std::move(state), graph_.add_state());
    return known->second;
}

uint32_t TextScanner::number_of(const Literal& complete) {
    const auto [known, fresh] = completed_.try_emplace(&complete, graph_.states);
    const uint32_t number = known->second;
    if (!fresh) return number;
    graph_.add_state();
    for (const Way& way : complete.ways)
        graph_.edges.push_back({number, way.piece, number_of(beginning(way.to))});
    return number;
}

}  // namespace brigada
