// concat: values to one string, for messages. concat(path, ": version ", 7) == "a.gguf: version 7".
#pragma once

#include <fmt/format.h>

#include <iterator>
#include <string>

namespace brigada {

template <typename... Values>
std::string concat(const Values&... values) {
    std::string out;
    (fmt::format_to(std::back_inserter(out), "{}", values), ...);
    return out;
}

}  // namespace brigada
