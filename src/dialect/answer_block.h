// AnswerBlock: what stands between two others in an answer: a text, a thought, a call.
#pragma once

#include <cstdint>
#include <string>

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
    bool sealed = false;  // signed or redacted: nothing is added
};

/// What a call without arguments carries, so that they are JSON.
inline constexpr Escaped kNoArguments{"{}"};

/// As it stands inside a string.
inline Escaped arguments_of(const AnswerBlock& call) {
    return call.text.empty() ? kNoArguments : Escaped{call.text};
}

}  // namespace brigada
