#include "sched/tenant_service.h"

#include <algorithm>

#include "base/check.h"

namespace brigada {
namespace {

// Idle tenants remembered: 24 bytes and a map node each, about 300 KB.
constexpr size_t kMaxAccounts = 4096;

}  // namespace

void TenantService::enter(TenantId tenant) {
    const int64_t floor = least_active();
    Account& account = accounts_[tenant];
    if (account.sequences++ == 0) account.served = std::max(account.served, floor);
}

void TenantService::leave(TenantId tenant) {
    Account& account = accounts_.at(tenant);
    CHECK(account.sequences > 0);
    --account.sequences;
    if (accounts_.size() > kMaxAccounts) prune();
}

void TenantService::charge(TenantId tenant, int64_t tokens) {
    accounts_.at(tenant).served += tokens;
}

int64_t TenantService::served(TenantId tenant) const {
    return accounts_.at(tenant).served;
}

int64_t TenantService::least_active() const {
    int64_t least = INT64_MAX;
    for (const auto& [tenant, account] : accounts_)
        if (account.sequences > 0) least = std::min(least, account.served);
    return least == INT64_MAX ? 0 : least;
}

// An idle account at or below the least active one would be lifted to it on return: nothing is
// lost.
void TenantService::prune() {
    const int64_t floor = least_active();
    std::erase_if(accounts_, [&](const auto& entry) {
        return entry.second.sequences == 0 && entry.second.served <= floor;
    });
    if (accounts_.size() <= kMaxAccounts) return;
    const auto idle = std::ranges::find_if(
        accounts_, [](const auto& entry) { return entry.second.sequences == 0; });
    if (idle != accounts_.end()) accounts_.erase(idle);
}

void TenantService::check(const std::map<TenantId, uint32_t>& sequences) const {
    for (const auto& [tenant, count] : sequences)
        CHECK(accounts_.contains(tenant) && accounts_.at(tenant).sequences == count);
    const auto active = std::ranges::count_if(
        accounts_, [](const auto& entry) { return entry.second.sequences > 0; });
    CHECK(static_cast<size_t>(active) == sequences.size());
}

}  // namespace brigada
