// shown: a name from a file nobody trusts, made fit for a message: quoted, without control
// characters or broken UTF-8, and short.
#pragma once

#include <string>
#include <string_view>

namespace brigada {

/// shown("blk.0\n") == "\"blk.0\\x0a\""; after 80 bytes comes an ellipsis.
std::string shown(std::string_view text);

}  // namespace brigada
