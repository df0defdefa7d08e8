#include "model/shown.h"

#include <cstdint>

#include "base/concat.h"

namespace brigada {

std::string shown(std::string_view text) {
    constexpr size_t kMost = 80;
    std::string out = "\"";
    for (const char c : text.substr(0, kMost)) {
        if (c == '"' || c == '\\')
            (out += '\\') += c;
        else if (c >= ' ' && c <= '~')
            out += c;
        else
            out += fmt::format("\\x{:02x}", static_cast<uint8_t>(c));
    }
    return out + (text.size() > kMost ? "…\"" : "\"");
}

}  // namespace brigada
