// The vocabulary of a GGUF file: its tokenizer.ggml.* metadata as a VocabularySpec, and its chat
// templates.
#pragma once

#include <vector>

#include "base/result.h"
#include "model/gguf.h"
#include "model/model.h"
#include "tokens/vocabulary.h"

namespace brigada {

/// Error::corrupt names a key that is missing or contradicts another, Error::unsupported a kind of
/// tokenizer that is not read here. Strings are copied once.
Result<VocabularySpec> vocabulary_from_gguf(const GgufFile& file);

/// The default template and those of other names; empty when there are none.
Result<std::vector<ChatTemplateSource>> templates_from_gguf(const GgufFile& file);

/// general.sampling.*, which newer converters write.
Result<GenerationDefaults> generation_defaults_from_gguf(const GgufFile& file);

}  // namespace brigada
