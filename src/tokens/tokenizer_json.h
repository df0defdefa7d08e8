// tokenizer.json: Hugging Face's description of a tokenizer, read into a VocabularySpec.
// Vocabularies of hundreds of thousands of pieces make it tens of megabytes, so simdjson reads it.
#pragma once

#include <string_view>

#include "base/result.h"
#include "tokens/vocabulary.h"

namespace brigada {

/// Reads tokenizer.json and, where there is one (else empty), tokenizer_config.json, from which
/// come the BOS, EOS, unknown and padding tokens and whether a prompt gets BOS and EOS.
///
/// Models: BPE and Unigram. Normalisers: NFC, NFD, NFKC, NFKD, Lowercase, Strip, Prepend, Replace,
/// Sequence. Pre-tokenisers: Sequence, Split, ByteLevel, Digits, Metaspace, Whitespace,
/// WhitespaceSplit, Punctuation. Anything else that would change the result is Error::unsupported
/// by its name; a file that contradicts itself is ::corrupt, no JSON ::invalid_argument.
Result<VocabularySpec> read_tokenizer_json(std::string_view tokenizer_json,
                                           std::string_view tokenizer_config_json);

}  // namespace brigada
