// LowestCost: the upstream that is cheapest for this call, at its prices for what is cached and
// what is not; among equals the least busy.
#pragma once

#include "route/policy.h"

namespace brigada {

class LowestCost : public Policy {
  private:
    Pick pick(const Call& call, std::span<const Candidate> candidates, Instant now) override;
};

}  // namespace brigada
