// Arguments: fitting what a call passes to what a function takes, by position and by name, and
// reading the values as the types it wants.
#pragma once

#include <algorithm>
#include <array>

#include "base/concat.h"
#include "jinja/value.h"

namespace brigada::jinja {

/// One value for each of `names`, undefined where nothing was passed. Error when a name is unknown
/// or given twice, when there are too many values, or one of the first `required` is missing.
template <size_t N>
Result<std::array<Value, N>> bind(std::string_view function, const Args& args,
                                  const std::string_view (&names)[N], size_t required = 0) {
    std::array<Value, N> out;
    std::array<bool, N> given{};
    if (args.positional.size() > N)
        return template_error(
            concat(function, "() takes at most ", N, " arguments, not ", args.positional.size()));
    std::ranges::copy(args.positional, out.begin());
    std::fill_n(given.begin(), args.positional.size(), true);
    for (const auto& [name, value] : args.named) {
        const size_t i = static_cast<size_t>(std::ranges::find(names, name) - std::begin(names));
        if (i == N) return template_error(concat(function, "() has no argument '", name, "'"));
        if (given[i]) return template_error(concat(function, "() got '", name, "' twice"));
        out[i] = value;
        given[i] = true;
    }
    for (size_t i = 0; i < required; ++i)
        if (!given[i]) return template_error(concat(function, "() needs '", names[i], "'"));
    return out;
}

/// For functions without arguments.
Result<void> bind_nothing(std::string_view function, const Args& args);

/// Errors say `what` was given and what it should have been. An undefined value gives the fallback.
Result<int64_t> integer_or(Value value, int64_t fallback, std::string_view what);
Result<std::string_view> text_or(Value value, std::string_view fallback, std::string_view what);
inline bool bool_or(Value value, bool fallback) {
    return value.is_undefined() ? fallback : truthy(value);
}
Result<std::string_view> expect_text(Value value, std::string_view what);
Result<int64_t> expect_integer(Value value, std::string_view what);

}  // namespace brigada::jinja
