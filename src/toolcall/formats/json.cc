// No format of any model in particular: a JSON object or an array of such, at the start of an
// answer, with the name of a tool. For models that are told in words how to call.
//
//     [{"name": "get_weather", "arguments": {"city": "Madrid"}}]
#include "toolcall/object_call.h"
#include "toolcall/tool_format.h"

namespace brigada {

ToolFormat json_format() {
    static constexpr ObjectCallLayout kLayout{
        .list_open = "[", .list_close = "]", .separators = ",", .is_unmarked = true};
    return {.name = "json",
            .first = "{[",
            .make_reader = [] -> std::unique_ptr<CallReader> {
                return std::make_unique<ObjectCallReader>(kLayout);
            },
            .shapes = {{.opening = "{",
                        .at_start = true,
                        .first = "\n\"name\":\n\"",
                        .before_arguments = "\",\n\"arguments\":\n",
                        .end = "\n}",
                        .quoted_name = true},
                       {.opening = "[",
                        .at_start = true,
                        .first = "\n{\n\"name\":\n\"",
                        .before_arguments = "\",\n\"arguments\":\n",
                        .end = "\n}",
                        .between = ",\n{\n\"name\":\n\"",
                        .close = "\n]",
                        .quoted_name = true}}};
}

}  // namespace brigada
