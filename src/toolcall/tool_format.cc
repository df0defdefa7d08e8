#include "toolcall/tool_format.h"

#include <algorithm>

#include "base/joined.h"

namespace brigada {

namespace {

bool is_called(const ToolFormat& format, std::string_view name) {
    return format.name == name || std::ranges::count(format.other_names, name) > 0;
}

bool shows(std::string_view chat_template, const ToolFormat& format) {
    return !format.template_marks.empty() &&
           std::ranges::all_of(format.template_marks,
                               [&](std::string_view mark) { return chat_template.contains(mark); });
}

}  // namespace

std::span<const ToolFormat> tool_formats() {
    // The more particular ones stand before those whose marks are everywhere.
    static const std::vector<ToolFormat> formats = {
        harmony_format(),    kimi_k2_format(),  deepseek_v32_format(), deepseek_v31_format(),
        minimax_m2_format(), mistral_format(),  qwen3_coder_format(),  glm45_format(),
        hermes_format(),     pythonic_format(), llama3_json_format(),  json_format()};
    return formats;
}

Result<const ToolFormat*> find_tool_format(std::string_view name) {
    std::vector<std::string_view> names;
    for (const ToolFormat& format : tool_formats()) {
        if (is_called(format, name)) return &format;
        names.push_back(format.name);
    }
    return Error{Code::invalid_argument, concat("no format of tool calls is called \"", name,
                                                "\"; there are ", joined(names))};
}

const ToolFormat* detect_tool_format(std::string_view chat_template) {
    for (const ToolFormat& format : tool_formats())
        if (shows(chat_template, format)) return &format;
    return nullptr;
}

}  // namespace brigada
