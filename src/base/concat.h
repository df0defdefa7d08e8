// concat: values to one string, for messages. concat(path, ": version ", 7) == "a.gguf: version 7".
// The formatting itself is one call into fmt's library: written out here, it is three seconds of
// compiling for each file that has a CHECK.
#pragma once

#include <fmt/core.h>

#include <array>
#include <string>
#include <string_view>

namespace brigada {

namespace detail {

/// "{}", `count` times.
template <size_t count>
constexpr std::array<char, 2 * count> placeholders() {
    std::array<char, 2 * count> out{};
    for (size_t i = 0; i < out.size(); ++i)
        out[i] = i % 2 == 0 ? '{' : '}';
    return out;
}

}  // namespace detail

template <typename... Values>
std::string concat(const Values&... values) {
    static constexpr auto format = detail::placeholders<sizeof...(Values)>();
    return fmt::vformat(std::string_view(format.data(), format.size()),
                        fmt::make_format_args(values...));
}

}  // namespace brigada
