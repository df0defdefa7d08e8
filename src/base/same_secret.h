// same_secret: whether two secrets are equal, in a time that says nothing about where they differ.
#pragma once

#include <string_view>

namespace brigada {

inline bool same_secret(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) return false;  // lengths are no secret
    unsigned char difference = 0;
    for (size_t i = 0; i < a.size(); ++i)
        difference = static_cast<unsigned char>(difference | (a[i] ^ b[i]));
    return difference == 0;
}

}  // namespace brigada
