// Process: another program, run to its end without a shell, its complaints kept.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"

namespace brigada {

struct Command {
    std::vector<std::string> words;        // the program, found on PATH, and its arguments
    std::vector<std::string> environment;  // "NAME=value", beside or instead of ours
    Path output;                           // where its standard output and error go
};

/// Waits for its end, calling `while_waiting` about five times a second. Error::not_found when
/// there is no such program; ::io when it fails, with the last line it wrote.
Result<void> run_process(const Command& command, const std::function<void()>& while_waiting);

}  // namespace brigada
