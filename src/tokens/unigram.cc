#include "tokens/unigram.h"

#include <algorithm>
#include <limits>

#include "base/concat.h"
#include "tokens/unicode.h"

namespace brigada {

Result<Unigram> Unigram::create(const VocabularySpec& spec, const StringTable& pieces) {
    if (spec.scores.size() != pieces.size() || pieces.size() == 0)
        return Error{Code::corrupt,
                     concat("a unigram vocabulary of ", pieces.size(), " pieces and ",
                            spec.scores.size(), " scores; each piece needs one")};
    size_t bytes = 0;
    for (size_t id = 0; id < pieces.size(); ++id)
        bytes += pieces[id].size();

    Unigram out;
    out.scores_ = spec.scores;
    out.unk_ = spec.unk;
    out.unknown_score_ = std::ranges::min(spec.scores) - kUnknownPenalty;
    out.edges_ = FlatMap<uint32_t>(bytes);
    out.piece_at_node_.assign(1, kUnknown);
    if (spec.byte_fallback) out.byte_ids_.resize(256);
    for (uint32_t id = 0; id < pieces.size(); ++id) {
        const auto byte = byte_of_piece(pieces[id]);
        if (is_textual(spec, id) && spec.unk != TokenId{id}) out.insert(pieces[id], id);
        if (byte && spec.byte_fallback) out.byte_ids_[*byte] = TokenId{id};
    }
    return out;
}

void Unigram::insert(std::string_view piece, uint32_t id) {
    uint32_t node = 0;
    for (const char c : piece) {
        const uint64_t edge = uint64_t{node} << 8 | static_cast<uint8_t>(c);
        const auto next = static_cast<uint32_t>(piece_at_node_.size());
        if (edges_.insert(edge, next)) piece_at_node_.push_back(kUnknown);
        node = *edges_.find(edge);
    }
    if (node != 0) piece_at_node_[node] = id;
}

void Unigram::append(std::string_view word, Scratch& scratch, Tokens& out) const {
    auto& [best, path] = scratch;
    constexpr double kNever = -std::numeric_limits<double>::infinity();
    best.assign(word.size() + 1, {kNever, 0, kUnknown});
    best[0].score = 0;
    const auto offer = [&](size_t from, size_t to, double score, uint32_t id) {
        if (best[from].score + score > best[to].score)
            best[to] = {best[from].score + score, from, id};
    };
    for (size_t from = 0; from < word.size();) {
        const size_t next = from + char_at(word, from).bytes;
        bool has_single = false;
        uint32_t node = 0;
        for (size_t to = from; to < word.size();) {
            const uint64_t edge = uint64_t{node} << 8 | static_cast<uint8_t>(word[to++]);
            const uint32_t* child = edges_.find(edge);
            if (!child) break;
            node = *child;
            const uint32_t id = piece_at_node_[node];
            if (id == kUnknown) continue;
            offer(from, to, scores_[id], id);
            has_single = has_single || to == next;
        }
        if (!has_single) offer(from, next, unknown_score_, kUnknown);
        from = next;
    }

    path.clear();
    for (size_t to = word.size(); to > 0; to = best[to].from)
        path.push_back({0, to - best[to].from, best[to].id});
    size_t at = 0, unknown_from = 0;
    for (size_t i = path.size(); i-- > 0;) {
        const auto [score, length, id] = path[i];
        if (id != kUnknown) {
            append_unknown(word.substr(unknown_from, at - unknown_from), out);
            out.push_back(TokenId{id});
            unknown_from = at + length;
        }
        at += length;
    }
    append_unknown(word.substr(unknown_from), out);
}

/// A run of unknown characters: their bytes, if each has a piece, else one unknown token.
void Unigram::append_unknown(std::string_view text, Tokens& out) const {
    if (text.empty()) return;
    const auto byte_id = [&](char c) { return byte_ids_[static_cast<uint8_t>(c)]; };
    if (!byte_ids_.empty() &&
        std::ranges::all_of(text, [&](char c) { return byte_id(c).has_value(); }))
        for (const char c : text)
            out.push_back(*byte_id(c));
    else if (unk_)
        out.push_back(*unk_);
}

}  // namespace brigada
