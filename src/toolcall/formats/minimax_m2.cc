// MiniMax M2: a section of calls, with parameters between tags that have their names.
//
//     <minimax:tool_call>
//     <invoke name="get_weather">
//     <parameter name="city">Madrid</parameter>
//     </invoke>
//     </minimax:tool_call>
#include "toolcall/tagged_call.h"
#include "toolcall/tool_format.h"

namespace brigada {

ToolFormat minimax_m2_format() {
    static constexpr TaggedCallLayout kLayout{.section = "<minimax:tool_call>",
                                              .call = "<invoke name=\"",
                                              .name_end = "\">",
                                              .key = "<parameter name=\"",
                                              .key_end = "\">",
                                              .value_end = "</parameter>",
                                              .call_end = "</invoke>",
                                              .section_end = "</minimax:tool_call>"};
    return {
        .name = "minimax_m2",
        .template_marks = {kLayout.section},
        .openings = {kLayout.section},
        .make_reader = [] -> std::unique_ptr<CallReader> {
            return std::make_unique<TaggedCallReader>(kLayout);
        },
        .controls = {kLayout.section, kLayout.section_end},
        .shapes = {
            {.opening = kLayout.section,
             .first = "\n<invoke name=\"",
             .before_arguments = kLayout.name_end,
             .end = "\n</invoke>",
             .between = "\n<invoke name=\"",
             .close = "\n</minimax:tool_call>",
             .arguments = CallShape::Arguments::tagged,
             .tags = {.key = kLayout.key, .key_end = kLayout.key_end, .end = kLayout.value_end}}}};
}

}  // namespace brigada
