// Names as people type them: compared without case, blanks and punctuation, and when none fits, the
// nearest ones to suggest.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace brigada {

/// "RTX 4090" and "rtx-4090" become "rtx4090".
std::string bare_name(std::string_view name);

/// Up to three of `known` that differ least from `name`, nearest first: those that contain it, or
/// need few letters changed.
std::vector<std::string> similar_names(std::string_view name,
                                       const std::vector<std::string>& known);

}  // namespace brigada
