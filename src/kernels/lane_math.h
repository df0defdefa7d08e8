// The exponential, over any instruction set's Lanes: one polynomial, so that every set computes the
// same function.
#pragma once

namespace brigada::lane_math {

/// e^x. Relative error below 2^-22 for x in -87.3..88; below that 0, above it e^88; NaN stays NaN.
/// exp(0) is exactly 1 and exp(-infinity) exactly 0.
///
/// x = n * ln 2 + r with |r| <= ln 2 / 2. kLn2High has 13 bits, so n * kLn2High is exact. e^r = 1 +
/// r + r^2 * p(r), p of degree 4 fitted by us to least relative error, 2^-28.0 with coefficients
/// rounded to float; rounding adds a few 2^-24.
template <typename Lanes>
typename Lanes::V exp(typename Lanes::V x) {
    using V = typename Lanes::V;
    constexpr float kLog2E = 0x1.715476p+0f;
    constexpr float kLn2High = 0x1.62ep-1f, kLn2Low = 0x1.0bfbe8p-15f;
    constexpr float kRounder = 0x1.8p+23f;  // adding it leaves no bits for a fraction
    constexpr float kLowest = -87.33f;      // e^x >= 2^-126 from here on
    constexpr float kP[] = {0x1.fffffcp-2f, 0x1.555492p-3f, 0x1.5558f2p-5f, 0x1.123a2p-7f,
                            0x1.6a23dp-10f};

    const V limited = Lanes::max(Lanes::set(kLowest), Lanes::min(Lanes::set(88), x));
    const V rounder = Lanes::set(kRounder);
    const V n = Lanes::sub(Lanes::fma(limited, Lanes::set(kLog2E), rounder), rounder);
    const V high = Lanes::fma(n, Lanes::set(-kLn2High), limited);
    const V r = Lanes::fma(n, Lanes::set(-kLn2Low), high);
    V p = Lanes::set(kP[4]);
    for (int i = 3; i >= 0; --i)
        p = Lanes::fma(p, r, Lanes::set(kP[i]));
    const V e_r = Lanes::add(Lanes::fma(Lanes::mul(p, r), r, r), Lanes::set(1));
    const V scaled = Lanes::scale_by_power(e_r, n);
    return Lanes::select(Lanes::less(x, Lanes::set(kLowest)), Lanes::set(0), scaled);
}

}  // namespace brigada::lane_math
