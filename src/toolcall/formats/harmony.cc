// Harmony, gpt-oss: answers are messages in channels, and a call is a message to a function. What
// reads it is HarmonyParser; this is what the list of formats needs.
#include "toolcall/harmony_parser.h"
#include "toolcall/tool_format.h"

namespace brigada {

ToolFormat harmony_format() {
    return {.name = "harmony",
            .other_names = {"openai", "gpt_oss"},
            .template_marks = {"<|channel|>", "<|message|>"},
            .controls = {kHarmonyMarkers.begin(), kHarmonyMarkers.end()},
            .shapes = {{.opening = "to=functions."}}};
}

}  // namespace brigada
