// LowestLatency: the upstream whose average latency, times the calls it would then have, is lowest.
// One that has not answered yet is tried first.
#pragma once

#include "route/policy.h"

namespace brigada {

class LowestLatency : public Policy {
  private:
    Pick pick(const Call& call, std::span<const Candidate> candidates, Instant now) override;
};

}  // namespace brigada
