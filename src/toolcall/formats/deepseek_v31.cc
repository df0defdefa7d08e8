// DeepSeek V3.1: a section of calls, each a name and a JSON object.
//
//     <｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{"city":
//     "Madrid"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>
#include "toolcall/named_call.h"
#include "toolcall/tool_format.h"

namespace brigada {

ToolFormat deepseek_v31_format() {
    static constexpr NamedCallLayout kLayout{.section = "<｜tool▁calls▁begin｜>",
                                             .call = "<｜tool▁call▁begin｜>",
                                             .separator = "<｜tool▁sep｜>",
                                             .call_end = "<｜tool▁call▁end｜>",
                                             .section_end = "<｜tool▁calls▁end｜>"};
    return {.name = "deepseek_v31",
            .template_marks = {"<｜tool▁calls▁begin｜>", "</think>"},
            .openings = {kLayout.section},
            .make_reader = [] -> std::unique_ptr<CallReader> {
                return std::make_unique<NamedCallReader>(kLayout);
            },
            .controls = {kLayout.section, kLayout.call, kLayout.separator, kLayout.call_end,
                         kLayout.section_end},
            .shapes = {{.opening = kLayout.section,
                        .first = "\n<｜tool▁call▁begin｜>",
                        .before_arguments = kLayout.separator,
                        .end = "\n<｜tool▁call▁end｜>",
                        .between = "\n<｜tool▁call▁begin｜>",
                        .close = "\n<｜tool▁calls▁end｜>"}}};
}

}  // namespace brigada
