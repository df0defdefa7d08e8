// Rendezvous hashing: every key ranks all upstreams by a hash of both, and the first takes it. No
// state, so all gateway replicas agree; an upstream that comes or goes moves only its own share.
#pragma once

#include <cstdint>

namespace brigada {

/// A 64-bit mix of both numbers in which every bit depends on all of them.
uint64_t mix(uint64_t a, uint64_t b);

/// One upstream's bid for a key; the lower bid wins, so that an upstream of weight w wins w shares.
class RendezvousBid {
  public:
    RendezvousBid(uint64_t key, uint64_t upstream_name, uint32_t weight);

    bool beats(const RendezvousBid& other) const;

  private:
    uint64_t hash_;
    uint32_t weight_;
};

}  // namespace brigada
