// SessionPolicy: the upstream where the call is expected to be done first, in seconds of queue,
// reading and decoding, except that a session stays where it lives unless moving saves more than
// the reading it costs.
#pragma once

#include "route/policy.h"

namespace brigada {

struct SessionPolicyConfig {
    /// Seconds saved must exceed this many thousandths of the seconds of re-reading. Re-reading
    /// also delays whoever comes next and evicts KV of others, so it weighs more than its own time;
    /// and once more for every prompt that waits to be read there.
    uint32_t reread_per_mille = 1'500;
    Duration move_margin = Duration::milliseconds(500);  // and be at least that much more
    uint32_t load_bound_per_mille = 2'000;      // of an upstream's share of the calls running
    uint32_t load_floor_calls = 8;              // so many calls are never over the bound
    Duration tie = Duration::milliseconds(10);  // estimates are not better than that
};

class SessionPolicy : public Policy {
  public:
    explicit SessionPolicy(const SessionPolicyConfig& config) : config_(config) {}

  private:
    Pick pick(const Call& call, std::span<const Candidate> candidates, Instant now) override;
    bool stays_anyway(const Candidate& home, Duration least_waiting) const override;
    const Candidate& fastest(const Call& call, std::span<const Candidate* const> open) const;
    bool pays_to_move(const Candidate& from, const Candidate& to) const;

    SessionPolicyConfig config_;
};

}  // namespace brigada
