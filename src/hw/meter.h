// Meter: runs one measuring body on several threads at once, again and again for a while, and keeps
// the best pass, because on a shared machine a slow pass says something about the neighbours.
#pragma once

#include <functional>

#include "base/time.h"

namespace brigada {

/// Shortest wall time of one pass, a pass being body(thread) once on each of `threads` threads that
/// start together. Passes repeat until `budget` is spent, at least twice: the first warms up.
Duration best_pass(unsigned threads, Duration budget, const std::function<void(unsigned)>& body);

}  // namespace brigada
