// Volatile blocks: lines that clients put before a system prompt and that change with every call.
// No upstream needs them to answer, and one that reads them finds nothing in its cache.
#pragma once

#include <array>
#include <string_view>

#include "dialect/escaped.h"

namespace brigada {

/// How they begin. Claude Code's line of attribution, with a nonce.
inline constexpr std::array<std::string_view, 1> kVolatileLines = {"x-anthropic-billing-header:"};

/// A system prompt without such a first line and the blank ones after it; empty where there is
/// nothing else.
Escaped without_volatile_line(Escaped system);

}  // namespace brigada
