#include "tokens/vocabulary.h"

#include <cmath>

#include "base/concat.h"
#include "tokens/pre_tokenizer.h"

namespace brigada {

namespace {

constexpr size_t kMostPieces = 1 << 24;
constexpr size_t kMostBytes = size_t{1} << 30;

Result<void> check_id(std::optional<TokenId> id, std::string_view name, size_t pieces) {
    if (id && raw(*id) >= pieces)
        return Error{Code::corrupt,
                     concat(name, " is token ", raw(*id), " of a vocabulary of ", pieces)};
    return {};
}

Result<void> check_size(size_t got, size_t pieces, std::string_view what) {
    if (got != 0 && got != pieces)
        return Error{Code::corrupt, concat(got, " ", what, " for ", pieces,
                                           " pieces; there must be as many, or none")};
    return {};
}

Result<void> check_spec(const VocabularySpec& spec) {
    const size_t pieces = spec.pieces.size();
    if (pieces == 0 || pieces > kMostPieces)
        return Error{Code::corrupt, concat("a vocabulary of ", pieces, " pieces; 1 to ",
                                           kMostPieces, " are read")};
    size_t bytes = 0;
    for (const std::string& piece : spec.pieces)
        bytes += piece.size();
    for (const AddedToken& token : spec.added)
        bytes += token.text.size();
    if (bytes > kMostBytes)
        return Error{Code::too_large,
                     concat("pieces of ", bytes, " bytes; at most ", kMostBytes, " are read")};
    TRY(check_size(spec.scores.size(), pieces, "scores"));
    TRY(check_size(spec.types.size(), pieces, "types"));
    for (size_t id = 0; id < spec.scores.size(); ++id)
        if (!std::isfinite(spec.scores[id]))
            return Error{Code::corrupt,
                         concat("the score of piece ", id, " is not a finite number")};
    for (const AddedToken& token : spec.added)
        TRY(check_id(token.id, token.text, pieces));
    for (const TokenId id : spec.ends)
        TRY(check_id(id, "an end token", pieces));
    TRY(check_id(spec.bos, "BOS", pieces));
    TRY(check_id(spec.eos, "EOS", pieces));
    TRY(check_id(spec.unk, "the unknown token", pieces));
    TRY(check_id(spec.pad, "the padding token", pieces));
    return {};
}

std::vector<AddedToken> added_of_types(const VocabularySpec& spec) {
    std::vector<AddedToken> added;
    for (uint32_t id = 0; id < spec.types.size(); ++id) {
        const PieceType type = spec.types[id];
        const bool special = type == PieceType::control || type == PieceType::unknown;
        if (!special && type != PieceType::user_defined) continue;
        if (!spec.pieces[id].empty())
            added.push_back({.text = spec.pieces[id], .id = TokenId{id}, .special = special});
    }
    return added;
}

/// Says in steps what a GGUF says with a name and flags.
Result<void> complete_steps(VocabularySpec& spec) {
    if (spec.has_steps) return {};
    if (spec.kind == VocabularyKind::bpe_bytes) {
        TRY(PreConvention convention, convention_of_pre(spec.pre));
        spec.splits = std::move(convention.splits);
        if (convention.nfc) spec.normalizer = {{.kind = NormalizerStep::Kind::nfc}};
        spec.ignore_merges = spec.ignore_merges || convention.ignore_merges;
        return {};
    }
    using Kind = NormalizerStep::Kind;
    const std::string mark(kSpaceMark);
    if (spec.remove_extra_whitespaces) spec.normalizer.push_back({.kind = Kind::collapse_spaces});
    if (spec.add_space_prefix) spec.normalizer.push_back({.kind = Kind::prepend, .to = mark});
    spec.normalizer.push_back({.kind = Kind::replace, .from = " ", .to = mark});
    spec.strip_decoded_space = spec.strip_decoded_space || spec.add_space_prefix;
    return {};
}

}  // namespace

Result<Merge> parse_merge(std::string_view line) {
    const size_t cut = line.find(' ', 1);
    if (cut == line.npos || cut + 1 == line.size())
        return Error{Code::corrupt, concat("the merge \"", line,
                                           "\" is not two pieces with a space between them")};
    return Merge{std::string(line.substr(0, cut)), std::string(line.substr(cut + 1))};
}

Result<VocabularySpec> complete_spec(VocabularySpec spec) {
    TRY(check_spec(spec));
    if (spec.added.empty()) spec.added = added_of_types(spec);
    TRY(complete_steps(spec));
    return spec;
}

}  // namespace brigada
