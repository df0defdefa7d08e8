// PlanDigest: a running hash of all plans that were carried out. A batch that decodes on unchanged
// is one entry, who, from where and for how many steps; so it does not matter whether the steps
// were taken one by one.
#pragma once

#include <cstdint>
#include <vector>

#include "sched/plan.h"

namespace brigada {

class PlanDigest {
  public:
    /// This plan was carried out `steps` times in a row.
    void add(const Plan& plan, uint32_t steps);

    uint64_t value() const;

  private:
    bool goes_on(const Plan& plan) const;

    uint64_t digest_ = 0;
    std::vector<Chunk> decodes_;  // the batch as it would decode on; empty if the last did not
    uint64_t steps_ = 0;          // that it has done so
};

}  // namespace brigada
