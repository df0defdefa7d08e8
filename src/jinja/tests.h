// Tests: value is name(arguments), as Jinja 3.1 documents them.
#pragma once

#include <string_view>

#include "jinja/tree.h"

namespace brigada::jinja {

/// Null when there is none of this name.
Test find_test(std::string_view name);

}  // namespace brigada::jinja
