// LowestUsage: the upstream that was sent the fewest tokens of the last minute, for its weight. For
// providers that count tokens per minute and refuse whoever uses more.
#pragma once

#include <map>

#include "admit/sliding_window.h"
#include "route/policy.h"

namespace brigada {

class LowestUsage : public Policy {
  private:
    Pick pick(const Call& call, std::span<const Candidate> candidates, Instant now) override;

    std::map<UpstreamId, SlidingWindow> sent_;  // prompt and expected output
};

}  // namespace brigada
