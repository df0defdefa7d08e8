#include "grammar/grammar_masks.h"

#include <algorithm>
#include <utility>

namespace brigada {

namespace {

/// Masks of positions that are kept; then all are dropped, since those in use come again at once.
constexpr size_t kMaxMaskBytes = 16 << 20;

/// Fewer tokens than this are a list, not a mask.
constexpr size_t kFewTokens = 1024;

std::span<const uint8_t> as_bytes(std::string_view text) {
    return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

}  // namespace

GrammarMasks::GrammarMasks(std::shared_ptr<const Grammar> grammar, const TokenTrie& trie,
                           std::vector<Control> controls)
    : trie_(trie),
      controls_(std::move(controls)),
      recogniser_(std::move(grammar)),
      plain_bytes_{{{0x20, 0x21}}, {{0x23, 0x5b}}, {{0x5d, 0x7f}}},
      path_(trie.all().max_depth + 1) {
    const CodePointSet wide{{0x80, kLastCodePoint}};
    for (CodePointRange range : wide.ranges())
        for (ByteRanges& bytes : utf8_ranges(range))
            plain_bytes_.push_back(std::move(bytes));
}

Position GrammarMasks::step(Position at, std::string_view bytes) {
    return recogniser_.step(at, as_bytes(bytes));
}

const TokenMask& GrammarMasks::allowed(Position at) {
    const auto key = static_cast<uint32_t>(at);
    if (const auto known = masks_.find(key); known != masks_.end()) return known->second;
    const size_t mask_bytes = trie_.vocabulary() / 8 + 64;
    if ((masks_.size() + 1) * mask_bytes > kMaxMaskBytes) masks_.clear();
    return masks_.emplace(key, work_out(at)).first->second;
}

TokenMask GrammarMasks::work_out(Position at) {
    TokenMask out(trie_.vocabulary());
    add_text(at, out);
    for (const Control& control : controls_)
        if (step(at, control.text) != kDead) out.add(control.token);
    return out;
}

void GrammarMasks::add_text(Position at, TokenMask& out) {
    std::vector<uint32_t> none;
    if (!recogniser_.plain(at)) {
        const auto nodes = static_cast<uint32_t>(trie_.all().nodes.size());
        walk(at, trie_.all(), 0, nodes, false, out, none);
        return;
    }
    const auto frames = recogniser_.frames(at);
    for (const Recogniser::Frame frame : std::vector(frames.begin(), frames.end())) {
        const FrameMask& mask = frame_mask(frame);
        for (TokenId token : mask.few)
            out.add(token);
        if (mask.many) out.add(*mask.many);
        add_open(at, trie_.all(), mask.open, out);
        add_open(at, trie_.not_plain(), mask.open_not_plain, out);
    }
}

/// The subtrees behind `open` as seen from `at`, where the callers are known.
void GrammarMasks::add_open(Position at, const TokenTrie::Walk& tree,
                            const std::vector<uint32_t>& open, TokenMask& out) {
    std::vector<uint32_t> none;
    for (uint32_t node : open) {
        const uint32_t depth = tree.nodes[node].depth;
        std::vector<uint8_t> bytes(depth);
        for (uint32_t i = node, left = depth; left > 0; i = tree.nodes[i].parent)
            bytes[--left] = tree.nodes[i].byte;
        path_[depth] = recogniser_.step(at, bytes);
        if (path_[depth] != kDead)
            walk(path_[depth], tree, node + 1, tree.nodes[node].end, false, out, none);
    }
}

const GrammarMasks::FrameMask& GrammarMasks::frame_mask(Recogniser::Frame frame) {
    const auto key = static_cast<uint32_t>(frame);
    const auto known = frame_masks_.find(key);
    if (known != frame_masks_.end()) return known->second;
    FrameMask& out = frame_masks_.emplace(key, work_out(frame)).first->second;
    bytes_ += sizeof(FrameMask) + 64 + 4 * (out.few.size() + out.open.size()) +
              (out.many ? trie_.vocabulary() / 8 : 0);
    return out;
}

GrammarMasks::FrameMask GrammarMasks::work_out(Recogniser::Frame frame) {
    FrameMask out;
    TokenMask mask(trie_.vocabulary());
    const Position alone = recogniser_.alone(frame);
    const bool all_plain = plain_run(alone) >= kMaxPlainCharacters;
    const TokenTrie::Walk& tree = all_plain ? trie_.not_plain() : trie_.all();
    if (all_plain) mask.add(trie_.plain(kMaxPlainCharacters));
    walk(alone, tree, 0, static_cast<uint32_t>(tree.nodes.size()), true, mask,
         all_plain ? out.open_not_plain : out.open);
    if (mask.count() >= kFewTokens) {
        out.many = std::move(mask);
        return out;
    }
    for (size_t word = 0; word < mask.words().size(); ++word)
        for (uint64_t left = mask.words()[word]; left != 0; left &= left - 1)
            out.few.push_back(TokenId{static_cast<uint32_t>(64 * word + std::countr_zero(left))});
    return out;
}

/// Adds the tokens of nodes [node, end) that fit, seen from `at`, which is where the parent of
/// `node` stands. `alone`: what lies behind the end of the frame's rule goes to `open` instead.
void GrammarMasks::walk(Position at, const TokenTrie::Walk& tree, uint32_t node, uint32_t end,
                        bool alone, TokenMask& out, std::vector<uint32_t>& open) {
    if (node == end) return;
    const TokenTrie::Node* nodes = tree.nodes.data();
    path_[nodes[node].depth - 1] = at;
    while (node < end) {
        const TokenTrie::Node& here = nodes[node];
        const Position to = recogniser_.step(path_[here.depth - 1], here.byte);
        if (to == kDead) {
            node = here.end;
            continue;
        }
        path_[here.depth] = to;
        for (TokenId token : tree.tokens(here))
            out.add(token);
        if (alone && recogniser_.leaves(to)) {
            if (node + 1 < here.end) open.push_back(node);
            node = here.end;
            continue;
        }
        ++node;
    }
}

// --- plain text ---------------------------------------------------------------------------------

/// How many characters of plain text may follow whatever they are, up to kMaxPlainCharacters.
uint32_t GrammarMasks::plain_run(Position at) {
    return survives(at, kMaxPlainCharacters) ? kMaxPlainCharacters : 0;
}

bool GrammarMasks::survives(Position at, uint32_t characters) {
    if (characters == 0) return true;
    const auto key = static_cast<uint32_t>(at);
    if (const PlainRun known = plain_runs_[key]; characters <= known.survives) {
        return true;
    } else if (characters >= known.dies) {
        return false;
    }
    std::vector<Position> targets;
    bool all = plain_targets(at, targets);
    const bool itself = all && targets.size() == 1 && targets.front() == at;
    if (itself) characters = kMaxPlainCharacters;
    for (size_t i = 0; all && !itself && i < targets.size(); ++i)
        all = survives(targets[i], characters - 1);
    PlainRun& run = plain_runs_[key];
    if (all)
        run.survives = std::max(run.survives, static_cast<uint8_t>(characters));
    else
        run.dies = std::min(run.dies, static_cast<uint8_t>(characters));
    return all;
}

/// The positions after one plain character; false when some character is not allowed.
bool GrammarMasks::plain_targets(Position at, std::vector<Position>& out) {
    const Grammar& grammar = recogniser_.grammar();
    for (const ByteRanges& bytes : plain_bytes_) {
        std::vector<Position> from = {at};
        for (ByteRange range : bytes) {
            std::vector<Position> to;
            for (Position position : from) {
                for (int byte = range.first; byte <= range.last; ++byte) {
                    const auto b = static_cast<uint8_t>(byte);
                    const bool seen =
                        byte > range.first && grammar.byte_class(b) == grammar.byte_class(b - 1);
                    if (seen) continue;
                    const Position next = recogniser_.step(position, b);
                    if (next == kDead) return false;
                    if (std::find(to.begin(), to.end(), next) == to.end()) to.push_back(next);
                }
            }
            from = std::move(to);
        }
        for (Position position : from)
            if (std::find(out.begin(), out.end(), position) == out.end()) out.push_back(position);
    }
    return true;
}

}  // namespace brigada
