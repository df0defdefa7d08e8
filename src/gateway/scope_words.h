// words_for: a holder of limits as a refused client may read of it.
#pragma once

#include <string>

#include "gateway/directory/directory.h"

namespace brigada {

/// "this key", "team red", "team red for model m": by its alias, where it has one. A key's id is a
/// hash: it would tell its owner nothing. "a limit" for a scope that is gone.
std::string words_for(const Directory& directory, ScopeId scope);

}  // namespace brigada
