// LeastBusy: the upstream with the fewest running calls for its weight; among equals by rendezvous.
#pragma once

#include "route/policy.h"

namespace brigada {

class LeastBusy : public Policy {
  private:
    Pick pick(const Call& call, std::span<const Candidate> candidates, Instant now) override;
};

/// Fewer calls for its weight.
bool is_less_busy(const Candidate& a, const Candidate& b);

}  // namespace brigada
