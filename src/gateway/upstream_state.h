// UpstreamState: how an upstream has behaved and what it has been given: its breaker, what a health
// check said, and the requests and tokens of the last minute under the deployment's own limits.
// It outlives a change of configuration. Pure: no clock.
#pragma once

#include <cstdint>
#include <optional>

#include "admit/sliding_window.h"
#include "gateway/breaker.h"
#include "gateway/throughput_meter.h"

namespace brigada {

/// A deployment's rpm and tpm.
struct UpstreamLimits {
    std::optional<int64_t> requests_per_minute = {};
    std::optional<int64_t> tokens_per_minute = {};
};

class UpstreamState {
  public:
    explicit UpstreamState(const BreakerConfig& breaker) : breaker(breaker) {}

    Breaker breaker;
    uint64_t calls = 0;       // attempts begun
    uint64_t failures = 0;    // of them, the upstream's fault
    bool seems_down = false;  // as the last health check found it
    ThroughputMeter throughput;

    void set_limits(const UpstreamLimits& limits) { limits_ = limits; }

    /// Whether a call of about so many tokens may go there now, of this tenant.
    bool takes(int64_t tokens, Instant now, Witness witness = kEverybody) const;
    /// When it may, if nothing else comes; never() for a call over its limit.
    Instant takes_from(int64_t tokens, Instant now, Witness witness = kEverybody) const;

    /// What one attempt has been counted as, to be corrected when it ends.
    struct Counted {
        SlotId tokens_slot{};
        int64_t tokens = 0;
        ThroughputMeter::Call call = {};
    };
    Counted begin(int64_t tokens, Instant now, Witness witness = kEverybody);
    /// `usage` of an answer that came whole, where the upstream has reported it.
    void settle(const Counted& counted, int64_t tokens, const std::optional<Usage>& usage,
                Instant now);

  private:
    UpstreamLimits limits_;
    SlidingWindow requests_;
    SlidingWindow tokens_;
};

}  // namespace brigada
