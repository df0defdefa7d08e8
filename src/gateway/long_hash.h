// long_hash: XXH3-128 of kilobytes, with the widest instructions that this machine has. Short texts
// are hashed sooner in place (content_key.cc).
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

namespace brigada {

/// (low, high), the same as XXH3_128bits_withSeed.
std::pair<uint64_t, uint64_t> long_hash(std::string_view text, uint64_t seed);

}  // namespace brigada
