// append_all: several texts at the end of another, with one look at its room: the lines of heads
// and logs that every call writes. append_all(head, name, ": ", value, "\r\n").
#pragma once

#include <algorithm>
#include <concepts>
#include <string>
#include <string_view>

namespace brigada {

template <std::convertible_to<std::string_view>... Texts>
void append_all(std::string& out, const Texts&... texts) {
    const auto write = [&](std::same_as<std::string_view> auto... parts) {
        const size_t before = out.size();
        const size_t after = before + (parts.size() + ...);
        // libstdc++ 12 passes the room it made, which may be more.
        out.resize_and_overwrite(after, [after](char*, size_t) { return after; });
        char* end = out.data() + before;
        ((end = std::copy_n(parts.data(), parts.size(), end)), ...);
    };
    write(std::string_view(texts)...);
}

}  // namespace brigada
