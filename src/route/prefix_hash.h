// PrefixHash: the first blocks of the prompt name the upstream, unless that has too many calls.
// What others offer as cache-aware routing without memory; here for comparison.
#pragma once

#include "route/policy.h"

namespace brigada {

class PrefixHash : public Policy {
  public:
    /// Blocks beyond `blocks` do not matter. Conversations that begin alike for longer than that
    /// all hash alike: then the bound on load spreads them.
    explicit PrefixHash(uint32_t blocks) : blocks_(blocks) {}

  private:
    Pick pick(const Call& call, std::span<const Candidate> candidates, Instant now) override;

    uint32_t blocks_;
};

}  // namespace brigada
