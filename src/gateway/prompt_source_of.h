// A call's body as what counts prompts takes it.
#pragma once

#include <vector>

#include "gateway/call_body.h"
#include "gateway/count/prompt_source.h"

namespace brigada {

/// `text` is what `body` was read of, `keys` those of its messages.
inline PromptSource prompt_source_of(const CallBody& body, std::string_view text,
                                     const std::vector<ContentKey>& keys, Dialect dialect) {
    static_assert(kPromptFields[0] == "tools" && kTemplateFields[0] == "tool_choice");
    PromptSource out{.dialect = dialect,
                     .tools = body.prompt[0],
                     .system = body.prompt[kSystemField],
                     .prompt = body.prompt[kPromptField],
                     .tool_choice = body.rendering[0],
                     .template_arguments = body.rendering[1],
                     .add_generation_prompt = body.rendering[2],
                     .continue_final_message = body.rendering[3]};
    if (body.list.field != kMessagesField) return out;
    out.messages.reserve(keys.size());
    for (size_t n = 0; n < keys.size(); ++n)
        out.messages.push_back({body.list.messages[n].in(text), keys[n]});
    return out;
}

}  // namespace brigada
