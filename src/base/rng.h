// Rng: xoshiro256**, seeded through splitmix64. The same seed gives the same numbers on every
// machine and in every build, which std:: distributions do not promise. Source: Blackman and Vigna,
// 2018.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "base/check.h"

namespace brigada {

class Rng {
  public:
    explicit Rng(uint64_t seed) {
        for (uint64_t& word : state_)
            word = split_mix(seed);
    }

    uint64_t next() {
        const uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
        const uint64_t t = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= t;
        state_[3] = std::rotl(state_[3], 45);
        return result;
    }

    /// Uniform in [0, n), without bias (Lemire's multiplication with rejection).
    uint64_t below(uint64_t n) {
        CHECK(n > 0);
        for (;;) {
            const auto product = static_cast<unsigned __int128>(next()) * n;
            if (static_cast<uint64_t>(product) >= -n % n)
                return static_cast<uint64_t>(product >> 64);
        }
    }

    /// Uniform in [low, high], both included.
    int64_t between(int64_t low, int64_t high) {
        return low + static_cast<int64_t>(below(static_cast<uint64_t>(high - low) + 1));
    }

    /// Uniform in [0, 1), 53 bits.
    double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

    bool chance(double p) { return uniform() < p; }

    /// A generator of its own, so that what one part draws does not shift another's numbers.
    Rng fork() { return Rng(next()); }

  private:
    static uint64_t split_mix(uint64_t& seed) {
        uint64_t z = (seed += 0x9e3779b97f4a7c15);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }

    std::array<uint64_t, 4> state_{};
};

}  // namespace brigada
