// The profiles that come with the program: profiles/*.json, embedded.
#include <algorithm>
#include <ranges>

#include "base/concat.h"
#include "base/joined.h"
#include "trace/profile.h"

#pragma clang diagnostic ignored "-Wc23-extensions"  // #embed

namespace brigada {

namespace {

constexpr char kChat[] = {
#embed "profiles/chat.json"
};
constexpr char kCopilot[] = {
#embed "profiles/copilot.json"
};
constexpr char kAgentx[] = {
#embed "profiles/agentx.json"
};
constexpr char kSweBench[] = {
#embed "profiles/swe-bench.json"
};
constexpr char kClaudeCode[] = {
#embed "profiles/claude-code.json"
};
constexpr char kRag[] = {
#embed "profiles/rag.json"
};

struct Builtin {
    std::string_view name;
    std::string_view json;
};

template <size_t n>
constexpr std::string_view view(const char (&text)[n]) {
    return {text, n};
}

constexpr Builtin kBuiltins[] = {
    {"chat", view(kChat)},          {"copilot", view(kCopilot)},        {"agentx", view(kAgentx)},
    {"swe-bench", view(kSweBench)}, {"claude-code", view(kClaudeCode)}, {"rag", view(kRag)},
};

}  // namespace

std::vector<std::string_view> builtin_profile_names() {
    std::vector<std::string_view> out;
    for (const Builtin& one : kBuiltins)
        out.push_back(one.name);
    return out;
}

Result<Profile> builtin_profile(std::string_view name) {
    const auto found = std::ranges::find(kBuiltins, name, &Builtin::name);
    if (found == std::end(kBuiltins))
        return Error{Code::not_found, concat("no profile '", name, "'; there are ",
                                             joined(builtin_profile_names()))};
    TRY(const Json json, parse_json(found->json, concat("profile ", name)));
    return read_profile(json);
}

}  // namespace brigada
