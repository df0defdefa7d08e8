#include "gateway/throughput_meter.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/rng.h"

namespace brigada {
namespace {

constexpr Duration kSecond = Duration::seconds(1);
constexpr Duration kHour = ThroughputMeter::kSpan * ThroughputMeter::kSpans;
// A span's beginning, however long the spans are.
constexpr Instant kStart = Instant() + kHour * 1'000;

/// A call that reads for `reading` and writes for `writing`, alone.
void run_alone(ThroughputMeter& meter, Instant from, Duration reading, Duration writing,
               const Usage& usage) {
    auto call = meter.begin(from);
    meter.first_token(call, from + reading);
    meter.end(call, usage, from + reading + writing);
}

TEST(ThroughputMeter, says_what_a_second_of_each_kind_was_worth) {
    ThroughputMeter meter;
    run_alone(
        meter, kStart, kSecond * 60, kSecond * 100,
        {.input = 500'000, .cached_input = 9'000'000, .cache_write = 100'000, .output = 5'000});
    const Instant later = kStart + ThroughputMeter::kSpan;
    EXPECT_EQ(meter.of_last_hour(later), (Throughput{10'000, 50}));
    EXPECT_EQ(meter.of_last_hour(later + kHour - kSecond), (Throughput{10'000, 50}));
    EXPECT_EQ(meter.of_last_hour(later + kHour), std::nullopt);
}

TEST(ThroughputMeter, divides_a_second_among_those_that_run) {
    ThroughputMeter meter;
    std::vector<ThroughputMeter::Call> calls;
    for (int i = 0; i < 4; ++i)
        calls.push_back(meter.begin(kStart));
    for (auto& call : calls)
        meter.first_token(call, kStart + kSecond * 80);
    for (const auto& call : calls)
        meter.end(call, Usage{.input = 40'000, .output = 1'000}, kStart + kSecond * 160);
    // 160,000 tokens read in 80 s, 4,000 written in 80 s.
    EXPECT_EQ(meter.of_last_hour(kStart + ThroughputMeter::kSpan), (Throughput{2'000, 50}));
}

TEST(ThroughputMeter, does_not_change_within_a_span) {
    ThroughputMeter meter;
    const Instant second = kStart + ThroughputMeter::kSpan;
    run_alone(meter, kStart, kSecond * 60, kSecond * 60, {.input = 6'000, .output = 600});
    const auto first = meter.of_last_hour(second);
    run_alone(meter, second, kSecond * 60, kSecond * 60, {.input = 60'000, .output = 6'000});
    EXPECT_EQ(meter.of_last_hour(second + kSecond * 299), first);
    EXPECT_EQ(meter.of_last_hour(second + ThroughputMeter::kSpan), (Throughput{550, 55}));
}

TEST(ThroughputMeter, waits_until_it_has_seen_enough) {
    ThroughputMeter meter;
    const Instant later = kStart + ThroughputMeter::kSpan;
    run_alone(meter, kStart, kSecond * 60, kSecond * 59, {.input = 1, .output = 1});
    EXPECT_EQ(meter.of_last_hour(later), std::nullopt);
    auto failed = meter.begin(kStart + kSecond * 120);
    meter.first_token(failed, kStart + kSecond * 130);
    meter.end(failed, std::nullopt, kStart + kSecond * 140);
    const auto whole = meter.begin(kStart + kSecond * 140);  // not a stream: no first token
    meter.end(whole, Usage{.input = 1'000'000}, kStart + kSecond * 200);
    EXPECT_EQ(meter.of_last_hour(later), std::nullopt);
}

/// However calls overlap, the seconds they are charged for are those in which any ran.
TEST(ThroughputMeter, charges_every_busy_second_once) {
    for (uint64_t seed = 0; seed < 50; ++seed) {
        SCOPED_TRACE(seed);
        Rng rng(seed);
        ThroughputMeter meter;
        std::vector<ThroughputMeter::Call> running;
        Instant now = kStart;
        int64_t busy_ns = 0, ended = 0;
        for (int step = 0; step < 400 || !running.empty(); ++step) {
            const Duration pause = Duration::milliseconds(rng.between(100, 1'000));
            if (!running.empty()) busy_ns += pause.ns();
            now = now + pause;
            if (step < 400 && (running.empty() || rng.chance(0.5))) {
                running.push_back(meter.begin(now));
                continue;
            }
            auto& call = running[rng.below(running.size())];
            if (!call.first_token_share) {
                meter.first_token(call, now);
                continue;
            }
            meter.end(call, Usage{.input = 1'000'000, .output = 1'000'000}, now);
            call = running.back();
            running.pop_back();
            ++ended;
        }
        const auto seen = meter.of_last_hour(now + ThroughputMeter::kSpan);
        ASSERT_TRUE(seen);
        const double tokens = static_cast<double>(ended) * 1e6;
        const double charged = tokens / static_cast<double>(seen->prefill_tokens_per_s) +
                               tokens / static_cast<double>(seen->decode_tokens_per_s);
        ASSERT_NEAR(charged, static_cast<double>(busy_ns) * 1e-9, 0.01 * charged);
    }
}

}  // namespace
}  // namespace brigada
