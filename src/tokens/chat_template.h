// ChatTemplate: a model's own Jinja template, from messages in OpenAI form to the text the model
// was trained on. It sets up what transformers' apply_chat_template would and what servers add to
// it: tool arguments become objects, cache_control markers are dropped, reasoning has all its
// names.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/json.h"
#include "base/result.h"

namespace brigada {

namespace jinja {
class Template;
}

/// One conversation to render. Nothing is copied from `messages` and `tools`: they are read in
/// place.
struct ChatInput {
    Json messages = nullptr;   ///< array of {"role", "content", "tool_calls", ...}, OpenAI Chat
                               ///< Completions form
    Json tools = nullptr;      ///< array of {"type": "function", "function": {...}}; null: no tools
    Json documents = nullptr;  ///< array of objects for templates that retrieve; null: none
    bool add_generation_prompt = true;  ///< end with the opening of the assistant's answer
    /// The last message is the beginning of the answer: the text ends with its content, unclosed.
    /// Overrides add_generation_prompt.
    bool continue_final_message = false;
    Json extra = nullptr;  ///< object of further variables (chat_template_kwargs); null: none
    int64_t now_unix = 0;  ///< seconds, UTC: what strftime_now shows
};

class ChatTemplate {
  public:
    /// Error::invalid_argument names the line of a syntax error, Error::unsupported a tag that
    /// needs other files (include, import, extends).
    static Result<ChatTemplate> parse(std::string source, std::string bos_token,
                                      std::string eos_token);

    /// ChatML (<|im_start|>role ... <|im_end|>), for models that bring no template.
    static ChatTemplate chatml();

    /// The prompt's text; special tokens are in it as text, bos_token too if the template writes
    /// it. A template that refuses the conversation (raise_exception: no system role, no parallel
    /// calls) gives Error::invalid_argument with exactly its text; other mistakes name the
    /// template's line. Error::too_large when a limit on work, memory or output ends it. Safe on
    /// many threads at once.
    Result<std::string> render(const ChatInput& input) const;

    const std::string& bos_token() const { return bos_token_; }
    const std::string& eos_token() const { return eos_token_; }

  private:
    ChatTemplate(std::shared_ptr<const jinja::Template> compiled, std::string bos_token,
                 std::string eos_token);

    std::shared_ptr<const jinja::Template> template_;
    std::string bos_token_, eos_token_;
};

}  // namespace brigada
