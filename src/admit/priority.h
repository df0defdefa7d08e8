// PriorityClass: whose work goes first when there is more of it than room.
#pragma once

#include <array>

namespace brigada {

/// How a call stands in the queue when there is more work than room.
enum class PriorityClass { guaranteed, standard, batch };

inline constexpr std::array kPriorityClasses{PriorityClass::guaranteed, PriorityClass::standard,
                                             PriorityClass::batch};

}  // namespace brigada
