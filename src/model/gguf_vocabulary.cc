#include "model/gguf_vocabulary.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "base/concat.h"
#include "model/shown.h"

namespace brigada {

namespace {

/// Control tokens with one of these names end an answer, whatever the file says of them: converters
/// often name only one. The list is that of the families whose templates end turns so.
constexpr std::array<std::string_view, 12> kEndNames = {
    "<|eot_id|>",    "<|eom_id|>", "<|end_of_text|>", "<|im_end|>",
    "<|endoftext|>", "<|end|>",    "<end_of_turn>",   "<|return|>",
    "<|call|>",      "<EOT>",      "_<EOT>",          "<｜end▁of▁sentence｜>"};

Result<VocabularyKind> kind_of(const GgufFile& file) {
    TRY(auto model, file.string("tokenizer.ggml.model"));
    if (!model) return Error{Code::corrupt, concat(file.name(), ": has no tokenizer.ggml.model")};
    if (*model == "gpt2") return VocabularyKind::bpe_bytes;
    if (*model == "llama") return VocabularyKind::bpe_spm;
    if (*model == "t5") return VocabularyKind::unigram;
    return Error{Code::unsupported, concat(file.name(), ": tokenizer ", shown(*model),
                                           " is not read here; gpt2, llama and t5 are")};
}

Result<std::vector<std::string>> read_pieces(const GgufFile& file) {
    TRY(auto pieces, file.strings("tokenizer.ggml.tokens"));
    if (!pieces || pieces->empty())
        return Error{Code::corrupt, concat(file.name(), ": has no tokenizer.ggml.tokens")};
    return std::vector<std::string>(pieces->begin(), pieces->end());
}

Result<std::vector<float>> read_scores(const GgufFile& file) {
    TRY(auto scores, file.numbers("tokenizer.ggml.scores"));
    if (!scores) return std::vector<float>();
    return std::vector<float>(scores->begin(), scores->end());
}

Result<std::vector<PieceType>> read_types(const GgufFile& file) {
    TRY(auto numbers, file.integers("tokenizer.ggml.token_type"));
    std::vector<PieceType> types;
    if (!numbers) return types;
    types.reserve(numbers->size());
    for (const int64_t n : *numbers) {
        if (n < 0 || n > static_cast<int64_t>(PieceType::byte))
            return Error{Code::corrupt, concat(file.name(), ": tokenizer.ggml.token_type has ", n,
                                               "; 0 to 6 are types")};
        types.push_back(n == 0 ? PieceType::normal : static_cast<PieceType>(n));
    }
    return types;
}

Result<std::vector<Merge>> read_merges(const GgufFile& file) {
    TRY(auto lines, file.strings("tokenizer.ggml.merges"));
    std::vector<Merge> merges;
    if (!lines) return merges;
    merges.reserve(lines->size());
    for (const std::string_view line : *lines) {
        auto merge = parse_merge(line);
        if (!merge.ok()) return std::move(merge).error().in(file.name());
        merges.push_back(*std::move(merge));
    }
    return merges;
}

Result<std::optional<TokenId>> read_id(const GgufFile& file, std::string_view key, size_t pieces) {
    TRY(auto id, file.unsigned_integer(key));
    if (!id) return std::optional<TokenId>();
    // Converters write -1 as an unsigned number for "there is none".
    if (*id == 0xffffffff) return std::optional<TokenId>();
    if (*id >= pieces)
        return Error{Code::corrupt, concat(file.name(), ": ", key, " is ", *id,
                                           "; the vocabulary has ", pieces, " pieces")};
    return std::optional(TokenId{static_cast<uint32_t>(*id)});
}

Result<void> read_special_ids(const GgufFile& file, VocabularySpec& spec) {
    const size_t pieces = spec.pieces.size();
    TRY(spec.bos, read_id(file, "tokenizer.ggml.bos_token_id", pieces));
    TRY(spec.eos, read_id(file, "tokenizer.ggml.eos_token_id", pieces));
    TRY(spec.unk, read_id(file, "tokenizer.ggml.unknown_token_id", pieces));
    TRY(spec.pad, read_id(file, "tokenizer.ggml.padding_token_id", pieces));
    for (const std::string_view key :
         {"tokenizer.ggml.eot_token_id", "tokenizer.ggml.eom_token_id"}) {
        TRY(auto id, read_id(file, key, pieces));
        if (id) spec.ends.push_back(*id);
    }
    return {};
}

void add_ends_by_name(VocabularySpec& spec) {
    for (size_t i = 0; i < spec.types.size() && i < spec.pieces.size(); ++i) {
        const bool marks =
            spec.types[i] == PieceType::control || spec.types[i] == PieceType::user_defined;
        const TokenId id{static_cast<uint32_t>(i)};
        if (marks && std::ranges::find(kEndNames, spec.pieces[i]) != kEndNames.end() &&
            std::ranges::find(spec.ends, id) == spec.ends.end())
            spec.ends.push_back(id);
    }
}

/// What the file does not say is as SentencePiece has it (llama), or off.
Result<void> read_flags(const GgufFile& file, VocabularySpec& spec) {
    const bool spm = spec.kind == VocabularyKind::bpe_spm;
    const auto flag = [&file](std::string_view key, bool otherwise) -> Result<bool> {
        TRY(auto value, file.boolean(key));
        return value.value_or(otherwise);
    };
    TRY(spec.add_bos, flag("tokenizer.ggml.add_bos_token", spm));
    TRY(spec.add_eos, flag("tokenizer.ggml.add_eos_token", spec.kind == VocabularyKind::unigram));
    TRY(spec.add_space_prefix,
        flag("tokenizer.ggml.add_space_prefix", spec.kind != VocabularyKind::bpe_bytes));
    TRY(spec.remove_extra_whitespaces, flag("tokenizer.ggml.remove_extra_whitespaces", false));
    spec.byte_fallback = spm;
    spec.strip_decoded_space = spec.add_space_prefix;
    return {};
}

}  // namespace

Result<VocabularySpec> vocabulary_from_gguf(const GgufFile& file) {
    VocabularySpec spec;
    TRY(spec.kind, kind_of(file));
    TRY(spec.pieces, read_pieces(file));
    TRY(spec.scores, read_scores(file));
    TRY(spec.types, read_types(file));
    TRY(spec.merges, read_merges(file));
    TRY(auto pre, file.string("tokenizer.ggml.pre"));
    if (spec.kind == VocabularyKind::bpe_bytes) spec.pre = pre.value_or("default");
    TRY(read_flags(file, spec));
    TRY(read_special_ids(file, spec));
    add_ends_by_name(spec);
    return spec;
}

Result<std::vector<ChatTemplateSource>> templates_from_gguf(const GgufFile& file) {
    constexpr std::string_view kKey = "tokenizer.chat_template";
    std::vector<ChatTemplateSource> out;
    TRY(auto main, file.string(kKey));
    if (main) out.push_back({"default", std::string(*main)});
    TRY(auto names, file.strings("tokenizer.chat_templates"));
    for (const std::string_view name : names.value_or(std::vector<std::string_view>())) {
        TRY(auto source, file.string(concat(kKey, ".", name)));
        if (source && name != "default") out.push_back({std::string(name), std::string(*source)});
    }
    return out;
}

Result<GenerationDefaults> generation_defaults_from_gguf(const GgufFile& file) {
    const auto number = [&file](std::string_view key) -> Result<std::optional<float>> {
        TRY(auto value, file.number(key));
        return value ? std::optional(static_cast<float>(*value)) : std::nullopt;
    };
    GenerationDefaults out;
    TRY(out.temperature, number("general.sampling.temp"));
    TRY(out.top_p, number("general.sampling.top_p"));
    TRY(out.min_p, number("general.sampling.min_p"));
    TRY(out.repetition_penalty, number("general.sampling.penalty_repeat"));
    TRY(auto top_k, file.unsigned_integer("general.sampling.top_k"));
    if (top_k && *top_k <= 0xffffffff) out.top_k = static_cast<uint32_t>(*top_k);
    return out;
}

}  // namespace brigada
