// tokenizer_config.json: what Hugging Face's classes add to a tokenizer.json. Of its many members
// we read the few that change ids.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace brigada {

/// Members that are absent or null have no value. Tokens are given by their text.
struct TokenizerConfig {
    std::optional<std::string> bos, eos, unk, pad;
    std::optional<bool> add_bos, add_eos;
};

/// Error::invalid_argument when it is no JSON object, ::corrupt when a member has a wrong type.
Result<TokenizerConfig> read_tokenizer_config(std::string_view json);

}  // namespace brigada
