// Volatile blocks: lines that clients put before a system prompt and that change with every call.
// No upstream needs them to answer, and one that reads them finds nothing in its cache.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "dialect/escaped.h"

namespace brigada {

/// How they begin. Claude Code's line of attribution, with a nonce.
inline constexpr std::array<std::string_view, 1> kVolatileLines = {"x-anthropic-billing-header:"};

/// A system prompt without such a first line and the blank ones after it; empty where there is
/// nothing else.
Escaped without_volatile_line(Escaped system);

/// The same of a whole `system` of Messages, a string or an array of blocks: blocks of which
/// nothing is left are left out. Nothing where it begins with no such line.
std::optional<std::string> system_without_volatile_lines(std::string_view system);

}  // namespace brigada
