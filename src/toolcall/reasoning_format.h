// ReasoningFormat: how a model marks its reasoning, apart from what it says.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace brigada {

struct ReasoningFormat {
    std::string_view name;
    std::vector<std::string_view> other_names{};  // vLLM's parsers
    /// The markers around it. "" for "none", and for Harmony, which has a channel for it.
    std::string_view open{}, close{};

    bool has_markers() const { return !open.empty(); }
};

/// Every format; the first is "none".
std::span<const ReasoningFormat> reasoning_formats();

/// By name or by another name; Error::invalid_argument lists the names.
Result<const ReasoningFormat*> find_reasoning_format(std::string_view name);

/// The format that a model's chat template shows; "none" when it shows none.
const ReasoningFormat& detect_reasoning_format(std::string_view chat_template);

}  // namespace brigada
