#include "gateway/seen/outbox.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <numeric>
#include <semaphore>

namespace brigada {
namespace {

using Box = Outbox<int>;
using enum PostOutcome::Kind;

constexpr Duration kAtOnce = Duration::microseconds(1);

/// Takes batches and answers with the outcomes it was given, then with `taken`.
struct Listener {
    std::mutex mutex = {};
    std::vector<PostOutcome::Kind> answers = {};
    std::vector<std::vector<int>> batches = {};
    std::vector<int> given_up = {};

    PostOutcome take(const std::vector<int>& batch) {
        std::lock_guard lock(mutex);
        batches.push_back(batch);
        if (answers.empty()) return {taken, ""};
        const auto kind = answers.front();
        answers.erase(answers.begin());
        return {kind, "words"};
    }

    Box::Send send() {
        return [this](const std::vector<int>& batch) { return take(batch); };
    }
    Box::GivenUp note() {
        return [this](const std::vector<int>& batch, const PostOutcome&) {
            std::lock_guard lock(mutex);
            given_up.insert(given_up.end(), batch.begin(), batch.end());
        };
    }
};

TEST(Outbox, sends_everything_in_order_before_it_stops) {
    Listener listener;
    Box box({.capacity = 2'000, .batch = 7}, listener.send(), listener.note());
    for (int i = 0; i < 1'000; ++i)
        box.put(i);
    box.stop();
    std::vector<int> sent;
    for (const std::vector<int>& batch : listener.batches) {
        EXPECT_LE(batch.size(), 7u);
        sent.insert(sent.end(), batch.begin(), batch.end());
    }
    std::vector<int> all(1'000);
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(sent, all);
    EXPECT_EQ(box.counts().sent, 1'000u);
    EXPECT_EQ(box.counts().dropped, 0u);
}

TEST(Outbox, tries_the_same_again_until_it_is_taken) {
    Listener listener{.answers = {try_again, try_again}};
    std::binary_semaphore done(0);
    Box box(
        {.first_pause = kAtOnce},
        [&](const std::vector<int>& batch) {
            PostOutcome outcome = listener.take(batch);
            if (outcome.kind == taken) done.release();
            return outcome;
        },
        listener.note());
    box.put(5);
    done.acquire();
    box.stop();
    EXPECT_EQ(listener.batches, (std::vector<std::vector<int>>{{5}, {5}, {5}}));
    EXPECT_EQ(box.counts().sent, 1u);
}

TEST(Outbox, gives_up_what_is_refused_or_never_taken) {
    Listener listener{.answers = {refused, try_again, try_again, taken}};
    std::binary_semaphore done(0);
    Box box(
        {.first_pause = kAtOnce, .longest_pause = kAtOnce, .tries = 2},
        [&](const std::vector<int>& batch) {
            PostOutcome outcome = listener.take(batch);
            if (outcome.kind == taken) done.release();
            return outcome;
        },
        listener.note());
    for (int i = 1; i <= 3; ++i)
        box.put(i);
    done.acquire();
    box.stop();
    EXPECT_EQ(listener.given_up, (std::vector<int>{1, 2}));
    EXPECT_EQ(box.counts().dropped, 2u);
    EXPECT_EQ(box.counts().sent, 1u);
}

TEST(Outbox, drops_what_does_not_fit_and_never_waits) {
    std::binary_semaphore sending(0), go_on(0);
    Listener listener;
    Box box(
        {.capacity = 3},
        [&](const std::vector<int>& batch) {
            if (batch.front() == 0) {
                sending.release();
                go_on.acquire();
            }
            return listener.take(batch);
        },
        listener.note());
    box.put(0);
    sending.acquire();
    for (int i = 1; i <= 10; ++i)
        box.put(i);
    EXPECT_EQ(box.counts().waiting, 3u);
    EXPECT_EQ(box.counts().dropped, 7u);
    go_on.release();
    box.stop();
    EXPECT_EQ(listener.batches, (std::vector<std::vector<int>>{{0}, {1}, {2}, {3}}));
}

TEST(Outbox, a_stop_ends_a_long_pause_and_does_not_wait_for_who_is_away) {
    Listener listener{.answers = std::vector(100, try_again)};
    std::binary_semaphore tried(0);
    std::atomic<bool> stopping = false;
    std::atomic<int> begun_after = 0;
    Box box(
        {.first_pause = Duration::seconds(3'600)},
        [&](const std::vector<int>& batch) {
            begun_after += stopping ? 1 : 0;
            tried.release();
            return listener.take(batch);
        },
        listener.note());
    for (int i = 0; i < 5; ++i)
        box.put(i);
    tried.acquire();
    stopping = true;
    box.stop();
    EXPECT_LE(begun_after, 1) << "of what it was telling when it stopped";
    EXPECT_EQ(listener.batches, std::vector(1 + begun_after, std::vector{0}));
    EXPECT_EQ(box.counts().dropped, 5u);
    EXPECT_EQ(box.counts().waiting, 0u);
}

}  // namespace
}  // namespace brigada
