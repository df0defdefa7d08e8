#include "cli/cli.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "hub/scratch_folder.h"

namespace brigada {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

struct Invocation {
    explicit Invocation(std::vector<std::string> words) {
        code = run_cli(std::move(words), out, err);
    }

    std::ostringstream out, err;
    int code = 0;
};

TEST(Cli, help_lists_the_commands_and_is_no_error) {
    for (const auto& words : {std::vector<std::string>{}, {"--help"}, {"-h"}}) {
        const Invocation run(words);
        EXPECT_EQ(run.code, kExitOk);
        EXPECT_THAT(run.out.str(), StartsWith("brigada serves language models"));
        for (const char* command : {"serve", "model", "version"})
            EXPECT_THAT(run.out.str(), HasSubstr(std::string("\n  ") + command + "  "));
        EXPECT_EQ(run.err.str(), "");
    }
}

TEST(Cli, says_its_version) {
    const Invocation run({"--version"});
    EXPECT_EQ(run.code, kExitOk);
    EXPECT_THAT(run.out.str(), MatchesRegex("brigada [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

TEST(Cli, what_others_call_a_command_is_understood_and_shown) {
    EXPECT_THAT(Invocation({"model", "--help"}).out.str(), HasSubstr("\n  ls, list  "));
    EXPECT_THAT(Invocation({"teams", "--help"}).out.str(), HasSubstr("\n  list, ls  "));
    EXPECT_EQ(Invocation({"model", "list", "--help"}).out.str(),
              Invocation({"model", "ls", "--help"}).out.str());
}

TEST(Cli, every_command_has_a_page_no_wider_than_a_terminal) {
    const std::vector<std::vector<std::string>> commands{{"serve"},
                                                         {"model"},
                                                         {"model", "pull"},
                                                         {"model", "ls"},
                                                         {"model", "inspect"},
                                                         {"model", "kv"},
                                                         {"model", "rm"},
                                                         {"version"},
                                                         {"doctor"},
                                                         {"keys"},
                                                         {"keys", "create"},
                                                         {"keys", "list"},
                                                         {"keys", "rotate"},
                                                         {"teams", "update"},
                                                         {"teams", "add-member"},
                                                         {"users", "show"},
                                                         {"orgs", "delete"},
                                                         {"budgets", "create"},
                                                         {"spend", "report"},
                                                         {"spend", "calls"},
                                                         {"sessions", "show"}};
    for (std::vector<std::string> words : commands) {
        words.push_back("--help");
        const Invocation run(words);
        SCOPED_TRACE(run.out.str());
        EXPECT_EQ(run.code, kExitOk);
        EXPECT_THAT(run.out.str(), HasSubstr("Usage: brigada " + words.front()));
        std::istringstream lines(run.out.str());
        for (std::string line; std::getline(lines, line);)
            EXPECT_LE(line.size(), 100u);
    }
}

TEST(Cli, says_what_was_perhaps_meant) {
    const std::vector<std::pair<std::vector<std::string>, std::string>> mistakes{
        {{"modle", "ls"},
         "brigada: no command 'modle'; did you mean model? (see brigada --help)\n"},
        {{"model", "pul", "x"},
         "brigada: no command 'pul'; did you mean pull? (see brigada model --help)\n"},
        {{"model", "kv", "x", "--jsn"},
         "brigada: no option --jsn; did you mean --json? (see brigada model kv --help)\n"},
        {{"model", "kv", "x", "--mem=5"},
         "brigada: no option --mem (see brigada model kv --help)\n"},
        {{"serve", "x", "--port", "abc"},
         "brigada: --port wants PORT, not 'abc' (see brigada serve --help)\n"},
        {{"keys", "list", "--teem", "x"},
         "brigada: no option --teem; did you mean --team? (see brigada keys list --help)\n"},
        {{"team", "list"},
         "brigada: no command 'team'; did you mean teams? (see brigada --help)\n"},
        {{"model", "rm", "a", "b"},
         "brigada: 'b' is one word too many (see brigada model rm --help)\n"}};
    for (const auto& [words, message] : mistakes) {
        const Invocation run(words);
        EXPECT_EQ(run.code, kExitUsage);
        EXPECT_EQ(run.err.str(), message);
        EXPECT_EQ(run.out.str(), "");
    }
}

TEST(Cli, tells_what_is_missing_in_one_line) {
    for (const auto& words : {std::vector<std::string>{"model"},
                              {"model", "pull"},
                              {"model", "kv", "x", "--memory", "-1"}}) {
        const Invocation run(words);
        EXPECT_EQ(run.code, kExitUsage);
        EXPECT_THAT(run.err.str(), MatchesRegex("brigada: [^\n]+\n"));
    }
}

TEST(Cli, a_failed_command_is_one_line_and_exit_code_1) {
    const ScratchFolder scratch;
    const ScopedEnvironment cache("BRIGADA_CACHE", scratch.path().c_str());
    const ScopedEnvironment no_hub("HF_ENDPOINT", nullptr);
    const std::vector<std::pair<std::vector<std::string>, std::string>> failures{
        {{"model", "inspect", "./absent.gguf"}, "./absent.gguf: no such file"},
        {{"model", "inspect", "smollm2"}, "brigada model pull smollm2"},
        {{"model", "pull", "org/name"}, "HF_ENDPOINT"},
        {{"model", "rm", "smollm2"}, "no pulled model 'smollm2'"}};
    for (const auto& [words, part] : failures) {
        const Invocation run(words);
        EXPECT_EQ(run.code, kExitFailed);
        EXPECT_THAT(run.err.str(), MatchesRegex("brigada: [^\n]+\n"));
        EXPECT_THAT(run.err.str(), HasSubstr(part));
    }
}

}  // namespace
}  // namespace brigada
