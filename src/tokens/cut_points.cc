#include "tokens/cut_points.h"

#include "tokens/unicode.h"

namespace brigada {

namespace {

constexpr size_t kMarkKind = 0x80;  // no character begins with this byte

}  // namespace

size_t CutPoints::kind(std::string_view text, size_t at) {
    return text.substr(at).starts_with(kSpaceMark) ? kMarkKind : static_cast<uint8_t>(text[at]);
}

CutPoints::CutPoints(const VocabularySpec& spec, const StringTable& pieces) {
    if (spec.kind == VocabularyKind::bpe_bytes) return;
    bool has_mark = false;
    for (size_t id = 0; id < pieces.size(); ++id) {
        const std::string_view piece = pieces[id];
        has_mark = has_mark || piece == kSpaceMark;
        for (size_t at = 0; at < piece.size();) {
            const size_t next = at + char_at(piece, at).bytes;
            if (next < piece.size()) joined_.set(kind(piece, at) << 8 | kind(piece, next));
            at = next;
        }
    }
    joined_.set(kMarkKind << 8 | kMarkKind);
    if (!spec.byte_fallback) join_all_but_marks();
    any_ = has_mark;
}

void CutPoints::join_all_but_marks() {
    for (size_t pair = 0; pair < joined_.size(); ++pair)
        if ((pair & 0xff) != kMarkKind) joined_.set(pair);
}

size_t CutPoints::first(std::string_view text) const {
    size_t before = kind(text, 0);
    for (size_t at = char_at(text, 0).bytes; at < text.size();) {
        const size_t here = kind(text, at);
        if (!joined_[before << 8 | here]) return at;
        at += here < 0x80 ? 1 : char_at(text, at).bytes;
        before = here;
    }
    return text.size();
}

}  // namespace brigada
