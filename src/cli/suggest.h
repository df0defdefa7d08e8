// closest: what somebody meant who typed something else.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace brigada {

/// The known word fewest edits away, the first of several; nothing when even that one is too far to
/// be a slip of the fingers: more than a third of its letters, and more than one.
std::optional<std::string> closest(std::string_view typed, const std::vector<std::string>& known);

}  // namespace brigada
