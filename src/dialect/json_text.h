// append_json: pieces of JSON text put together in the order they are written. Text in quotes comes
// as Escaped; everything else stands as it is.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <string>
#include <string_view>

#include "dialect/escaped.h"

namespace brigada {

inline void append_piece(std::string& out, std::string_view text) {
    out += text;
}
inline void append_piece(std::string& out, Escaped text) {
    out += '"';
    out += text.raw;
    out += '"';
}
template <std::integral Number>
void append_piece(std::string& out, Number number) {
    const fmt::format_int text(number);
    out.append(text.data(), text.size());
}

/// append_json(out, R"({"index":)", 3, R"(,"text":)", text, "}");
template <typename... Pieces>
void append_json(std::string& out, const Pieces&... pieces) {
    (append_piece(out, pieces), ...);
}

}  // namespace brigada
