// fnv1a64: a small, stable hash of a string, for ids made from names. Not for untrusted tables and
// not for block keys. Source: Fowler, Noll, Vo; 64-bit parameters.
#pragma once

#include <cstdint>
#include <string_view>

namespace brigada {

constexpr uint64_t fnv1a64(std::string_view text) {
    uint64_t hash = 0xcbf29ce484222325;
    for (char c : text)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return hash;
}

}  // namespace brigada
