#include "hub/process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string_view>
#include <thread>

namespace brigada {

namespace {

constexpr std::chrono::milliseconds kPollEvery(200);
constexpr size_t kMostOutput = 1 << 20;

std::vector<char*> pointers(std::vector<std::string>& words) {
    std::vector<char*> out;
    for (std::string& word : words)
        out.push_back(word.data());
    out.push_back(nullptr);
    return out;
}

std::string_view name_of(std::string_view assignment) {
    return assignment.substr(0, assignment.find('='));
}

/// Ours, with the command's own entries in place of those of the same name.
std::vector<std::string> merged_environment(const std::vector<std::string>& own) {
    std::vector<std::string> out = own;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const auto same = [&](const std::string& o) { return name_of(o) == name_of(*entry); };
        if (std::none_of(own.begin(), own.end(), same)) out.emplace_back(*entry);
    }
    return out;
}

std::string last_line(const Path& output) {
    std::string text = read_file(output, kMostOutput).value_or("");
    while (text.ends_with('\n'))
        text.pop_back();
    const size_t newline = text.rfind('\n');
    return newline == std::string::npos ? text : text.substr(newline + 1);
}

Result<pid_t> spawn(const Command& command) {
    std::vector<std::string> words = command.words;
    std::vector<std::string> environment = merged_environment(command.environment);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, command.output.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
    pid_t child = 0;
    const int failed = ::posix_spawnp(&child, words.front().c_str(), &files, nullptr,
                                      pointers(words).data(), pointers(environment).data());
    posix_spawn_file_actions_destroy(&files);
    if (failed == 0) return child;
    return Error{failed == ENOENT ? Code::not_found : Code::io,
                 concat(words.front(), ": cannot run it: ", std::strerror(failed))};
}

Error failure(const Command& command, int status) {
    const std::string how = WIFEXITED(status) ? concat("exit code ", WEXITSTATUS(status))
                                              : concat("signal ", WTERMSIG(status));
    return {Code::io, concat(command.words.front(), ": ", how, ": ", last_line(command.output))};
}

}  // namespace

Result<void> run_process(const Command& command, const std::function<void()>& while_waiting) {
    TRY(const pid_t child, spawn(command));
    int status = 0;
    for (;;) {
        const pid_t ended = ::waitpid(child, &status, WNOHANG);
        if (ended == child) break;
        if (ended < 0 && errno != EINTR)
            return Error{Code::io,
                         concat("waiting for ", command.words.front(), ": ", std::strerror(errno))};
        while_waiting();
        std::this_thread::sleep_for(kPollEvery);
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
    return failure(command, status);
}

}  // namespace brigada
