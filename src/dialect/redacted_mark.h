// Anthropic's redacted thinking on its way through a client of OpenAI's Responses, which knows only
// one sealed text: the mark tells, when the client sends it back, what it was.
#pragma once

#include <string_view>

namespace brigada {

/// Before the data, in the encrypted_content of a reasoning item.
inline constexpr std::string_view kRedactedMark = "redacted_thinking:";

}  // namespace brigada
