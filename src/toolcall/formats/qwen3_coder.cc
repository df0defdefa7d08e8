// Qwen3-Coder, Qwen 3.5, Nemotron 3: parameters between tags that have their names. The model often
// leaves <tool_call> out, so <function= opens a call, too.
//
//     <tool_call>
//     <function=get_weather>
//     <parameter=city>
//     Madrid
//     </parameter>
//     </function>
//     </tool_call>
#include "toolcall/tagged_call.h"
#include "toolcall/tool_format.h"

namespace brigada {

ToolFormat qwen3_coder_format() {
    static constexpr TaggedCallLayout kLayout{.section = "<tool_call>",
                                              .call = "<function=",
                                              .name_end = ">",
                                              .key = "<parameter=",
                                              .key_end = ">",
                                              .value_end = "</parameter>",
                                              .call_end = "</function>",
                                              .section_end = "</tool_call>",
                                              .needs_section = false,
                                              .lines_of_their_own = true};
    static constexpr TagShape kTags{.key = kLayout.key,
                                    .key_end = kLayout.key_end,
                                    .end = kLayout.value_end,
                                    .lines_of_their_own = true};
    return {.name = "qwen3_coder",
            .other_names = {"qwen3_xml"},
            .template_marks = {"<function=", "<parameter="},
            .openings = {kLayout.section, kLayout.call},
            .make_reader = [] -> std::unique_ptr<CallReader> {
                return std::make_unique<TaggedCallReader>(kLayout);
            },
            .controls = {kLayout.section, kLayout.section_end},
            .shapes = {{.opening = kLayout.section,
                        .first = "\n<function=",
                        .before_arguments = kLayout.name_end,
                        .end = "\n</function>",
                        .between = "\n<function=",
                        .close = "\n</tool_call>",
                        .arguments = CallShape::Arguments::tagged,
                        .tags = kTags},
                       {.opening = kLayout.call,
                        .before_arguments = kLayout.name_end,
                        .end = "\n</function>",
                        .arguments = CallShape::Arguments::tagged,
                        .tags = kTags}}};
}

}  // namespace brigada
