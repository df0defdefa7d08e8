#include "cli/plan/plan_questions.h"

#include <array>
#include <istream>
#include <ostream>
#include <string>

#include "base/concat.h"

namespace brigada {

namespace {

struct Question {
    const char* field;
    const char* asks;
    const char* standard;  // what Enter takes; "": nothing is said
};

constexpr std::array kQuestions = {
    Question{"developers", "How many people work with it at the same time?", "20"},
    Question{"profile", "What do they do (claude-code, agentx, copilot, swe-bench, chat, rag)?",
             "claude-code"},
    Question{"model", "Which model (a name, a config.json, a GGUF file)?", "qwen3-32b"},
    Question{"gpu", "Which accelerators may it run on, with commas (Enter: all known)?", ""},
    Question{"ttft-p90", "Seconds to the first token, for nine calls in ten?", "10"},
    Question{"tpot", "Seconds between two tokens of a stream?", "0.05"},
    Question{"spare", "How many replicas may be lost without anybody noticing?", "1"},
    Question{"budget", "Dollars a month, at most (0: no limit)?", "0"},
};

std::string trimmed(const std::string& text) {
    const size_t first = text.find_first_not_of(" \t\r");
    if (first == text.npos) return "";
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::vector<PlanWord> split(const std::string& answer, const char* field) {
    std::vector<PlanWord> words;
    for (size_t at = 0; at <= answer.size();) {
        const size_t comma = std::min(answer.find(',', at), answer.size());
        const std::string word = trimmed(answer.substr(at, comma - at));
        if (!word.empty()) words.push_back({.text = word, .place = field});
        at = comma + 1;
    }
    return words;
}

/// Whether the words so far make sense, with what isn't asked yet as it stands.
Result<void> check(PlanWords words) {
    if (!words.has("model")) words.say("model", {{.text = "qwen3-32b"}});
    TRY(PlanRequest request, understand(words));
    if (!request.targets.any()) request.targets = default_targets();
    return check_request(request);
}

Result<void> ask(const Question& question, PlanWords& words, std::istream& in, std::ostream& out) {
    for (;;) {
        out << question.asks;
        if (question.standard[0] != '\0') out << " [" << question.standard << "]";
        out << ' ' << std::flush;
        std::string line;
        if (!std::getline(in, line)) {
            out << '\n';
            return Error{Code::cancelled,
                         "the input ended, nothing was planned; brigada plan --help shows how to "
                         "say it all at once"};
        }
        std::string answer = trimmed(line);
        if (answer.empty()) answer = question.standard;
        if (answer.empty()) return {};
        PlanWords with = words;
        with.say(question.field, split(answer, question.field));
        if (const Result<void> good = check(with); !good) {
            out << "  " << good.error().message << '\n';
            continue;
        }
        words = std::move(with);
        return {};
    }
}

}  // namespace

Result<PlanWords> ask_for_plan(std::istream& in, std::ostream& out) {
    out << "Enter takes what stands in brackets; Ctrl-D ends it.\n\n";
    PlanWords words;
    for (const Question& question : kQuestions)
        TRY(ask(question, words, in, out));
    out << '\n';
    return words;
}

}  // namespace brigada
