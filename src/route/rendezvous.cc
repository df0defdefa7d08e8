#include "route/rendezvous.h"

#include <bit>

#include "base/check.h"

namespace brigada {
namespace {

constexpr int kFractionBits = 40;

// -log2(hash / 2^64) with 40 binary places, digit by digit: squaring a number in [1, 2) doubles its
// logarithm, so the digit is whether the square reached 2. Integers only, so that replicas on
// different machines agree to the last bit. Error: below 2^-39.
uint64_t negative_log2(uint64_t hash) {
    const int shift = std::countl_zero(hash | 1);
    uint64_t number = (hash | 1) << shift;  // [1, 2) with 63 binary places
    uint64_t fraction = 0;
    for (int i = 0; i < kFractionBits; ++i) {
        const auto square = static_cast<unsigned __int128>(number) * number;  // 126 places
        const bool reached_two = static_cast<uint64_t>(square >> 127) != 0;
        fraction = fraction << 1 | (reached_two ? 1 : 0);
        number = static_cast<uint64_t>(square >> (reached_two ? 64 : 63));
    }
    return (static_cast<uint64_t>(shift + 1) << kFractionBits) - fraction;
}

// splitmix64: every bit of the answer depends on every bit of the number.
uint64_t finalise(uint64_t number) {
    uint64_t z = number + 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

}  // namespace

uint64_t mix(uint64_t a, uint64_t b) {
    return finalise(finalise(a) ^ b);
}

RendezvousBid::RendezvousBid(uint64_t key, uint64_t upstream_name, uint32_t weight)
    : hash_(mix(key, upstream_name)), weight_(weight) {
    CHECK(weight > 0, "an upstream of weight 0 takes no calls: leave it out");
}

// The lower cost, -log2(hash) / weight, wins: it is exponential with rate weight when the hash is
// uniform, and of independent exponentials each is the smallest with probability rate / sum of
// rates. At equal weights the higher hash has the lower cost, and it wins where costs are equal.
bool RendezvousBid::beats(const RendezvousBid& other) const {
    if (weight_ == other.weight_) return hash_ > other.hash_;
    const auto mine = static_cast<unsigned __int128>(negative_log2(hash_)) * other.weight_;
    const auto theirs = static_cast<unsigned __int128>(negative_log2(other.hash_)) * weight_;
    return mine != theirs ? mine < theirs : hash_ > other.hash_;
}

}  // namespace brigada
