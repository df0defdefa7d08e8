// Kimi K2: a section of calls, each an id that has the function's name in it and a JSON object. The
// template shows the ids to the model again, so they stay as they are.
//
//     <|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0
//     <|tool_call_argument_begin|>{"city": "Madrid"}<|tool_call_end|><|tool_calls_section_end|>
#include "toolcall/named_call.h"
#include "toolcall/tool_format.h"

namespace brigada {

ToolFormat kimi_k2_format() {
    static constexpr NamedCallLayout kLayout{.section = "<|tool_calls_section_begin|>",
                                             .call = "<|tool_call_begin|>",
                                             .separator = "<|tool_call_argument_begin|>",
                                             .call_end = "<|tool_call_end|>",
                                             .section_end = "<|tool_calls_section_end|>",
                                             .name_is_id = true};
    return {.name = "kimi_k2",
            .template_marks = {kLayout.section},
            .openings = {kLayout.section},
            .make_reader = [] -> std::unique_ptr<CallReader> {
                return std::make_unique<NamedCallReader>(kLayout);
            },
            .controls = {kLayout.section, kLayout.call, kLayout.separator, kLayout.call_end,
                         kLayout.section_end},
            .shapes = {{.opening = kLayout.section,
                        .first = "\n<|tool_call_begin|>\nfunctions.",
                        .before_arguments = kLayout.separator,
                        .end = "\n<|tool_call_end|>",
                        .between = "\n<|tool_call_begin|>\nfunctions.",
                        .close = "\n<|tool_calls_section_end|>",
                        .numbered_name = true}}};
}

}  // namespace brigada
