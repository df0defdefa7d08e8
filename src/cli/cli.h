// The command line: from words to the command they mean, and from an error to one line and an exit
// code.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace brigada {

inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;  // the command was understood and could not be done
inline constexpr int kExitUsage = 2;   // the command was not understood

/// Runs brigada with the words after its name. Help goes to `out`, errors as one line to `err`.
int run_cli(std::vector<std::string> words, std::ostream& out, std::ostream& err);

}  // namespace brigada
