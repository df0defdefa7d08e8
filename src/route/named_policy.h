// Routing policies by the names that a gateway's configuration gives them (routing_strategy), for
// whoever lets a person choose one.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "route/policy.h"

namespace brigada {

/// In the order in which they are listed to people.
const std::vector<std::string_view>& policy_names();

/// A policy in its default configuration, for prompts in blocks of so many tokens.
/// Error::not_found lists the names.
Result<std::unique_ptr<Policy>> policy_named(std::string_view name,
                                             uint32_t block_tokens = kBlockTokens);

}  // namespace brigada
