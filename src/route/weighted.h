// Weighted: each upstream as often as its weight says, evenly spread: 5, 1, 1 gives A A B A C A A
// and never five As in a row.
#pragma once

#include <map>

#include "route/policy.h"

namespace brigada {

class Weighted : public Policy {
  private:
    Pick pick(const Call& call, std::span<const Candidate> candidates, Instant now) override;

    std::map<UpstreamId, int64_t> credit_;  // the sum stays 0 while the candidates are the same
};

}  // namespace brigada
