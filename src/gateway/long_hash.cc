#include "gateway/long_hash.h"

#include <xxh_x86dispatch.h>

namespace brigada {

std::pair<uint64_t, uint64_t> long_hash(std::string_view text, uint64_t seed) {
    const XXH128_hash_t hash = XXH3_128bits_withSeed(text.data(), text.size(), seed);
    return {hash.low64, hash.high64};
}

}  // namespace brigada
