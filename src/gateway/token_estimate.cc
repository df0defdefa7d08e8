#include "gateway/token_estimate.h"

#include <algorithm>

namespace brigada {

namespace {

constexpr int64_t kMillion = 1'000'000;
constexpr int64_t kShortestBytes = 2'000;

/// A report moves what is known by an eighth: a few turns of a session settle it.
constexpr int64_t kMemory = 8;

/// From one token for each byte to one for 32: what is beyond is no count of this prompt.
constexpr int64_t kMost = kMillion, kLeast = kMillion / 32;

}  // namespace

int64_t TokenEstimate::tokens(std::string_view model, int64_t bytes) const {
    const auto known = tokens_per_million_bytes_.find(model);
    const int64_t rate =
        known == tokens_per_million_bytes_.end() ? kMillion / kBytesPerToken : known->second;
    return static_cast<int64_t>((static_cast<__int128>(bytes) * rate + kMillion - 1) / kMillion);
}

void TokenEstimate::learn(std::string_view model, int64_t bytes, int64_t tokens) {
    if (bytes < kShortestBytes || tokens <= 0) return;
    const auto seen = static_cast<int64_t>(static_cast<__int128>(tokens) * kMillion / bytes);
    if (seen > kMost || seen < kLeast) return;
    const auto known = tokens_per_million_bytes_.find(model);
    if (known == tokens_per_million_bytes_.end())
        tokens_per_million_bytes_.emplace(std::string(model), seen);
    else
        known->second += (seen - known->second) / kMemory;
}

}  // namespace brigada
