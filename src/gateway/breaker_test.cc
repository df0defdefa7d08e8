#include "gateway/breaker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/rng.h"

namespace brigada {
namespace {

constexpr Instant at(int64_t seconds) {
    return Instant::at_ns(seconds * 1'000'000'000);
}

TEST(Breaker, opens_after_more_failures_than_allowed) {
    Breaker breaker({.allowed_failures = 2});
    for (int i = 0; i < 2; ++i) {
        breaker.begin(at(0));
        breaker.failed(at(0));
        EXPECT_TRUE(breaker.allows(at(0)));
    }
    breaker.begin(at(0));
    breaker.failed(at(0));
    EXPECT_FALSE(breaker.allows(at(4)));
    EXPECT_EQ(breaker.allows_from(at(1)), at(5));
    EXPECT_TRUE(breaker.allows(at(5)));
}

TEST(Breaker, counts_faults_with_a_number_of_their_own_apart) {
    Breaker breaker({.allowed_failures = 1, .allowed_by_fault = {0, std::nullopt, std::nullopt}});
    breaker.begin(at(0));
    breaker.failed(at(0), Fault::timeout);
    EXPECT_FALSE(breaker.open());
    breaker.begin(at(0));
    breaker.failed(at(0), Fault::authentication);
    EXPECT_TRUE(breaker.open()) << "none is allowed";
    breaker.begin(at(5));
    breaker.failed(at(5), Fault::internal);
    EXPECT_EQ(breaker.allows_from(at(5)), at(15)) << "a trial that failed, of whatever";
    breaker.begin(at(15));
    breaker.succeeded();
    breaker.begin(at(15));
    breaker.failed(at(15), Fault::internal);
    EXPECT_FALSE(breaker.open());
    breaker.begin(at(15));
    breaker.failed(at(15), Fault::timeout);
    EXPECT_TRUE(breaker.open()) << "the others are counted together";
}

TEST(Breaker, lets_one_trial_through_and_waits_longer_when_it_fails) {
    Breaker breaker({.allowed_failures = 0});
    breaker.begin(at(0));
    breaker.failed(at(0));
    breaker.begin(at(5));
    EXPECT_FALSE(breaker.allows(at(6)));
    EXPECT_EQ(breaker.allows_from(at(6)), Instant::never());
    breaker.failed(at(6));
    EXPECT_EQ(breaker.allows_from(at(6)), at(16));
    breaker.begin(at(16));
    breaker.succeeded();
    EXPECT_TRUE(breaker.allows(at(16)));
    EXPECT_EQ(breaker.failures(), 0);
}

TEST(Breaker, a_trial_that_the_client_left_decides_nothing) {
    Breaker breaker({.allowed_failures = 0});
    breaker.begin(at(0));
    breaker.failed(at(0));
    breaker.begin(at(5));
    breaker.abandoned();
    EXPECT_TRUE(breaker.open());
    EXPECT_TRUE(breaker.allows(at(5)));
}

TEST(Breaker, waits_as_long_as_it_is_told_which_is_no_failure) {
    Breaker breaker({});
    breaker.begin(at(0));
    breaker.told_to_wait(Duration::seconds(30), at(0));
    EXPECT_EQ(breaker.allows_from(at(1)), at(30));
    EXPECT_FALSE(breaker.open());
    breaker.told_to_wait(Duration::seconds(1), at(10));  // a shorter one takes nothing back
    EXPECT_EQ(breaker.allows_from(at(11)), at(30));
    breaker.told_to_wait(Duration::seconds(1'000'000), at(30));
    EXPECT_EQ(breaker.allows_from(at(31)), at(330));
}

TEST(Breaker, a_wait_of_no_said_length_is_for_the_tenant_that_was_told_until_another_one_is) {
    const Witness red{1}, blue{2}, green{3};
    Breaker breaker({.cooldown = Duration::seconds(5)});
    breaker.told_to_wait({}, at(0), red);
    breaker.told_to_wait({}, at(2), red);
    EXPECT_EQ(breaker.allows_from(at(3), red), at(7));
    EXPECT_TRUE(breaker.allows(at(3), blue));
    breaker.told_to_wait({}, at(4), blue);
    for (const Witness tenant : {red, blue, green})
        EXPECT_EQ(breaker.allows_from(at(5), tenant), at(9));
    breaker.told_to_wait({}, at(20), blue);
    EXPECT_TRUE(breaker.allows(at(21), red)) << "what was said before is over";
    breaker.told_to_wait(Duration::seconds(30), at(21), red);
    EXPECT_EQ(breaker.allows_from(at(22), green), at(51)) << "it knows how long it is busy";
}

TEST(Breaker, nobody_else_goes_while_a_trial_runs) {
    int trials = 0;
    for (uint64_t seed = 0; seed < 50; ++seed) {
        SCOPED_TRACE(seed);
        Rng rng(seed);
        Breaker breaker({.allowed_failures = 1});
        bool running = false, trial = false;
        for (int64_t now = 0; now < 1'000; ++now) {
            if (trial) ASSERT_FALSE(breaker.allows(at(now)));
            if (!running && breaker.allows(at(now))) {
                running = true;
                trial = breaker.open();
                trials += trial;
                breaker.begin(at(now));
            }
            if (!running || rng.below(3) == 0) continue;  // what runs goes on
            running = trial = false;
            switch (rng.below(6)) {
                case 0:
                    breaker.succeeded();
                    break;
                case 1:
                    breaker.told_to_wait(Duration::seconds(static_cast<int64_t>(rng.below(9))),
                                         at(now));
                    break;
                case 2:
                    breaker.abandoned();
                    break;
                default:
                    breaker.failed(at(now));
            }
            breaker.check();
        }
    }
    EXPECT_GT(trials, 500);
}

void fail(Breaker& breaker, Instant now, Witness witness) {
    breaker.begin(now, witness);
    breaker.failed(now, Fault::internal, witness);
    breaker.check();
}

TEST(Breaker, what_one_tenant_alone_has_seen_closes_it_for_that_tenant_alone) {
    constexpr Witness kRed{1}, kBlue{2};
    Breaker breaker({.allowed_failures = 2});
    for (int i = 0; i < 3; ++i)
        fail(breaker, at(0), kRed);
    EXPECT_FALSE(breaker.allows(at(1), kRed));
    EXPECT_EQ(breaker.allows_from(at(1), kRed), at(5));
    EXPECT_TRUE(breaker.allows(at(1), kBlue));
    EXPECT_TRUE(breaker.open_for_one());
    EXPECT_FALSE(breaker.open());

    breaker.begin(at(5), kRed);  // its trial is nobody else's
    EXPECT_FALSE(breaker.allows(at(5), kRed));
    EXPECT_TRUE(breaker.allows(at(5), kBlue));
    breaker.failed(at(6), Fault::timeout, kRed);
    EXPECT_EQ(breaker.allows_from(at(6), kRed), at(16));

    breaker.begin(at(7), kBlue);
    breaker.succeeded();
    EXPECT_FALSE(breaker.allows(at(7), kRed)) << "the time it was given still runs";
    EXPECT_TRUE(breaker.allows(at(16), kRed));
    EXPECT_FALSE(breaker.open_for(kRed));
}

TEST(Breaker, what_two_have_seen_or_no_call_can_have_caused_is_for_all) {
    constexpr Witness kRed{1}, kBlue{2}, kGreen{3};
    Breaker two({.allowed_failures = 2});
    for (int i = 0; i < 3; ++i)
        fail(two, at(0), kRed);
    fail(two, at(1), kBlue);
    EXPECT_TRUE(two.open());
    EXPECT_EQ(two.allows_from(at(1), kGreen), at(6));
    EXPECT_EQ(two.allows_from(at(1), kRed), at(6));

    Breaker unreached({.allowed_failures = 2});
    for (int i = 0; i < 3; ++i) {
        unreached.begin(at(0), kRed);
        unreached.failed(at(0), Fault::internal);
    }
    EXPECT_EQ(unreached.allows_from(at(1), kGreen), at(5));
}

TEST(Breaker, no_tenant_is_kept_out_by_what_only_others_met) {
    for (uint64_t seed = 0; seed < 200; ++seed) {
        SCOPED_TRACE(seed);
        Rng rng(seed);
        constexpr int kAllowed = 2;
        Breaker breaker({.allowed_failures = kAllowed});
        std::vector<Witness> failures;  // since the last success
        for (int64_t now = 0; now < 300; ++now) {
            const Witness witness{1 + rng.below(3)};
            if (!breaker.allows(at(now), witness)) continue;
            breaker.begin(at(now), witness);
            if (rng.chance(0.2)) {
                breaker.succeeded();
                failures.clear();
            } else {
                breaker.failed(at(now), Fault::internal, witness);
                failures.push_back(witness);
            }
            breaker.check();
            const bool too_many = failures.size() > kAllowed;
            for (uint64_t one = 1; one <= 3; ++one) {
                const bool all_its = std::ranges::count(failures, Witness{one}) ==
                                     static_cast<int64_t>(failures.size());
                const bool of_several =
                    !failures.empty() && std::ranges::count(failures, failures[0]) !=
                                             static_cast<int64_t>(failures.size());
                ASSERT_EQ(breaker.open_for(Witness{one}), too_many && (all_its || of_several));
            }
        }
    }
}

TEST(Breaker, forgets_what_was_mended) {
    Breaker breaker({.allowed_failures = 0, .cooldown = Duration::seconds(5)});
    const Instant now = Instant::at_ns(1);
    breaker.begin(now);
    breaker.failed(now);
    ASSERT_FALSE(breaker.allows(now));
    breaker.forgive();
    EXPECT_TRUE(breaker.allows(now));
    EXPECT_EQ(breaker.failures(), 0);
    breaker.begin(now);
    breaker.told_to_wait(Duration::seconds(20), now);
    breaker.forgive();
    EXPECT_FALSE(breaker.allows(now)) << "it asked to be left alone, and is well";
    breaker.check();
}

}  // namespace
}  // namespace brigada
