// Bodies as they come from the HTTP layer: with room to be read past their end.
#pragma once

#include <string>

#include "dialect/json_tree.h"

namespace brigada {

inline std::string padded(std::string body) {
    body.reserve(body.size() + kJsonPadding);
    return body;
}

}  // namespace brigada
