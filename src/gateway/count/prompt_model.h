// PromptModel: what turns a prompt into tokens: a model's tokenizer and, where it has one, its chat
// template.
#pragma once

#include <optional>
#include <string>

#include "base/file.h"
#include "base/result.h"
#include "tokens/chat_template.h"
#include "tokens/tokenizer.h"

namespace brigada {

struct PromptModel {
    Tokenizer tokenizer;
    std::optional<ChatTemplate> chat_template = {};
    std::string template_source = {};
};

struct PromptModelPlace {
    /// A tokenizer.json, a folder that has one (with tokenizer_config.json and chat_template.jinja
    /// where there are), or a GGUF, whose weights are not looked at.
    Path path;
    std::string chat_template = {};  // takes the place of the model's own unless it is ""
    bool chatml_if_none = false;     // as our own engine has it
};

/// Errors name the file.
Result<PromptModel> open_prompt_model(const PromptModelPlace& place);

}  // namespace brigada
