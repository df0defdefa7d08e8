// PromptSource: the part of a call's body that makes its prompt, and how it reads to a chat
// template, whatever dialect the client speaks: OpenAI's messages and tools. Messages are read one
// by one, so that those counted before need not be read again.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "dialect/dialect.h"
#include "gateway/content_key.h"
#include "tokens/chat_template.h"

namespace brigada {

/// One message, raw, and the key of it.
struct PromptMessage {
    std::string_view raw = {};
    ContentKey key = {};
};

/// The fields of a body that make its prompt, as raw JSON; "" where there is none. Each may be read
/// kBodyPadding bytes further.
struct PromptSource {
    Dialect dialect = Dialect::chat;
    std::string_view tools = {};
    std::string_view system = {};              // Anthropic's
    std::vector<PromptMessage> messages = {};  // chat and Anthropic's
    std::string_view prompt = {};              // completions
    std::string_view tool_choice = {};
    std::string_view template_arguments = {};     // chat_template_kwargs
    std::string_view add_generation_prompt = {};  // vLLM's two
    std::string_view continue_final_message = {};

    /// All that a template sees beside the messages.
    std::array<std::string_view, 6> around() const {
        return {tools,
                system,
                tool_choice,
                template_arguments,
                add_generation_prompt,
                continue_final_message};
    }
};

/// Everything but the messages, of which only Anthropic's system is there. Errors: invalid_argument
/// for what has a wrong type, unsupported for what is not text.
Result<ChatInput> read_around(const PromptSource& source);

/// Whether read_around() would find any tools, without reading them.
bool has_tools(const PromptSource& source);

/// Appends to `out` what one message of the client is to a template: one message, or, of
/// Anthropic's results of tools, several. Text parts are joined by line breaks, "developer" is
/// "system", and fields that templates do not read are left out. Errors as read_around.
Result<void> append_message(std::string_view raw, Dialect dialect, Json& out);

}  // namespace brigada
