// RoundRobin: each upstream in turn, whatever they are doing.
#pragma once

#include "route/policy.h"

namespace brigada {

class RoundRobin : public Policy {
  private:
    Pick pick(const Call& call, std::span<const Candidate> candidates, Instant now) override;

    std::optional<UpstreamId> last_;
};

}  // namespace brigada
