// A call's body as what counts prompts takes it.
#pragma once

#include "gateway/call_body.h"
#include "gateway/count/prompt_source.h"

namespace brigada {

inline PromptSource prompt_source_of(const CallBody& body, Dialect dialect) {
    static_assert(kPromptFields[0] == "tools" && kPromptFields[1] == "system" &&
                  kPromptFields[3] == "messages" && kPromptFields[5] == "prompt");
    static_assert(kTemplateFields[0] == "tool_choice");
    return {.dialect = dialect,
            .tools = body.prompt[0],
            .system = body.prompt[1],
            .messages = body.prompt[3],
            .prompt = body.prompt[5],
            .tool_choice = body.rendering[0],
            .template_arguments = body.rendering[1],
            .add_generation_prompt = body.rendering[2],
            .continue_final_message = body.rendering[3]};
}

}  // namespace brigada
