// Questions: the few things without which nothing can be planned, asked on a terminal, each with
// what a bare Enter takes.
#pragma once

#include <iosfwd>

#include "plan/plan_words.h"

namespace brigada {

/// An answer that can't be understood is asked for again. Error::cancelled when the input ends
/// (Ctrl-D).
Result<PlanWords> ask_for_plan(std::istream& in, std::ostream& out);

}  // namespace brigada
