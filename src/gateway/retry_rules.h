// RetryRules: how often a call is tried again, and what is asked instead, by what went wrong. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/config/router_settings.h"

namespace brigada {

/// What kept a model from answering.
enum class FailureKind {
    authentication,  // the upstream does not take our key
    timeout,
    rate_limit,  // it is busy, and says so
    internal,    // its own fault: 5xx, no connection, a broken answer
    too_long,    // the prompt, for this model
    content,     // it will not answer this prompt
};

/// Retries at other upstreams of the model, or at the same. `of_upstream` is what the deployment
/// that failed says itself.
int64_t retries_for(const RouterSettings& settings, std::string_view model,
                    const std::optional<int64_t>& of_upstream, FailureKind kind);

/// The models to ask, in order, when `model` could not answer.
std::vector<std::string> fallbacks_for(const FallbackSettings& settings, std::string_view model,
                                       FailureKind kind);

/// What an upstream's error says about the call: its words are matched, for want of a standard.
bool says_too_long(std::string_view body);
bool says_content_refused(std::string_view body);

}  // namespace brigada
