#include "toolcall/reasoning_format.h"

#include <algorithm>

#include "base/joined.h"

namespace brigada {

std::span<const ReasoningFormat> reasoning_formats() {
    static const std::vector<ReasoningFormat> formats = {
        {.name = "none"},
        {.name = "think",
         .other_names = {"deepseek_r1", "deepseek_v3", "qwen3", "glm45", "kimi_k2", "minimax_m2"},
         .open = "<think>",
         .close = "</think>"},
        {.name = "mistral", .other_names = {"magistral"}, .open = "[THINK]", .close = "[/THINK]"},
        {.name = "harmony", .other_names = {"openai_gptoss", "gpt_oss"}},
    };
    return formats;
}

Result<const ReasoningFormat*> find_reasoning_format(std::string_view name) {
    std::vector<std::string_view> names;
    for (const ReasoningFormat& format : reasoning_formats()) {
        if (format.name == name || std::ranges::count(format.other_names, name) > 0) return &format;
        names.push_back(format.name);
    }
    return Error{Code::invalid_argument, concat("no format of reasoning is called \"", name,
                                                "\"; there are ", joined(names))};
}

const ReasoningFormat& detect_reasoning_format(std::string_view chat_template) {
    for (const ReasoningFormat& format : reasoning_formats())
        if (format.has_markers() && chat_template.contains(format.close)) return format;
    return reasoning_formats().front();
}

}  // namespace brigada
