// joined: values with commas between them, for messages. joined(std::array{"a", "b"}) == "a, b".
#pragma once

#include <fmt/format.h>

#include <string>

namespace brigada {

template <typename Range>
std::string joined(const Range& values) {
    return fmt::format("{}", fmt::join(values, ", "));
}

}  // namespace brigada
