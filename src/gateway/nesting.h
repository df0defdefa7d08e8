// How deep a value of a body is nested. Readers of many servers recurse, and some die of a body
// that is nested a hundred thousand deep: one call, and nobody's calls are answered.
#pragma once

#include <simdjson.h>

namespace brigada {

/// Arrays and objects inside each other; 0 for anything else, and for what has no end. By
/// simdjson's index, not byte by byte. The value is still to be read.
int levels_of(const simdjson::ondemand::value& value);

}  // namespace brigada
