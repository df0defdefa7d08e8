// GLM 4.5 and later: a name, then keys and values between tags of their own.
//
//     <tool_call>get_weather
//     <arg_key>city</arg_key>
//     <arg_value>Madrid</arg_value>
//     </tool_call>
#include "toolcall/tagged_call.h"
#include "toolcall/tool_format.h"

namespace brigada {

ToolFormat glm45_format() {
    static constexpr TaggedCallLayout kLayout{.section = "<tool_call>",
                                              .key = "<arg_key>",
                                              .key_end = "</arg_key>",
                                              .value = "<arg_value>",
                                              .value_end = "</arg_value>",
                                              .call_end = "</tool_call>",
                                              .spaced_values = true};
    return {.name = "glm45",
            .other_names = {"glm47"},
            .template_marks = {kLayout.key, kLayout.value},
            .openings = {kLayout.section},
            .make_reader = [] -> std::unique_ptr<CallReader> {
                return std::make_unique<TaggedCallReader>(kLayout);
            },
            .controls = {kLayout.section, kLayout.key, kLayout.key_end, kLayout.value,
                         kLayout.value_end, kLayout.call_end},
            .shapes = {{.opening = kLayout.section,
                        .end = "\n</tool_call>",
                        .arguments = CallShape::Arguments::tagged,
                        .tags = {.key = kLayout.key,
                                 .key_end = kLayout.key_end,
                                 .text = "\n<arg_value>",
                                 .end = kLayout.value_end}}}};
}

}  // namespace brigada
