// People who interrupt, and tenants with limits.
#include "sim/random_world.h"
#include "sim/simulate.h"

namespace brigada {
namespace {

using testing::HasSubstr;

/// Two turns: a user's call and two with tool results each.
Trace two_turns() {
    Trace trace = empty_trace();
    TraceSession session;
    for (uint32_t i = 0; i < 6; ++i)
        add_call(trace, session, i == 0 ? 0 : 6 + 2 * i, 64 + 16 * i, 5, Duration::seconds(2),
                 i % 3 == 0);
    trace.sessions.push_back(session);
    return trace;
}

TEST(Interrupts, end_the_turn_and_the_session_goes_on) {
    SimSetup setup = small_setup();
    setup.clients.interrupt_chance = 1;
    setup.clients.interrupt_within = Duration::milliseconds(5);  // the first step takes 11
    const SimReport report = simulate(two_turns(), setup).value();
    EXPECT_EQ(report.calls, 0u);
    EXPECT_EQ(report.failed, 0u);
    EXPECT_EQ(report.interrupted, 2u) << "the call of each user message";
    EXPECT_EQ(report.skipped, 4u);
    EXPECT_NEAR(report.seconds, 2, 0.02) << "the gap before the second message";
}

TEST(Interrupts, that_come_too_late_change_nothing) {
    SimSetup setup = small_setup();
    const SimReport calm = simulate(two_turns(), setup).value();
    setup.clients.interrupt_chance = 1e-5;
    const SimReport report = simulate(two_turns(), setup).value();
    EXPECT_EQ(report.calls, 6u);
    EXPECT_EQ(report.seconds, calm.seconds);
}

TEST(Interrupts, free_the_slot_in_the_gateways_queue) {
    SimSetup setup = small_setup();
    setup.admission.emplace().queue.slots = 1;
    setup.clients.interrupt_chance = 0.5;
    setup.clients.interrupt_within = Duration::seconds(1);
    setup.proves = true;
    Trace trace = empty_trace();
    for (uint32_t i = 0; i < 40; ++i) {
        TraceSession session;
        add_call(trace, session, 0, 64, 20, Duration());
        trace.sessions.push_back(session);
    }
    const SimReport report = simulate(trace, setup).value();
    EXPECT_EQ(report.calls + report.interrupted, 40u);
    EXPECT_GT(report.interrupted, 5u);
    EXPECT_GT(report.calls, 5u);
}

/// One call a second for `seconds`, of 64 + 6 tokens.
Trace every_second(uint32_t seconds) {
    Trace trace = empty_trace();
    for (uint32_t i = 0; i < seconds; ++i) {
        TraceSession session;
        session.start = Instant() + Duration::seconds(i);
        add_call(trace, session, 0, 64, 6, Duration());
        trace.sessions.push_back(session);
    }
    return trace;
}

TEST(TenantLimits, hold_in_every_minute_and_clients_come_back) {
    SimSetup setup = small_setup();
    setup.limits = {{.requests_per_minute = 30}};
    const SimReport report = simulate(every_second(60), setup).value();
    EXPECT_EQ(report.calls, 30u + 1u + 1u)
        << "all who were refused come back after a minute, when one place is free, and again a "
           "second later, when there is one more; then they have no tries left";
    EXPECT_EQ(report.failed, 28u);
    EXPECT_NEAR(report.seconds, 61, 0.1);
    EXPECT_NEAR(report.ttft_s.max, 30, 0.1);
}

TEST(TenantLimits, count_tokens_as_they_were_used) {
    SimSetup setup = small_setup();
    setup.limits = {{.tokens_per_minute = 70 * 30}};
    EXPECT_EQ(simulate(every_second(60), setup).value().calls, 32u) << "as 30 requests a minute";
    setup.limits = {{.tokens_per_minute = 69}};
    const SimReport never = simulate(every_second(60), setup).value();
    EXPECT_EQ(never.failed, 60u) << "a call that is larger than the limit is not tried again";
    EXPECT_EQ(never.retries, 0u);
}

TEST(TenantLimits, of_one_tenant_leave_the_others_alone) {
    SimSetup setup = small_setup();
    Trace trace = every_second(40);
    for (uint32_t i = 1; i < 40; i += 2)
        trace.sessions[i].tenant = 1;
    setup.limits = {{.requests_per_minute = 5}, {}};
    setup.clients.retries = 0;
    const SimReport report = simulate(trace, setup).value();
    EXPECT_EQ(report.tenants.at(0).failed, 15u);
    EXPECT_EQ(report.tenants.at(1).failed, 0u);
}

TEST(TenantLimits, and_interrupts_that_cannot_be_are_refused) {
    const auto refused = [](auto change) {
        SimSetup setup = small_setup();
        change(setup);
        return simulate(two_turns(), setup).error().message;
    };
    EXPECT_THAT(refused([](SimSetup& s) { s.clients.interrupt_chance = 2; }),
                HasSubstr("with a chance of 2; it is from 0 to 1"));
    EXPECT_THAT(refused([](SimSetup& s) { s.limits.resize(4); }),
                HasSubstr("limits of 4 tenants; the trace has 3"));
}

}  // namespace
}  // namespace brigada
