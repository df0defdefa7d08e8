// The script that Redis runs for replicas: the books in which they count limits and budgets
// together. A message is one run of it, so nothing comes between its reading and its writing.
#pragma once

#include <string>

namespace brigada {

/// EVALSHA ... 1 PREFIX COMMAND WHO NOT_LATER_THAN REPLICAS ...: every key begins with PREFIX; WHO
/// is the replica; later than that, in microseconds of Redis' clock, nothing is taken any more;
/// REPLICAS is how many run at most. Answers begin with a word: `yes`, `late`, `join` (who is not
/// in must join first), or what the command says, then Redis' time.
const std::string& books_script();

}  // namespace brigada
