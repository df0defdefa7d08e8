// GPT-2's alphabet, in which vocabularies write bytes as printable characters: a printable Latin-1
// byte stands for itself, the 68 others are U+0100 to U+0143 in order, so that a space is "Ġ".
#pragma once

#include <string>
#include <string_view>

namespace brigada {

/// The bytes that `piece` stands for. A piece with any character outside the alphabet, such as an
/// added token with a space, stands for itself.
std::string bytes_of_alphabet(std::string_view piece);

/// The piece that stands for `bytes`.
std::string alphabet_of_bytes(std::string_view bytes);

}  // namespace brigada
