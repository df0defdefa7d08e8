// Hermes, Qwen 2.5 and 3, Granite 4, SmolLM3: a JSON object between tags.
//
//     <tool_call>
//     {"name": "get_weather", "arguments": {"city": "Madrid"}}
//     </tool_call>
#include "toolcall/object_call.h"
#include "toolcall/tool_format.h"

namespace brigada {

ToolFormat hermes_format() {
    static constexpr ObjectCallLayout kLayout{.open = "<tool_call>", .close = "</tool_call>"};
    return {.name = "hermes",
            .other_names = {"qwen", "granite4"},
            .template_marks = {"<tool_call>"},
            .openings = {kLayout.open},
            .make_reader = [] -> std::unique_ptr<CallReader> {
                return std::make_unique<ObjectCallReader>(kLayout);
            },
            .controls = {kLayout.open, kLayout.close},
            .shapes = {{.opening = kLayout.open,
                        .first = "\n{\n\"name\":\n\"",
                        .before_arguments = "\",\n\"arguments\":\n",
                        .end = "\n}",
                        .close = "\n</tool_call>",
                        .quoted_name = true}}};
}

}  // namespace brigada
