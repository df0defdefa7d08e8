#include "sched/tenant_service.h"

namespace brigada {
namespace {

constexpr TenantId kA{1};
constexpr TenantId kB{2};

TEST(TenantService, lets_nobody_save_up_by_being_idle) {
    TenantService tenants;
    tenants.enter(kA);
    tenants.charge(kA, 1'000);
    tenants.enter(kB);
    EXPECT_EQ(tenants.served(kB), 1'000) << "a newcomer starts level with the least served";
    tenants.charge(kB, 50);
    tenants.leave(kB);
    tenants.charge(kA, 500);
    tenants.enter(kB);
    EXPECT_EQ(tenants.served(kB), 1'500);
}

TEST(TenantService, remembers_who_was_served_more_than_others) {
    TenantService tenants;
    tenants.enter(kA);
    tenants.enter(kB);
    tenants.charge(kB, 700);
    tenants.leave(kB);
    tenants.charge(kA, 10);
    tenants.enter(kB);
    EXPECT_EQ(tenants.served(kB), 700);
    tenants.check({{kA, 1}, {kB, 1}});
}

TEST(TenantService, stays_bounded_under_ever_new_tenants) {
    TenantService tenants;
    tenants.enter(kA);
    for (uint32_t i = 10; i < 10'010; ++i) {
        tenants.enter(TenantId{i});
        tenants.charge(TenantId{i}, i % 3);
        tenants.leave(TenantId{i});
    }
    EXPECT_LE(tenants.tenants(), 4'097u);
    tenants.check({{kA, 1}});
}

}  // namespace
}  // namespace brigada
