// AnswerFormat: how one model writes its answers: its calls of tools and its reasoning. Chosen
// once, when the model is loaded.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "toolcall/reasoning_format.h"
#include "toolcall/tool_format.h"

namespace brigada {

/// Pointers are into the lists of formats.
struct AnswerFormat {
    const ToolFormat* tools = nullptr;  // null: calls are not recognised
    const ReasoningFormat* reasoning = &reasoning_formats().front();

    bool is_harmony() const { return tools && !tools->make_reader; }

    /// The control tokens that must be decoded as text, for requests with and without tools.
    std::vector<std::string_view> controls(bool has_tools) const;

    /// Whether the answer to this prompt begins within the reasoning: its end opens it.
    bool opens_reasoning(std::string_view prompt) const;

    /// Whether an answer that begins with `text` is still within its reasoning.
    bool is_within_reasoning(std::string_view text) const;
};

/// What somebody says against the template: "auto" lets it decide, "none" turns it off.
struct FormatWishes {
    std::string tools = "auto";
    std::string reasoning = "auto";
};

/// Error::invalid_argument for a name that there is not, and for one half of Harmony.
Result<AnswerFormat> choose_answer_format(std::string_view chat_template,
                                          const FormatWishes& wishes);

/// The formats' names, for help pages: "auto, none, hermes, ...".
std::string tool_format_names();
std::string reasoning_format_names();

}  // namespace brigada
