// VocabularySpec: what a tokenizer is made of, in the terms every source shares. The GGUF reader
// fills it from metadata, tokenizer_json.h fills it from Hugging Face's file, and
// Tokenizer::from_spec checks it and builds the tables.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"

namespace brigada {

enum class VocabularyKind {
    bpe_bytes,  // GPT-2's: merges over bytes, pieces written in GPT-2's alphabet ("Ġthe")
    bpe_spm,    // SentencePiece BPE: merges over characters by list or by score, "▁" for the space
    unigram,    // SentencePiece unigram: the segmentation with the greatest sum of scores
};

/// What a piece is for. The numbers are those of GGUF's tokenizer.ggml.token_type.
enum class PieceType : uint8_t {
    normal = 1,
    unknown = 2,
    control = 3,       // steers the model: <s>, <|im_end|>; never in the text of a user
    user_defined = 4,  // found in the text before anything else, but not a control token
    unused = 5,
    byte = 6,  // "<0x0A>": one byte of a character that has no piece
};

/// One line of a merge list: where `left` and `right` stand side by side they may become one piece.
/// Both are written as `pieces` are.
struct Merge {
    std::string left;
    std::string right;
};

/// "Ġ t" as GGUF and older tokenizer.json files write it: cut at the first space after the first
/// byte. Error::corrupt names a line that has none.
Result<Merge> parse_merge(std::string_view line);

/// A token found in the text before normalisation and splitting.
struct AddedToken {
    std::string text;  // as it stands in the text, never in GPT-2's alphabet
    TokenId id{};
    bool special = false;      // a control token: see Specials
    bool normalized = false;   // looked for after normalisation, not before
    bool lstrip = false;       // takes the white space on its left with it
    bool rstrip = false;       // and on its right
    bool single_word = false;  // only where no word character touches it
};

/// One step of rewriting the text before it is split.
struct NormalizerStep {
    enum class Kind {
        nfc,
        nfd,
        nfkc,
        nfkd,
        lowercase,
        strip,            // white space at the start (`left`) and the end (`right`)
        prepend,          // `to` before a text that is not empty
        replace,          // every `from` becomes `to`
        replace_regex,    // every match of the regular expression `from` becomes `to`
        collapse_spaces,  // runs of spaces become one; none at either end
    };
    Kind kind = Kind::nfc;
    std::string from{};
    std::string to{};
    bool left = false;
    bool right = false;
};

/// One step of cutting the text into words, inside which pieces are formed. Each step cuts what the
/// step before it left.
struct SplitStep {
    enum class Kind {
        regex,        // `pattern` is a regular expression
        literal,      // `pattern` is a string
        digits,       // runs of digits, or each digit when `individual`
        whitespace,   // \w+|[^\w\s]+ ; what lies between is dropped
        spaces,       // at white space, which is dropped
        punctuation,  // each punctuation character, by `behaviour`
        metaspace,  // " " becomes `pattern` ("▁"), with one in front by `prepend`; cut before it if
                    // `individual`
        byte_prefix,  // a space in front of a word that does not begin with white space (GPT-2's
                      // add_prefix_space)
    };
    /// What becomes of the matches, in Hugging Face's words.
    enum class Behaviour { removed, isolated, merged_with_previous, merged_with_next, contiguous };
    enum class Prepend { never, first, always };

    Kind kind = Kind::regex;
    std::string pattern{};
    Behaviour behaviour = Behaviour::isolated;
    bool invert = false;  // the pattern says what lies between the cuts
    bool individual = false;
    Prepend prepend = Prepend::always;
};

struct VocabularySpec {
    VocabularyKind kind = VocabularyKind::bpe_bytes;

    std::vector<std::string> pieces;  // [id], as the source writes them; "" is a hole
    std::vector<float> scores;        // [id] or empty; bpe_spm without merges, and unigram
    std::vector<PieceType> types;     // [id] or empty: then all are normal but the added tokens
    std::vector<Merge> merges;        // in order of priority

    /// Found in the text first. Empty: taken from `types` (control, unknown, user_defined).
    std::vector<AddedToken> added;

    /// How the text is rewritten and cut. A tokenizer.json says so in steps and sets `has_steps`. A
    /// GGUF leaves it false and says it with `pre` (bpe_bytes) or the two space flags (bpe_spm,
    /// unigram); from_spec turns those into steps.
    bool has_steps = false;
    std::vector<NormalizerStep> normalizer;
    std::vector<SplitStep> splits;
    std::string pre;                // tokenizer.ggml.pre: "qwen2", "llama-bpe", "smollm", ...
    bool add_space_prefix = false;  // "▁" before a text, and after each added token
    bool remove_extra_whitespaces = false;  // SentencePiece's

    bool ignore_merges = false;  // a word that is a piece is that piece
    bool fuse_unk = true;        // a run of unknown characters is one unknown token
    bool byte_fallback = false;  // a character without a piece becomes its <0xNN> tokens
    /// Decoding drops one space at the start of a text; add_space_prefix implies it.
    bool strip_decoded_space = false;

    bool add_bos = false;  // what the source says of a whole prompt; encode never adds either
    bool add_eos = false;
    std::optional<TokenId> bos, eos, unk, pad;
    std::vector<TokenId> ends;  // further tokens that end an answer: end of turn, end of message
};

/// SentencePiece's sign for a space in a piece: U+2581.
inline constexpr std::string_view kSpaceMark = "\xe2\x96\x81";

/// The spec with its steps and added tokens written out. Error::corrupt where it contradicts
/// itself, ::too_large, or ::unsupported for a `pre` that this build does not know.
Result<VocabularySpec> complete_spec(VocabularySpec spec);

}  // namespace brigada
