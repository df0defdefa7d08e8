// open_model for a single .gguf file, which holds all of a model.
#include <utility>

#include "base/concat.h"
#include "model/gguf.h"
#include "model/gguf_vocabulary.h"
#include "model/open_model.h"
#include "model/shown.h"
#include "tokens/tokenizer.h"

namespace brigada {

namespace {

Result<void> check_types(const GgufFile& file) {
    for (const Tensor& tensor : file.tensors()) {
        Result<void> checked = check_is_read(tensor.dtype);
        if (!checked.ok())
            return std::move(checked).error().in(
                concat(file.name(), ": tensor ", shown(tensor.name)));
    }
    return {};
}

}  // namespace

Result<Model> open_gguf_model(const Path& path) {
    TRY(GgufFile opened, GgufFile::open(path));
    auto file = std::make_shared<GgufFile>(std::move(opened));

    Model::Parts parts;
    parts.path = path;
    TRY(parts.config, config_from_gguf(*file));
    TRY(check_types(*file));
    parts.tensors.assign(file->tensors().begin(), file->tensors().end());
    TRY(VocabularySpec vocabulary, vocabulary_from_gguf(*file));
    auto tokenizer = Tokenizer::from_spec(std::move(vocabulary));
    if (!tokenizer.ok()) return std::move(tokenizer).error().in(path.string());
    parts.tokenizer = std::make_unique<Tokenizer>(*std::move(tokenizer));
    const auto ends = parts.tokenizer->ends();
    parts.end_of_generation.assign(ends.begin(), ends.end());
    if (const auto eos = parts.tokenizer->eos()) parts.end_of_generation.push_back(*eos);
    TRY(parts.templates, templates_from_gguf(*file));
    TRY(parts.defaults, generation_defaults_from_gguf(*file));
    parts.owner = std::move(file);
    return Model::make(std::move(parts));
}

}  // namespace brigada
