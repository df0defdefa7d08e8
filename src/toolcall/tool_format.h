// ToolFormat: one way of writing calls of tools: how it is named, how it is recognised in a model's
// chat template and in its text, who reads it, and what a grammar needs to write a call.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "toolcall/call_reader.h"
#include "toolcall/call_shape.h"

namespace brigada {

struct ToolFormat {
    std::string_view name;
    std::vector<std::string_view> other_names{};  // vLLM's parsers
    /// A template that has all of these is of this format. Formats are asked in the list's order.
    std::vector<std::string_view> template_marks{};
    /// Any of these begins a call, wherever it stands in the text.
    std::vector<std::string_view> openings{};
    /// Any of these characters may begin one at the start of an answer.
    std::string_view first{};
    /// Null for Harmony, where calls are no part of a text: HarmonyParser reads all of it.
    std::unique_ptr<CallReader> (*make_reader)() = nullptr;
    /// Markers that vocabularies have as control tokens, which must be decoded as text.
    std::vector<std::string_view> controls{};
    /// The ways of writing a call that a grammar allows; all of them if there are several.
    std::vector<CallShape> shapes{};
    CallIdStyle ids = CallIdStyle::long_word;
};

/// Every format, in the order in which a template is compared with them.
std::span<const ToolFormat> tool_formats();

/// By name or by another name; Error::invalid_argument lists the names.
Result<const ToolFormat*> find_tool_format(std::string_view name);

/// The format that a model's chat template shows; null when it shows none that we know.
const ToolFormat* detect_tool_format(std::string_view chat_template);

// The formats, each in a file of its own in formats/.
ToolFormat deepseek_v31_format();
ToolFormat deepseek_v32_format();
ToolFormat glm45_format();
ToolFormat harmony_format();
ToolFormat hermes_format();
ToolFormat json_format();
ToolFormat kimi_k2_format();
ToolFormat llama3_json_format();
ToolFormat minimax_m2_format();
ToolFormat mistral_format();
ToolFormat pythonic_format();
ToolFormat qwen3_coder_format();

}  // namespace brigada
