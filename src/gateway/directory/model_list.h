// ModelList: which models a level of the hierarchy lets its callers use: names, patterns with *,
// and the special names LiteLLM's clients write. Every level must let a model through, so a list
// further down can only narrow what stands above it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace brigada {

/// Whether `name` is `pattern`, where each * stands for any run of characters, also none.
bool matches_model(std::string_view pattern, std::string_view name);

/// Whether the list lets the model through. An empty list says nothing, so all pass; so do
/// "all-proxy-models" and "all-team-models" (what the levels above allow). "no-default-models"
/// names none.
bool allows_model(const std::vector<std::string>& list, std::string_view name);

}  // namespace brigada
