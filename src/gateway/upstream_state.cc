#include "gateway/upstream_state.h"

#include <algorithm>

namespace brigada {

namespace {

Instant room_from(const SlidingWindow& window, int64_t amount, std::optional<int64_t> limit,
                  Instant now) {
    if (!limit) return now;
    return window.when_room(amount, *limit, now).value_or(Instant::never());
}

}  // namespace

bool UpstreamState::takes(int64_t tokens, Instant now, Witness witness) const {
    return !seems_down && takes_from(tokens, now, witness) <= now;
}

Instant UpstreamState::takes_from(int64_t tokens, Instant now, Witness witness) const {
    return std::max({breaker.allows_from(now, witness),
                     room_from(requests_, 1, limits_.requests_per_minute, now),
                     room_from(tokens_, tokens, limits_.tokens_per_minute, now)});
}

UpstreamState::Counted UpstreamState::begin(int64_t tokens, Instant now, Witness witness) {
    breaker.begin(now, witness);
    ++calls;
    if (limits_.requests_per_minute) requests_.add(1, now);
    Counted out{.call = throughput.begin(now)};
    if (!limits_.tokens_per_minute) return out;
    out.tokens_slot = tokens_.add(tokens, now);
    out.tokens = tokens;
    return out;
}

void UpstreamState::settle(const Counted& counted, int64_t tokens,
                           const std::optional<Usage>& usage, Instant now) {
    throughput.end(counted.call, usage, now);
    if (counted.tokens > 0) tokens_.change(counted.tokens_slot, tokens - counted.tokens);
}

}  // namespace brigada
