// Llama 3: a JSON object that nothing marks, so it is a call only at the start of an answer and if
// its name is a tool's; or the same after <|python_tag|>. Several stand with semicolons between
// them.
//
//     {"name": "get_weather", "parameters": {"city": "Madrid"}}
#include "toolcall/object_call.h"
#include "toolcall/tool_format.h"

namespace brigada {

ToolFormat llama3_json_format() {
    static constexpr ObjectCallLayout kLayout{.open = "<|python_tag|>",
                                              .separators = ";,",
                                              .open_is_optional = true,
                                              .is_unmarked = true};
    return {.name = "llama3_json",
            .other_names = {"llama4_json"},
            .template_marks = {"{\"name\": function name, \"parameters\":"},
            .openings = {kLayout.open},
            .first = "{",
            .make_reader = [] -> std::unique_ptr<CallReader> {
                return std::make_unique<ObjectCallReader>(kLayout);
            },
            .controls = {kLayout.open},
            .shapes = {{.opening = kLayout.open,
                        .first = "\n{\n\"name\":\n\"",
                        .before_arguments = "\",\n\"parameters\":\n",
                        .end = "\n}",
                        .between = ";\n{\n\"name\":\n\"",
                        .quoted_name = true},
                       {.opening = "{",
                        .at_start = true,
                        .first = "\n\"name\":\n\"",
                        .before_arguments = "\",\n\"parameters\":\n",
                        .end = "\n}",
                        .between = ";\n{\n\"name\":\n\"",
                        .quoted_name = true}}};
}

}  // namespace brigada
