#include "tokens/tokenizer_json.h"

#include <simdjson.h>

#include <algorithm>

#include "base/concat.h"
#include "tokens/bpe.h"
#include "tokens/pattern_split.h"
#include "tokens/tokenizer_config.h"

namespace brigada {

namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

constexpr size_t kMostJsonBytes = size_t{512} << 20;
constexpr int kDeepestSequence = 8;

// --- JSON ----------------------------------------------------------------------------------------

Error wrong(std::string_view what, std::string_view wanted) {
    return {Code::corrupt, concat("tokenizer.json: ", what, " must be ", wanted)};
}

Error unsupported(std::string_view kind, std::string_view name) {
    return {Code::unsupported,
            concat("tokenizer.json: the ", kind, " ", name, " is not supported by this build")};
}

/// A document and the parser that owns it.
struct Document {
    simdjson::dom::parser parser{kMostJsonBytes + simdjson::SIMDJSON_PADDING};
    object root;
};

Result<void> parse(std::string_view text, Document& out) {
    if (text.size() > kMostJsonBytes)
        return Error{Code::too_large, concat("tokenizer.json: ", text.size(), " bytes; at most ",
                                             kMostJsonBytes, " are read")};
    const auto error = out.parser.parse(text.data(), text.size()).get(out.root);
    if (error)
        return Error{Code::invalid_argument,
                     concat("tokenizer.json: no JSON object: ", simdjson::error_message(error))};
    return {};
}

/// The member, unless it is absent or null.
std::optional<element> member(object from, std::string_view key) {
    element value;
    if (from.at_key(key).get(value) || value.is_null()) return std::nullopt;
    return value;
}

template <typename T>
Result<T> get(object from, std::string_view key, T otherwise, std::string_view wanted) {
    const auto value = member(from, key);
    if (!value) return otherwise;
    T out;
    if (value->get(out)) return wrong(key, wanted);
    return out;
}

Result<bool> get_bool(object from, std::string_view key, bool otherwise) {
    return get<bool>(from, key, otherwise, "true or false");
}

Result<std::string_view> get_string(object from, std::string_view key, std::string_view otherwise) {
    return get<std::string_view>(from, key, otherwise, "a string");
}

Result<std::string_view> type_of(element value, std::string_view what) {
    object from;
    if (value.get(from)) return wrong(what, "an object");
    return get_string(from, "type", "");
}

/// {"type": "Sequence", list: [...]} or a single step: calls `read` with each step's type and
/// object.
template <typename Read>
Result<void> each_step(element value, std::string_view what, std::string_view list, Read read,
                       int depth = 0) {
    TRY(const std::string_view type, type_of(value, what));
    if (type != "Sequence") return read(type, object(value.get_object()));
    if (depth == kDeepestSequence) return wrong(what, "a Sequence not nested so deep");
    const auto steps = member(value.get_object(), list);
    array all;
    if (!steps || steps->get(all)) return wrong(list, "an array");
    for (const element step : all)
        TRY(each_step(step, what, list, read, depth + 1));
    return {};
}

/// {"String": "x"} or {"Regex": "x"}
struct Pattern {
    std::string_view text;
    bool is_regex = false;
};

Result<Pattern> read_pattern(object from) {
    object pattern;
    const auto value = member(from, "pattern");
    if (!value || value->get(pattern))
        return wrong("pattern", "{\"String\": ...} or {\"Regex\": ...}");
    const bool is_regex = member(pattern, "Regex").has_value();
    TRY(const std::string_view text, get_string(pattern, is_regex ? "Regex" : "String", ""));
    return Pattern{text, is_regex};
}

// --- the model -----------------------------------------------------------------------------------

/// Makes room for token `id`. Ids may leave holes, but not absurd ones: at most as many as tokens.
Result<void> reach(VocabularySpec& spec, uint64_t id, size_t tokens) {
    if (id >= 2 * tokens + 4096)
        return Error{Code::corrupt, concat("tokenizer.json: token id ", id, " in a vocabulary of ",
                                           tokens, " tokens")};
    if (id >= spec.pieces.size()) spec.pieces.resize(id + 1);
    return {};
}

Result<void> read_bpe_vocabulary(object model, VocabularySpec& spec) {
    object vocabulary;
    const auto value = member(model, "vocab");
    if (!value || value->get(vocabulary)) return wrong("model.vocab", "an object of ids by piece");
    const size_t count = vocabulary.size();
    for (const auto [piece, id_value] : vocabulary) {
        uint64_t id;
        if (id_value.get(id)) return wrong(concat("the id of \"", piece, "\""), "a number");
        TRY(reach(spec, id, count));
        spec.pieces[id] = piece;
    }
    return {};
}

Result<void> read_merges(object model, VocabularySpec& spec) {
    array merges;
    const auto value = member(model, "merges");
    if (!value || value->get(merges)) return wrong("model.merges", "an array");
    spec.merges.reserve(merges.size());
    for (const element merge : merges) {
        std::string_view line, left, right;
        array pair;
        if (!merge.get(line)) {
            TRY(Merge parsed, parse_merge(line));
            spec.merges.push_back(std::move(parsed));
        } else if (!merge.get(pair) && pair.size() == 2 && !pair.at(0).get(left) &&
                   !pair.at(1).get(right)) {
            spec.merges.push_back({std::string(left), std::string(right)});
        } else {
            return wrong(concat("merge ", spec.merges.size()), "two pieces");
        }
    }
    return {};
}

Result<void> read_unigram_vocabulary(object model, VocabularySpec& spec) {
    array vocabulary;
    const auto value = member(model, "vocab");
    if (!value || value->get(vocabulary))
        return wrong("model.vocab", "an array of pieces and scores");
    for (const element entry : vocabulary) {
        array pair;
        std::string_view piece;
        double score;
        if (entry.get(pair) || pair.size() != 2 || pair.at(0).get(piece) || pair.at(1).get(score))
            return wrong(concat("entry ", spec.pieces.size(), " of model.vocab"), "[piece, score]");
        spec.pieces.emplace_back(piece);
        spec.scores.push_back(static_cast<float>(score));
    }
    TRY(const uint64_t unk, get<uint64_t>(model, "unk_id", UINT64_MAX, "a number"));
    if (unk != UINT64_MAX && unk >= spec.pieces.size())
        return wrong("model.unk_id", concat("below ", spec.pieces.size(), ", not ", unk));
    if (unk != UINT64_MAX) spec.unk = TokenId{static_cast<uint32_t>(unk)};
    return {};
}

std::optional<TokenId> find_token(const VocabularySpec& spec, std::string_view text) {
    for (const AddedToken& token : spec.added)
        if (token.text == text) return token.id;
    const auto found = std::ranges::find(spec.pieces, text);
    if (text.empty() || found == spec.pieces.end()) return std::nullopt;
    return TokenId{static_cast<uint32_t>(found - spec.pieces.begin())};
}

Result<void> read_model(object root, VocabularySpec& spec) {
    object model;
    const auto value = member(root, "model");
    if (!value || value->get(model)) return wrong("model", "an object");
    const bool lists_merges = member(model, "merges").has_value();
    TRY(const std::string_view type, get_string(model, "type", lists_merges ? "BPE" : ""));
    TRY(spec.byte_fallback, get_bool(model, "byte_fallback", false));
    TRY(spec.ignore_merges, get_bool(model, "ignore_merges", false));
    if (type == "Unigram") {
        spec.kind = VocabularyKind::unigram;
        return read_unigram_vocabulary(model, spec);
    }
    if (type != "BPE") return unsupported("model", type);
    for (const std::string_view key : {"continuing_subword_prefix", "end_of_word_suffix"}) {
        TRY(const std::string_view affix, get_string(model, key, ""));
        if (!affix.empty()) return unsupported("BPE option", key);
    }
    spec.kind = VocabularyKind::bpe_spm;  // until a ByteLevel step says otherwise
    TRY(spec.fuse_unk, get_bool(model, "fuse_unk", false));
    TRY(read_bpe_vocabulary(model, spec));
    TRY(read_merges(model, spec));
    TRY(const std::string_view unk, get_string(model, "unk_token", ""));
    spec.unk = find_token(spec, unk);
    return {};
}

/// Pieces of the model are text, or bytes; what only the list of added tokens has is not.
void set_types(VocabularySpec& spec) {
    spec.types.assign(spec.pieces.size(), PieceType::normal);
    for (size_t id = 0; id < spec.pieces.size(); ++id)
        if (spec.byte_fallback && byte_of_piece(spec.pieces[id])) spec.types[id] = PieceType::byte;
}

Result<void> read_added_tokens(object root, VocabularySpec& spec) {
    const auto value = member(root, "added_tokens");
    if (!value) return {};
    array tokens;
    if (value->get(tokens)) return wrong("added_tokens", "an array");
    const size_t count = spec.pieces.size() + tokens.size();
    for (const element entry : tokens) {
        object from;
        if (entry.get(from)) return wrong("an added token", "an object");
        AddedToken token;
        TRY(const uint64_t id, get<uint64_t>(from, "id", UINT64_MAX, "a number"));
        TRY(token.text, get_string(from, "content", ""));
        TRY(token.special, get_bool(from, "special", false));
        TRY(token.normalized, get_bool(from, "normalized", !token.special));
        TRY(token.lstrip, get_bool(from, "lstrip", false));
        TRY(token.rstrip, get_bool(from, "rstrip", false));
        TRY(token.single_word, get_bool(from, "single_word", false));
        TRY(reach(spec, id, count));
        token.id = TokenId{static_cast<uint32_t>(id)};
        if (spec.pieces[id].empty()) {
            spec.pieces[id] = token.text;
            spec.types.resize(spec.pieces.size(), PieceType::unused);
            spec.types[id] = token.special ? PieceType::control : PieceType::user_defined;
        }
        spec.added.push_back(std::move(token));
    }
    spec.types.resize(spec.pieces.size(), PieceType::unused);
    if (spec.kind == VocabularyKind::unigram) spec.scores.resize(spec.pieces.size());
    return {};
}

// --- normaliser ----------------------------------------------------------------------------------

Result<void> read_normalizer_step(std::string_view type, object from, VocabularySpec& spec) {
    using Kind = NormalizerStep::Kind;
    NormalizerStep step;
    if (type == "NFC")
        step.kind = Kind::nfc;
    else if (type == "NFD")
        step.kind = Kind::nfd;
    else if (type == "NFKC")
        step.kind = Kind::nfkc;
    else if (type == "NFKD")
        step.kind = Kind::nfkd;
    else if (type == "Lowercase")
        step.kind = Kind::lowercase;
    else if (type == "Strip") {
        step.kind = Kind::strip;
        TRY(step.left, get_bool(from, "strip_left", true));
        TRY(step.right, get_bool(from, "strip_right", true));
    } else if (type == "Prepend") {
        step.kind = Kind::prepend;
        TRY(step.to, get_string(from, "prepend", ""));
    } else if (type == "Replace") {
        TRY(const Pattern pattern, read_pattern(from));
        step.kind = pattern.is_regex ? Kind::replace_regex : Kind::replace;
        step.from = pattern.text;
        TRY(step.to, get_string(from, "content", ""));
    } else {
        return unsupported("normaliser", type);
    }
    spec.normalizer.push_back(std::move(step));
    return {};
}

// --- pre-tokeniser -------------------------------------------------------------------------------

Result<SplitStep::Behaviour> read_behaviour(object from) {
    using Behaviour = SplitStep::Behaviour;
    TRY(const std::string_view name, get_string(from, "behavior", "Isolated"));
    if (name == "Removed") return Behaviour::removed;
    if (name == "Isolated") return Behaviour::isolated;
    if (name == "MergedWithPrevious") return Behaviour::merged_with_previous;
    if (name == "MergedWithNext") return Behaviour::merged_with_next;
    if (name == "Contiguous") return Behaviour::contiguous;
    return unsupported("split behaviour", name);
}

/// Digits by themselves, or runs of them.
Result<SplitStep> read_digits(object from) {
    TRY(const bool individual, get_bool(from, "individual_digits", false));
    return SplitStep{.kind = SplitStep::Kind::digits,
                     .behaviour = individual ? SplitStep::Behaviour::isolated
                                             : SplitStep::Behaviour::contiguous};
}

Result<SplitStep> read_metaspace(object from) {
    using Prepend = SplitStep::Prepend;
    SplitStep step{.kind = SplitStep::Kind::metaspace,
                   .behaviour = SplitStep::Behaviour::merged_with_next};
    TRY(step.pattern, get_string(from, "replacement", kSpaceMark));
    TRY(step.individual, get_bool(from, "split", true));
    TRY(const bool prefix, get_bool(from, "add_prefix_space", true));
    TRY(const std::string_view scheme,
        get_string(from, "prepend_scheme", prefix ? "always" : "never"));
    if (scheme == "always")
        step.prepend = Prepend::always;
    else if (scheme == "first")
        step.prepend = Prepend::first;
    else if (scheme == "never")
        step.prepend = Prepend::never;
    else
        return unsupported("Metaspace prepend_scheme", scheme);
    return step;
}

Result<SplitStep> read_split(object from) {
    SplitStep step;
    TRY(const Pattern pattern, read_pattern(from));
    step.kind = pattern.is_regex ? SplitStep::Kind::regex : SplitStep::Kind::literal;
    step.pattern = pattern.text;
    TRY(step.behaviour, read_behaviour(from));
    TRY(step.invert, get_bool(from, "invert", false));
    return step;
}

Result<void> read_byte_level(object from, VocabularySpec& spec) {
    spec.kind = VocabularyKind::bpe_bytes;
    TRY(const bool prefix, get_bool(from, "add_prefix_space", true));
    TRY(const bool use_regex, get_bool(from, "use_regex", true));
    if (prefix) spec.splits.push_back({.kind = SplitStep::Kind::byte_prefix});
    if (use_regex) spec.splits.push_back({.pattern = std::string(known_regex("gpt2"))});
    return {};
}

Result<void> read_pre_tokenizer_step(std::string_view type, object from, VocabularySpec& spec) {
    using Kind = SplitStep::Kind;
    using Behaviour = SplitStep::Behaviour;
    if (spec.kind == VocabularyKind::bpe_bytes)
        return unsupported("pre-tokeniser after ByteLevel,", type);
    if (type == "ByteLevel") {
        if (spec.kind == VocabularyKind::unigram) return unsupported("model over bytes", "Unigram");
        return read_byte_level(from, spec);
    }
    SplitStep step;
    if (type == "Split") {
        TRY(step, read_split(from));
    } else if (type == "Digits") {
        TRY(step, read_digits(from));
    } else if (type == "Metaspace") {
        TRY(step, read_metaspace(from));
    } else if (type == "Punctuation") {
        step.kind = Kind::punctuation;
        TRY(step.behaviour, read_behaviour(from));
    } else if (type == "Whitespace") {
        step = {.kind = Kind::whitespace, .behaviour = Behaviour::removed, .invert = true};
    } else if (type == "WhitespaceSplit") {
        step = {.kind = Kind::spaces, .behaviour = Behaviour::removed};
    } else {
        return unsupported("pre-tokeniser", type);
    }
    spec.splits.push_back(std::move(step));
    return {};
}

// --- decoder and post-processor ------------------------------------------------------------------

/// Decoding is what the kind of vocabulary says; only the space at the start needs to be learnt.
Result<void> read_decoder_step(std::string_view type, object from, VocabularySpec& spec) {
    if (type == "ByteLevel" || type == "ByteFallback" || type == "Fuse") return {};
    if (type == "Metaspace") {
        TRY(const SplitStep step, read_metaspace(from));
        spec.strip_decoded_space = step.prepend != SplitStep::Prepend::never;
        return {};
    }
    if (type == "Strip") {
        TRY(const std::string_view content, get_string(from, "content", ""));
        TRY(const uint64_t start, get<uint64_t>(from, "start", 0, "a number"));
        TRY(const uint64_t stop, get<uint64_t>(from, "stop", 0, "a number"));
        if (content != " " || start > 1 || stop != 0)
            return unsupported("decoder Strip of",
                               concat("\"", content, "\", ", start, " and ", stop));
        spec.strip_decoded_space = start == 1;
        return {};
    }
    if (type == "Replace") {
        TRY(const Pattern pattern, read_pattern(from));
        TRY(const std::string_view content, get_string(from, "content", ""));
        if (pattern.is_regex || pattern.text != kSpaceMark || content != " ")
            return unsupported("decoder Replace of", pattern.text);
        return {};
    }
    return unsupported("decoder", type);
}

/// A special token of a template stands before the text (BOS) or after it (EOS).
Result<void> read_template(object from, VocabularySpec& spec) {
    array single;
    const auto value = member(from, "single");
    if (!value || value->get(single)) return wrong("single", "an array");
    bool after_text = false;
    for (const element entry : single) {
        object item, special;
        if (entry.get(item)) return wrong("an item of a template", "an object");
        const auto token = member(item, "SpecialToken");
        after_text = after_text || member(item, "Sequence").has_value();
        if (!token) continue;
        if (token->get(special)) return wrong("SpecialToken", "an object");
        TRY(const std::string_view text, get_string(special, "id", ""));
        const auto id = find_token(spec, text);
        if (!id) return wrong(concat("the template's token ", text), "in the vocabulary");
        (after_text ? spec.eos : spec.bos) = id;
        (after_text ? spec.add_eos : spec.add_bos) = true;
    }
    return {};
}

Result<void> read_post_processor_step(std::string_view type, object from, VocabularySpec& spec) {
    return type == "TemplateProcessing" ? read_template(from, spec) : Result<void>();
}

// --- tokenizer_config.json -----------------------------------------------------------------------

void apply_config(const TokenizerConfig& config, VocabularySpec& spec) {
    const auto apply = [&](const std::optional<std::string>& text, std::optional<TokenId>& out) {
        if (!text) return;
        if (const auto id = find_token(spec, *text)) out = id;
    };
    apply(config.bos, spec.bos);
    apply(config.eos, spec.eos);
    apply(config.pad, spec.pad);
    if (!spec.unk) apply(config.unk, spec.unk);
    spec.add_bos = config.add_bos.value_or(spec.add_bos) && spec.bos;
    spec.add_eos = config.add_eos.value_or(spec.add_eos) && spec.eos;
}

/// Calls `read` for the step, or each of the sequence, under `key`, if there is one.
template <typename Read>
Result<void> read_steps(object root, std::string_view key, std::string_view list, Read read,
                        VocabularySpec& spec) {
    const auto value = member(root, key);
    if (!value) return {};
    return each_step(*value, key, list,
                     [&](std::string_view type, object from) { return read(type, from, spec); });
}

}  // namespace

Result<VocabularySpec> read_tokenizer_json(std::string_view tokenizer_json,
                                           std::string_view tokenizer_config_json) {
    Document file;
    TRY(parse(tokenizer_json, file));
    VocabularySpec spec;
    spec.has_steps = true;
    TRY(read_model(file.root, spec));
    set_types(spec);
    TRY(read_added_tokens(file.root, spec));
    TRY(read_steps(file.root, "normalizer", "normalizers", read_normalizer_step, spec));
    TRY(read_steps(file.root, "pre_tokenizer", "pretokenizers", read_pre_tokenizer_step, spec));
    TRY(read_steps(file.root, "decoder", "decoders", read_decoder_step, spec));
    TRY(read_steps(file.root, "post_processor", "processors", read_post_processor_step, spec));
    if (tokenizer_config_json.empty()) return spec;
    TRY(const TokenizerConfig config, read_tokenizer_config(tokenizer_config_json));
    apply_config(config, spec);
    return spec;
}

}  // namespace brigada
