#include "gateway/retry_rules.h"

#include <algorithm>
#include <initializer_list>

namespace brigada {

namespace {

std::optional<int64_t> of_kind(const PerFailure& numbers, FailureKind kind) {
    switch (kind) {
        case FailureKind::authentication:
            return numbers.authentication;
        case FailureKind::timeout:
            return numbers.timeout;
        case FailureKind::rate_limit:
            return numbers.rate_limit;
        case FailureKind::internal:
            return numbers.internal_server;
        case FailureKind::too_long:
            return numbers.bad_request;
        case FailureKind::content:
            return numbers.content_policy;
    }
    return std::nullopt;
}

bool has_any(std::string_view text, std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(words, [&](std::string_view word) { return text.contains(word); });
}

void append(const std::vector<ModelFallbacks>& lists, std::string_view model,
            std::vector<std::string>& out) {
    for (const ModelFallbacks& list : lists)
        if (list.model == model) out.insert(out.end(), list.instead.begin(), list.instead.end());
}

}  // namespace

int64_t retries_for(const RouterSettings& settings, std::string_view model,
                    const std::optional<int64_t>& of_upstream, FailureKind kind) {
    // Another upstream of the same model would say the same of the same prompt.
    if (kind == FailureKind::too_long || kind == FailureKind::content) return 0;
    if (of_upstream) return *of_upstream;
    const auto own = std::ranges::find(settings.model_retries, model, &ModelRetries::model);
    if (own != settings.model_retries.end())
        if (const auto number = of_kind(own->retries, kind)) return *number;
    return of_kind(settings.retries, kind).value_or(settings.num_retries);
}

std::vector<std::string> fallbacks_for(const FallbackSettings& settings, std::string_view model,
                                       FailureKind kind) {
    std::vector<std::string> out;
    if (kind == FailureKind::too_long) {
        append(settings.context_window, model, out);
    } else if (kind == FailureKind::content) {
        append(settings.content_policy, model, out);
    } else {
        if (kind == FailureKind::rate_limit) append(settings.overload, model, out);
        append(settings.general, model, out);
        if (out.empty()) out = settings.otherwise;
    }
    out.resize(std::min(out.size(), static_cast<size_t>(settings.most)));
    return out;
}

bool says_too_long(std::string_view body) {
    return has_any(body, {"context_length_exceeded", "maximum context length", "prompt is too long",
                          "exceeds the context", "context window", "input is too long"});
}

bool says_content_refused(std::string_view body) {
    return has_any(body, {"content_policy_violation", "content_filter", "content management policy",
                          "content policy"});
}

}  // namespace brigada
