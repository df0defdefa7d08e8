// Texts and lists as PostgreSQL takes them. Its texts are UTF-8 without zero bytes; what clients
// claim is any bytes, so that what is neither is written as \xNN, and a backslash as two.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace brigada {

/// An index of PostgreSQL takes some 2,700 bytes, and two texts must fit.
inline constexpr size_t kPgTextBytes = 1'100;

/// Different bytes give different texts; a usual text is left as it is. One that would be longer
/// than kPgTextBytes ends in a hash.
std::string pg_text(std::string_view bytes);

/// Back again; one that ends in a hash stays as it is.
std::string from_pg_text(std::string_view text);

/// {"a","b"}, for an array parameter.
std::string pg_array(std::span<const std::string> texts);
std::string pg_array(std::span<const int64_t> numbers);

/// \x00ff, as bytea is written and shown; empty from what is not that.
std::string pg_hex(std::string_view bytes);
std::string from_pg_hex(std::string_view text);

}  // namespace brigada
