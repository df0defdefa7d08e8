// TenantService: how many tokens each tenant was served, so that the one served least goes first. A
// tenant that returns from idleness starts where the least served active one stands: it neither
// owes nor has saved up (virtual token counters, Sheng et al., OSDI 2024).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "sched/sequence.h"

namespace brigada {

class TenantService {
  public:
    /// One more sequence of this tenant is in the scheduler; one less.
    void enter(TenantId tenant);
    void leave(TenantId tenant);

    /// Tokens planned for it; negative gives back. The tenant must have entered.
    void charge(TenantId tenant, int64_t tokens);

    /// Comparable among tenants that have entered.
    int64_t served(TenantId tenant) const;

    size_t tenants() const { return accounts_.size(); }
    void check(const std::map<TenantId, uint32_t>& sequences) const;

  private:
    struct Account {
        int64_t served = 0;
        uint32_t sequences = 0;
    };

    int64_t least_active() const;
    void prune();

    std::map<TenantId, Account> accounts_;
};

}  // namespace brigada
