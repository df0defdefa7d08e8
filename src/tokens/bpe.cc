#include "tokens/bpe.h"

#include <algorithm>
#include <functional>

#include "base/concat.h"
#include "tokens/byte_alphabet.h"
#include "tokens/unicode.h"

namespace brigada {

namespace {

constexpr size_t kMostMerges = 1 << 24;

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
}

}  // namespace

bool is_textual(const VocabularySpec& spec, size_t id) {
    if (spec.types.empty()) return true;
    const PieceType type = spec.types[id];
    return type == PieceType::normal || type == PieceType::user_defined ||
           type == PieceType::unused;
}

std::optional<uint8_t> byte_of_piece(std::string_view piece) {
    if (piece.size() != 6 || !piece.starts_with("<0x") || piece[5] != '>') return std::nullopt;
    const int high = hex_digit(piece[3]), low = hex_digit(piece[4]);
    if (high < 0 || low < 0) return std::nullopt;
    return static_cast<uint8_t>(high << 4 | low);
}

Bpe::Bpe(const VocabularySpec& spec, const StringTable& pieces)
    : pieces_(&pieces),
      over_bytes_(spec.kind == VocabularyKind::bpe_bytes),
      byte_fallback_(spec.byte_fallback),
      fuse_unk_(spec.fuse_unk),
      unk_(spec.unk),
      known_(pieces),
      whole_(pieces) {
    for (size_t id = 0; id < pieces.size(); ++id)
        if (is_textual(spec, id) && !pieces[id].empty())
            known_.insert(pieces[id], TokenId{static_cast<uint32_t>(id)}, pieces);
}

Result<Bpe> Bpe::create(const VocabularySpec& spec, const StringTable& pieces) {
    Bpe bpe(spec, pieces);
    bpe.find_bytes(spec);
    const bool by_score =
        spec.kind == VocabularyKind::bpe_spm && spec.merges.empty() && !spec.scores.empty();
    if (by_score)
        bpe.derive_merges(spec);
    else
        TRY(bpe.read_merges(spec));
    bpe.find_whole(spec);
    return bpe;
}

/// Each byte's piece: of bpe_bytes the piece that is the byte, else the <0xNN> one.
void Bpe::find_bytes(const VocabularySpec& spec) {
    byte_ids_.fill(kUnknown);
    for (size_t id = pieces_->size(); id-- > 0;) {
        const std::string_view piece = (*pieces_)[id];
        std::optional<uint8_t> byte;
        if (over_bytes_ && piece.size() == 1 && is_textual(spec, id))
            byte = static_cast<uint8_t>(piece[0]);
        if (!over_bytes_) byte = byte_of_piece(piece);
        if (byte) byte_ids_[*byte] = static_cast<uint32_t>(id);
    }
}

Result<void> Bpe::read_merges(const VocabularySpec& spec) {
    if (spec.merges.size() > kMostMerges)
        return Error{Code::too_large, concat(spec.merges.size(), " merges; at most ", kMostMerges)};
    targets_ = FlatMap<Target>(spec.merges.size());
    std::string merged;
    for (size_t rank = 0; rank < spec.merges.size(); ++rank) {
        const auto& [left, right] = spec.merges[rank];
        const std::string left_bytes = over_bytes_ ? bytes_of_alphabet(left) : left;
        const std::string right_bytes = over_bytes_ ? bytes_of_alphabet(right) : right;
        merged.assign(left_bytes).append(right_bytes);
        const auto a = known_.find(left_bytes, *pieces_), b = known_.find(right_bytes, *pieces_),
                   to = known_.find(merged, *pieces_);
        if (!a || !b || !to)
            return Error{Code::corrupt,
                         concat("merge ", rank, " of \"", left, "\" and \"", right, "\": ",
                                !a   ? "the first"
                                : !b ? "the second"
                                     : "what they make",
                                " is not in the vocabulary")};
        targets_.insert(uint64_t{raw(*a)} << 32 | raw(*b), {static_cast<uint32_t>(rank), raw(*to)});
    }
    return {};
}

/// SentencePiece's rule as a merge list: two pieces that together are a piece merge, the greater
/// score first, and equal scores rank equal.
void Bpe::derive_merges(const VocabularySpec& spec) {
    struct Candidate {
        float score;
        uint32_t left, right, to;
    };
    std::vector<Candidate> candidates;
    for (uint32_t id = 0; id < pieces_->size(); ++id) {
        const std::string_view piece = (*pieces_)[id];
        if (!is_textual(spec, id) || piece.empty()) continue;
        for (size_t cut = char_at(piece, 0).bytes; cut < piece.size();) {
            const auto left = known_.find(piece.substr(0, cut), *pieces_);
            const auto right = known_.find(piece.substr(cut), *pieces_);
            if (left && right) candidates.push_back({spec.scores[id], raw(*left), raw(*right), id});
            cut += char_at(piece, cut).bytes;
        }
    }
    std::ranges::sort(candidates, std::greater<>(), &Candidate::score);
    targets_ = FlatMap<Target>(candidates.size());
    uint32_t rank = 0;
    for (size_t i = 0; i < candidates.size(); ++i) {
        const auto& [score, left, right, to] = candidates[i];
        if (i > 0 && score < candidates[i - 1].score) ++rank;
        targets_.insert(uint64_t{left} << 32 | right, {rank, to});
    }
}

