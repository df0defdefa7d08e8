// ScopeId: one holder of limits, without saying what it is. Whoever keeps the holders hands them
// out; admission only counts against them.
#pragma once

#include <cstdint>

namespace brigada {

/// An organisation, a team, a user, a key, an end user, or one of these for one model.
enum class ScopeId : uint64_t {};

}  // namespace brigada
