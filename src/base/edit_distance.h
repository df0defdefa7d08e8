// edit_distance: how many slips of the fingers lie between two words.
#pragma once

#include <cstddef>
#include <string_view>

namespace brigada {

/// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other,
/// no character touched twice. Source: optimal string alignment distance.
size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace brigada