/// A piece need not be what its own text becomes: a merge list may lead elsewhere. So ask.
void Bpe::find_whole(const VocabularySpec& spec) {
    Scratch scratch;
    Tokens ids;
    for (uint32_t id = 0; id < pieces_->size(); ++id) {
        const std::string_view piece = (*pieces_)[id];
        if (!is_textual(spec, id) || piece.empty()) continue;
        ids.clear();
        if (!spec.ignore_merges) append(piece, scratch, ids);
        if (spec.ignore_merges || (ids.size() == 1 && raw(ids[0]) == id))
            whole_.insert(piece, TokenId{id}, *pieces_);
    }
}

void Bpe::append_symbols(std::string_view word, std::vector<uint32_t>& symbols) const {
    if (over_bytes_) {
        for (const char c : word)
            symbols.push_back(byte_ids_[static_cast<uint8_t>(c)]);
        return;
    }
    const auto byte_id = [&](char c) { return byte_ids_[static_cast<uint8_t>(c)]; };
    for (size_t at = 0; at < word.size();) {
        const std::string_view c = word.substr(at, char_at(word, at).bytes);
        at += c.size();
        if (const auto id = known_.find(c, *pieces_)) {
            symbols.push_back(raw(*id));
        } else if (byte_fallback_ &&
                   std::ranges::all_of(c, [&](char b) { return byte_id(b) != kUnknown; })) {
            for (const char b : c)
                symbols.push_back(byte_id(b));
        } else {
            symbols.push_back(kUnknown);
        }
    }
}

void Bpe::append(std::string_view word, Scratch& scratch, Tokens& out) const {
    std::vector<uint32_t>& symbols = scratch.symbols;
    symbols.clear();
    append_symbols(word, symbols);
    if (symbols.size() <= kFew)
        symbols.resize(merge_few(symbols.data(), symbols.size()));
    else
        merge_many(scratch);

    bool after_unknown = false;
    for (const uint32_t id : symbols) {
        const bool unknown = id == kUnknown;
        if (!unknown)
            out.push_back(TokenId{id});
        else if (unk_ && !(after_unknown && fuse_unk_))
            out.push_back(*unk_);
        after_unknown = unknown;
    }
}

/// Merges in place, looking for the least rank each time: for few symbols nothing is faster.
size_t Bpe::merge_few(uint32_t* ids, size_t count) const {
    std::array<uint32_t, kFew> ranks;
    for (size_t i = 0; i + 1 < count; ++i)
        ranks[i] = rank_of(ids[i], ids[i + 1]);
    while (count > 1) {
        const auto least = std::min_element(ranks.begin(), ranks.begin() + (count - 1));
        if (*least == kNoRank) break;
        const auto i = static_cast<size_t>(least - ranks.begin());
        ids[i] = target(ids[i], ids[i + 1])->id;
        std::copy(ids + i + 2, ids + count, ids + i + 1);
        std::copy(ranks.begin() + i + 1, ranks.begin() + (count - 1), ranks.begin() + i);
        --count;
        if (i > 0) ranks[i - 1] = rank_of(ids[i - 1], ids[i]);
        if (i + 1 < count) ranks[i] = rank_of(ids[i], ids[i + 1]);
    }
    return count;
}

/// The same with a list and a heap, n log n. An entry of the heap whose rank is no longer its
/// node's is out of date.
void Bpe::merge_many(Scratch& scratch) const {
    constexpr uint32_t kNone = UINT32_MAX;
    auto& [symbols, nodes, heap] = scratch;
    const auto count = static_cast<uint32_t>(symbols.size());
    nodes.resize(count);
    heap.clear();
    const auto rank = [&](uint32_t at) {
        const uint32_t next = nodes[at].next;
        nodes[at].rank = next == kNone ? kNoRank : rank_of(nodes[at].id, nodes[next].id);
        return nodes[at].rank;
    };
    const auto entry = [&](uint32_t at) { return uint64_t{nodes[at].rank} << 32 | at; };

    for (uint32_t i = 0; i < count; ++i)
        nodes[i] = {symbols[i], kNoRank, i == 0 ? kNone : i - 1, i + 1 == count ? kNone : i + 1};
    for (uint32_t i = 0; i < count; ++i)
        if (rank(i) != kNoRank) heap.push_back(entry(i));
    std::ranges::make_heap(heap, std::greater<>());
    const auto rank_again = [&](uint32_t at) {
        if (rank(at) == kNoRank) return;
        heap.push_back(entry(at));
        std::ranges::push_heap(heap, std::greater<>());
    };

    while (!heap.empty()) {
        std::ranges::pop_heap(heap, std::greater<>());
        const auto at = static_cast<uint32_t>(heap.back());
        const auto then = static_cast<uint32_t>(heap.back() >> 32);
        heap.pop_back();
        if (nodes[at].rank != then) continue;
        const uint32_t right = nodes[at].next;
        nodes[at].id = target(nodes[at].id, nodes[right].id)->id;
        nodes[at].next = nodes[right].next;
        nodes[right].rank = kNoRank;  // gone
        if (nodes[at].next != kNone) nodes[nodes[at].next].prev = at;
        rank_again(at);
        if (nodes[at].prev != kNone) rank_again(nodes[at].prev);
    }
    symbols.clear();
    for (uint32_t at = 0; at != kNone; at = nodes[at].next)
        symbols.push_back(nodes[at].id);
}

}  // namespace brigada
