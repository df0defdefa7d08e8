// AnswerBlock: what stands between two others in an answer: a text, a thought, a call.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/json.h"
#include "dialect/escaped.h"

namespace brigada {

struct AnswerBlock {
    enum class Kind : uint8_t { text, thinking, redacted, refusal, call };
    Kind kind = Kind::text;
    uint32_t call = 0;  // of a call: which of the choice
    // All as it stands inside a JSON string:
    std::string id = {}, name = {};
    std::string text = {};  // or the arguments' JSON, or the redacted data
    std::string signature = {};
    std::string logprobs = {};  // JSON of its tokens', joined by commas
    bool sealed = false;        // signed or redacted: nothing is added
};

/// What a call without arguments carries, so that they are JSON.
inline constexpr Escaped kNoArguments{"{}"};

/// What stands between the brackets of a list; none: nothing.
inline std::string_view elements_of(RawJson list) {
    std::string_view out = list.text;
    if (out.size() < 2) return {};
    out = out.substr(1, out.size() - 2);
    out.remove_prefix(std::min(out.find_first_not_of(kJsonBlanks), out.size()));
    return out;
}

/// More elements behind others.
inline void append_elements(std::string& out, std::string_view more) {
    if (!out.empty() && !more.empty()) out += ',';
    out += more;
}

/// As it stands inside a string.
inline Escaped arguments_of(const AnswerBlock& call) {
    return call.text.empty() ? kNoArguments : Escaped{call.text};
}

}  // namespace brigada
