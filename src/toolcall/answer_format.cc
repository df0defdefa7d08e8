#include "toolcall/answer_format.h"

#include "base/joined.h"
#include "toolcall/unread.h"

namespace brigada {

namespace {

Result<const ToolFormat*> choose_tools(std::string_view chat_template, const std::string& wish) {
    if (wish == "none") return nullptr;
    if (wish == "auto") return detect_tool_format(chat_template);
    return find_tool_format(wish);
}

Result<const ReasoningFormat*> choose_reasoning(std::string_view chat_template,
                                                const std::string& wish) {
    if (wish == "auto") return &detect_reasoning_format(chat_template);
    return find_reasoning_format(wish);
}

template <typename Formats>
std::string names_of(std::vector<std::string_view> names, const Formats& formats) {
    for (const auto& format : formats)
        names.push_back(format.name);
    return joined(names);
}

}  // namespace

std::vector<std::string_view> AnswerFormat::controls(bool has_tools) const {
    std::vector<std::string_view> out;
    if (reasoning->has_markers()) out = {reasoning->open, reasoning->close};
    if (tools && (has_tools || is_harmony()))
        out.insert(out.end(), tools->controls.begin(), tools->controls.end());
    return out;
}

bool AnswerFormat::opens_reasoning(std::string_view prompt) const {
    return reasoning->has_markers() && without_space_at_end(prompt).ends_with(reasoning->open);
}

bool AnswerFormat::is_within_reasoning(std::string_view text) const {
    if (!reasoning->has_markers() || text.contains(reasoning->close)) return false;
    const size_t at = text.find_first_not_of(kWhiteSpace);
    return at != text.npos && text.substr(at).starts_with(reasoning->open);
}

Result<AnswerFormat> choose_answer_format(std::string_view chat_template,
                                          const FormatWishes& wishes) {
    AnswerFormat out;
    TRY(out.tools, choose_tools(chat_template, wishes.tools));
    TRY(out.reasoning, choose_reasoning(chat_template, wishes.reasoning));
    TRY(const ReasoningFormat* harmony, find_reasoning_format("harmony"));
    const bool follows = wishes.reasoning == "auto" || out.reasoning == harmony;
    if (out.is_harmony() && !follows)
        return Error{Code::invalid_argument,
                     concat("the tool call format harmony brings its own reasoning; the reasoning "
                            "format must be auto or harmony, not ",
                            wishes.reasoning)};
    if (out.is_harmony()) out.reasoning = harmony;
    if (out.reasoning == harmony && !out.is_harmony())
        return Error{Code::invalid_argument,
                     concat("the reasoning format harmony needs the tool call format harmony, not ",
                            out.tools ? out.tools->name : wishes.tools)};
    return out;
}

std::string tool_format_names() {
    return names_of({"auto", "none"}, tool_formats());
}

std::string reasoning_format_names() {
    return names_of({"auto"}, reasoning_formats());
}

}  // namespace brigada
