#include "route/rendezvous.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/rng.h"

namespace brigada {
namespace {

struct Node {
    uint64_t name;
    uint32_t weight;
};

size_t winner(uint64_t key, const std::vector<Node>& nodes) {
    size_t best = 0;
    for (size_t i = 1; i < nodes.size(); ++i) {
        const RendezvousBid bid(key, nodes[i].name, nodes[i].weight);
        if (bid.beats(RendezvousBid(key, nodes[best].name, nodes[best].weight))) best = i;
    }
    return best;
}

TEST(Rendezvous, gives_each_upstream_the_share_its_weight_says) {
    const std::vector<Node> nodes = {{11, 1}, {12, 2}, {13, 5}, {14, 8}};
    std::vector<double> won(nodes.size());
    constexpr int kKeys = 100'000;
    for (uint64_t key = 0; key < kKeys; ++key)
        ++won[winner(key, nodes)];
    for (size_t i = 0; i < nodes.size(); ++i) {
        const double share = nodes[i].weight / 16.0;
        const double sigma = std::sqrt(kKeys * share * (1 - share));
        EXPECT_NEAR(won[i], kKeys * share, 5 * sigma) << "upstream " << i;
    }
}

TEST(Rendezvous, moves_only_the_keys_of_the_upstream_that_left) {
    const std::vector<Node> all = {{11, 1}, {12, 3}, {13, 2}, {14, 1}};
    const std::vector<Node> fewer = {all[0], all[1], all[3]};
    for (uint64_t key = 0; key < 10'000; ++key) {
        const uint64_t before = all[winner(key, all)].name;
        if (before != 13) ASSERT_EQ(fewer[winner(key, fewer)].name, before);
    }
}

TEST(Rendezvous, does_not_depend_on_the_order_of_upstreams) {
    const std::vector<Node> one = {{5, 1}, {6, 1}, {7, 4}};
    const std::vector<Node> other = {{7, 4}, {5, 1}, {6, 1}};
    for (uint64_t key = 0; key < 10'000; ++key)
        ASSERT_EQ(one[winner(key, one)].name, other[winner(key, other)].name);
}

TEST(Rendezvous, orders_by_the_logarithm_that_floating_point_gives) {
    Rng rng(4);
    for (int i = 0; i < 10'000; ++i) {
        const uint64_t key = rng.next();
        const auto [w1, w2] = std::pair<uint32_t, uint32_t>(1 + rng.below(9), 1 + rng.below(9));
        const double cost1 = -std::log2(std::ldexp(static_cast<double>(mix(key, 1)), -64)) / w1;
        const double cost2 = -std::log2(std::ldexp(static_cast<double>(mix(key, 2)), -64)) / w2;
        if (std::abs(cost1 - cost2) < 1e-9) continue;
        ASSERT_EQ(RendezvousBid(key, 1, w1).beats(RendezvousBid(key, 2, w2)), cost1 < cost2);
    }
}

}  // namespace
}  // namespace brigada
