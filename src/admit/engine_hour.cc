#include "admit/engine_hour.h"

#include <algorithm>
#include <limits>

#include "base/check.h"

namespace brigada {

namespace {

using Wide = unsigned __int128;

constexpr int64_t kPicoPerNano = 1'000;
constexpr int64_t kSecondsPerHour = 3'600;

int64_t rounded(Wide of, Wide by) {
    const Wide out = (of + by / 2) / by;
    return static_cast<int64_t>(std::min<Wide>(out, std::numeric_limits<int64_t>::max()));
}

/// In pico-dollars times a thousand, since shares are in thousandths: below 2^83.
Wide busy_hour(const EngineHour& hour) {
    return static_cast<Wide>(hour.price.nano) * kPicoPerNano * 1'000;
}

int64_t per_token(const EngineHour& hour, int64_t tokens_per_s) {
    return rounded(busy_hour(hour), static_cast<Wide>(tokens_per_s) * kSecondsPerHour *
                                        static_cast<Wide>(hour.busy_permille));
}

}  // namespace

int64_t second_of(const EngineHour& hour) {
    return per_token(hour, 1);
}

TokenRates rates_of(const EngineHour& hour, const Throughput& throughput) {
    CHECK(hour.price.nano >= 0 && hour.busy_permille > 0 && throughput.prefill_tokens_per_s > 0 &&
          throughput.decode_tokens_per_s > 0);
    const int64_t input = per_token(hour, throughput.prefill_tokens_per_s);
    return {.input = input,
            .cached_input =
                rounded(static_cast<Wide>(input) * static_cast<Wide>(hour.cached_permille), 1'000),
            .cache_write = input,
            .output = per_token(hour, throughput.decode_tokens_per_s)};
}

}  // namespace brigada
