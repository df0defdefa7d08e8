// The patterns by which quantization_config names modules: a path or a part of one, with * for
// anything, or "re:" and a regular expression of the simple kind that people write there.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace brigada {

/// A pattern as one or more with * only; nullopt: a regular expression that is not understood here
/// (more than literals, ".*", escapes and one level of (a|b) groups).
std::optional<std::vector<std::string>> plain_patterns(std::string_view pattern);

/// "a.b" is matched by itself, by any run of its whole parts ("b"), and by * patterns over all of
/// it or of a part run that reaches its end.
bool pattern_matches(std::string_view pattern, std::string_view module);

}  // namespace brigada
