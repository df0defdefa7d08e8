// Arrivals: how long until the next session begins when clients come and go on their own, whatever
// the server does: evenly, at random (Poisson), or in bursts (gamma with a coefficient of
// variation).
#pragma once

#include "base/rng.h"
#include "base/time.h"

namespace brigada {

struct ArrivalRate {
    double per_second = 1;  // above 0
    double cv = 1;          // of the gaps: 0 evenly, 1 Poisson, more in bursts
};

class Arrivals {
  public:
    /// CHECKs that the rate is above 0 and the variation not below.
    Arrivals(ArrivalRate rate, uint64_t seed);

    /// From one arrival to the next; its mean is 1 / per_second, its deviation cv times that.
    Duration next_gap();

  private:
    ArrivalRate rate_;
    Rng rng_;
};

}  // namespace brigada
