// nearest_key: the known key somebody meant who wrote another.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace brigada {

/// The known key fewest edits (insertions, deletions, replacements) away, the first of several; ""
/// when even that one is too far for a slip: more than a third of its letters. A key of three
/// letters is too short to tell.
std::string nearest_key(std::string_view written, const std::vector<std::string>& known);

}  // namespace brigada
