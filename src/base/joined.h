// joined: values with commas between them, for messages. joined(std::array{"a", "b"}) == "a, b".
#pragma once

#include <string>

#include "base/concat.h"

namespace brigada {

template <typename Range>
std::string joined(const Range& values) {
    std::string out;
    const char* between = "";
    for (const auto& value : values) {
        out += concat(between, value);
        between = ", ";
    }
    return out;
}

}  // namespace brigada
