#include "toolcall/answer_piece.h"

namespace brigada {

void append_text(AnswerPieces& pieces, AnswerPiece::Kind kind, std::string_view text) {
    if (text.empty()) return;
    if (pieces.empty() || pieces.back().kind != kind || !pieces.back().reason.empty())
        pieces.push_back({.kind = kind});
    pieces.back().text += text;
}

}  // namespace brigada
