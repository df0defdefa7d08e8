#include "tokens/tokenizer_parts.h"

#include <algorithm>

#include "tokens/byte_alphabet.h"

namespace brigada {

namespace {

/// Names of control tokens that end an answer in the vocabularies we know of.
constexpr std::string_view kEndNames[] = {
    "<|endoftext|>",
    "<|end_of_text|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|im_end|>",
    "<|end|>",
    "<|return|>",
    "<|call|>",
    "<EOT>",
    "<end_of_turn>",
    "<turn|>",
    "<|eot|>",
    "<|eom|>",
    "<|user|>",
    "<|observation|>",
    "<|END_OF_TURN_TOKEN|>",
    "<｜end▁of▁sentence｜>",
};

/// The bytes of each piece that words are looked up by.
StringTable piece_bytes(const VocabularySpec& spec) {
    StringTable out;
    for (const std::string& piece : spec.pieces)
        out.add(spec.kind == VocabularyKind::bpe_bytes ? bytes_of_alphabet(piece) : piece);
    return out;
}

std::string with_spaces(std::string_view piece) {
    std::string out;
    for (size_t at = 0; at < piece.size();) {
        const bool mark = piece.substr(at).starts_with(kSpaceMark);
        if (mark)
            out += ' ';
        else
            out += piece[at];
        at += mark ? kSpaceMark.size() : 1;
    }
    return out;
}

/// What each token adds to a decoded text.
StringTable decoded_bytes(const VocabularySpec& spec, const StringTable& pieces) {
    std::vector<const AddedToken*> added(pieces.size(), nullptr);
    for (const AddedToken& token : spec.added)
        added[raw(token.id)] = &token;
    StringTable out;
    for (size_t id = 0; id < pieces.size(); ++id) {
        const bool marks_spaces = spec.kind != VocabularyKind::bpe_bytes;
        const std::string text = added[id] ? added[id]->text : std::string(pieces[id]);
        const auto byte = marks_spaces ? byte_of_piece(text) : std::nullopt;
        if (byte && !added[id])
            out.add(std::string(1, static_cast<char>(*byte)));
        else
            out.add(marks_spaces ? with_spaces(text) : text);
    }
    return out;
}

std::vector<AddedToken> only(const std::vector<AddedToken>& added, bool normalized) {
    std::vector<AddedToken> out;
    std::ranges::copy_if(added, std::back_inserter(out),
                         [&](const AddedToken& token) { return token.normalized == normalized; });
    return out;
}

/// Tokens looked for in normalised text are themselves normalised.
std::vector<AddedToken> normalize_texts(std::vector<AddedToken> added,
                                        const Normalizer& normalizer) {
    std::string storage;
    for (AddedToken& token : added)
        token.text = std::string(normalizer.normalize(token.text, storage));
    return added;
}

}  // namespace

TokenizerParts::TokenizerParts(const VocabularySpec& spec, Normalizer normalizer_in,
                               PreTokenizer pre_tokenizer_in)
    : pieces(piece_bytes(spec)),
      decoded(decoded_bytes(spec, pieces)),
      by_bytes(decoded),
      flags(pieces.size()),
      added_raw(only(spec.added, false)),
      added_normalized(normalize_texts(only(spec.added, true), normalizer_in)),
      normalizer(std::move(normalizer_in)),
      pre_tokenizer(std::move(pre_tokenizer_in)),
      cuts(spec, pieces),
      strips_first_space(spec.strip_decoded_space),
      add_bos(spec.add_bos),
      add_eos(spec.add_eos),
      bos(spec.bos),
      eos(spec.eos),
      unk(spec.unk),
      pad(spec.pad) {
    for (const AddedToken& token : spec.added)
        if (token.special) flags[raw(token.id)] |= kSpecial;
    for (size_t id = 0; id < spec.types.size(); ++id)
        if (spec.types[id] == PieceType::control || spec.types[id] == PieceType::unknown)
            flags[id] |= kSpecial;
    for (const bool textual : {true, false})  // "A" is rather the piece than the byte
        for (uint32_t id = 0; id < decoded.size(); ++id)
            if (is_textual(spec, id) == textual && !decoded[id].empty())
                by_bytes.insert(decoded[id], TokenId{id}, decoded);
    mark_ends(spec);
}

void TokenizerParts::mark_ends(const VocabularySpec& spec) {
    const auto named = [&](std::string_view name) -> std::optional<TokenId> {
        const auto id = by_bytes.find(name, decoded);
        return id && is_special(*id) ? id : std::nullopt;
    };
    const auto add = [&](std::optional<TokenId> id) {
        if (!id || flags[raw(*id)] & kEnds) return;
        flags[raw(*id)] |= kEnds;
        ends.push_back(*id);
    };
    add(spec.eos);
    for (const TokenId id : spec.ends)
        add(id);
    const bool harmony =
        named("<|return|>") && named("<|call|>");  // there <|end|> ends one message
    for (const std::string_view name : kEndNames)
        if (!(harmony && name == "<|end|>")) add(named(name));
}

Result<std::unique_ptr<const TokenizerParts>> TokenizerParts::build(const VocabularySpec& spec) {
    TRY(Normalizer normalizer, Normalizer::create(spec.normalizer));
    TRY(PreTokenizer pre_tokenizer, PreTokenizer::create(spec.splits));
    std::unique_ptr<TokenizerParts> parts(
        new TokenizerParts(spec, std::move(normalizer), std::move(pre_tokenizer)));
    if (spec.kind == VocabularyKind::unigram) {
        TRY(parts->model, Unigram::create(spec, parts->pieces));
    } else {
        TRY(parts->model, Bpe::create(spec, parts->pieces));
    }
    return std::unique_ptr<const TokenizerParts>(std::move(parts));
}

}  // namespace brigada
