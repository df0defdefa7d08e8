// Thinking by budget and by effort. Anthropic counts tokens, OpenAI has words; the table is ours,
// and uses only the three words that every engine knows.
#pragma once

#include <cstdint>
#include <string_view>

#include "dialect/conversation.h"

namespace brigada {

/// Up to 4,096 tokens low, up to 16,384 medium, more is high.
constexpr std::string_view effort_of_budget(int64_t tokens) {
    return tokens <= 4'096 ? "low" : tokens <= 16'384 ? "medium" : "high";
}

/// The word for OpenAI's dialects: the client's own, that of its budget, or "none" where it turned
/// thinking off. Empty: the model decides.
constexpr Escaped openai_effort(const ThinkingWish& wish) {
    if (wish.kind == ThinkingWish::Kind::off) return {"none"};
    if (!wish.effort.empty()) return wish.effort;
    return {wish.budget_tokens ? effort_of_budget(*wish.budget_tokens) : std::string_view()};
}

/// Anthropic's word: it has no "minimal".
constexpr Escaped anthropic_effort(const ThinkingWish& wish) {
    return wish.effort.raw == "minimal" ? Escaped{"low"} : wish.effort;
}

}  // namespace brigada
