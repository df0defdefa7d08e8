// Escaped: the inside of a JSON string as it stands in a document, escapes and all. Every dialect
// is JSON, so text passes from one to the next without being unescaped and escaped again; whoever
// needs the characters asks for them.
#pragma once

#include <string>
#include <string_view>

namespace brigada {

/// Valid JSON string contents: no bare quote, no control character, whole escapes.
struct Escaped {
    std::string_view raw = {};

    bool empty() const { return raw.empty(); }
    friend bool operator==(const Escaped&, const Escaped&) = default;
};

/// One JSON value, as its bytes stand in a document. Empty: there is none.
struct RawJson {
    std::string_view text = {};

    bool empty() const { return text.empty(); }
    friend bool operator==(const RawJson&, const RawJson&) = default;
};

/// The characters, UTF-8. A lone surrogate is U+FFFD.
std::string unescaped(Escaped text);

/// As it stands between quotes. Bytes that are not UTF-8 become U+FFFD.
std::string escaped(std::string_view text);
void append_escaped(std::string& out, std::string_view text);

}  // namespace brigada
