// The elementwise kernels, written once over Lanes.
#pragma once

#include <limits>

#include "kernels/elementwise_kernels.h"
#include "kernels/lane_math.h"

namespace brigada::elementwise_body {

/// How to read and write sixteen floats, and how to do it with fewer at the end of a row.
template <typename Lanes>
struct Whole {
    using V = typename Lanes::V;
    V load(const float* p) const { return Lanes::load(p); }
    void store(float* p, V a) const { Lanes::store(p, a); }
    /// a, and `rest` in lanes past the end.
    V or_rest(V a, float) const { return a; }
};
template <typename Lanes>
struct Part {
    using V = typename Lanes::V;
    size_t count;
    V load(const float* p) const { return Lanes::load_first(p, count); }
    void store(float* p, V a) const { Lanes::store_first(p, a, count); }
    V or_rest(V a, float rest) const {
        return Lanes::select(Lanes::lanes_in(0, static_cast<int>(count)), a, Lanes::set(rest));
    }
};

/// Calls f(i, access) for i = 0, 16, ... of a row.
template <typename Lanes, typename F>
[[gnu::always_inline]] inline void over(size_t width, F f) {
    size_t i = 0;
    for (; i + 16 <= width; i += 16)
        f(i, Whole<Lanes>{});
    if (i < width) f(i, Part<Lanes>{width - i});
}

template <typename Lanes>
float sum_of_squares(const float* x, size_t width) {
    typename Lanes::V sums[2] = {Lanes::set(0), Lanes::set(0)};
    over<Lanes>(width, [&](size_t i, auto access) {
        const auto values = access.load(x + i);
        sums[i / 16 % 2] = Lanes::fma(values, values, sums[i / 16 % 2]);
    });
    return Lanes::sum(Lanes::add(sums[0], sums[1]));
}

template <typename Lanes>
void rms_norm(const float* x, const float* weight, float eps, size_t width, float* out) {
    const float mean = sum_of_squares<Lanes>(x, width) / static_cast<float>(width);
    const auto factor = Lanes::set(1 / __builtin_sqrtf(mean + eps));
    over<Lanes>(width, [&](size_t i, auto access) {
        const auto normal = Lanes::mul(access.load(x + i), factor);
        access.store(out + i, Lanes::mul(normal, access.load(weight + i)));
    });
}

template <typename Lanes>
void add(const float* x, size_t width, float* out) {
    over<Lanes>(width, [&](size_t i, auto access) {
        access.store(out + i, Lanes::add(access.load(out + i), access.load(x + i)));
    });
}

template <typename Lanes>
void silu_mul(const float* gate, const float* up, size_t width, float* out) {
    over<Lanes>(width, [&](size_t i, auto access) {
        const auto g = access.load(gate + i);
        const auto exp = lane_math::exp<Lanes>(Lanes::sub(Lanes::set(0), g));
        const auto silu = Lanes::div(g, Lanes::add(Lanes::set(1), exp));
        access.store(out + i, Lanes::mul(silu, access.load(up + i)));
    });
}

template <typename Lanes>
void rope_halves(float* x, size_t pairs, const float* cos, const float* sin) {
    over<Lanes>(pairs, [&](size_t i, auto access) {
        const auto a = access.load(x + i), b = access.load(x + pairs + i);
        const auto c = access.load(cos + i), s = access.load(sin + i);
        access.store(x + i, Lanes::sub(Lanes::mul(a, c), Lanes::mul(b, s)));
        access.store(x + pairs + i, Lanes::add(Lanes::mul(a, s), Lanes::mul(b, c)));
    });
}

/// Plain: the compiler interleaves better than Lanes could say.
template <typename Lanes>
void rope_adjacent(float* x, size_t pairs, const float* cos, const float* sin) {
    for (size_t i = 0; i < pairs; ++i) {
        const float a = x[2 * i], b = x[2 * i + 1];
        x[2 * i] = a * cos[i] - b * sin[i];
        x[2 * i + 1] = a * sin[i] + b * cos[i];
    }
}

template <typename Lanes>
float greatest(const float* x, size_t width) {
    constexpr float kLeast = -std::numeric_limits<float>::infinity();
    auto most = Lanes::set(kLeast);
    over<Lanes>(width, [&](size_t i, auto access) {
        most = Lanes::max(access.or_rest(access.load(x + i), kLeast), most);  // NaN: most stays
    });
    return Lanes::greatest(most);
}

template <typename Lanes>
double sum_exp(const float* x, size_t width, float offset, float scale, float* out) {
    constexpr size_t kRun = 1024;  // float sums stay short; runs add up in double
    double total = 0;
    for (size_t begin = 0; begin < width; begin += kRun) {
        auto sums = Lanes::set(0);
        over<Lanes>(width - begin < kRun ? width - begin : kRun, [&](size_t i, auto access) {
            const auto shifted = Lanes::sub(access.load(x + begin + i), Lanes::set(offset));
            const auto exp = lane_math::exp<Lanes>(Lanes::mul(shifted, Lanes::set(scale)));
            if (out != nullptr) access.store(out + begin + i, exp);
            sums = Lanes::add(sums, access.or_rest(exp, 0));
        });
        total += static_cast<double>(Lanes::sum(sums));
    }
    return total;
}

template <typename Lanes>
void scale(float factor, size_t width, float* out) {
    over<Lanes>(width, [&](size_t i, auto access) {
        access.store(out + i, Lanes::mul(access.load(out + i), Lanes::set(factor)));
    });
}

template <typename Lanes>
constexpr ElementwiseKernels make_kernels() {
    return {.rms_norm = &rms_norm<Lanes>,
            .add = &add<Lanes>,
            .silu_mul = &silu_mul<Lanes>,
            .rope_halves = &rope_halves<Lanes>,
            .rope_adjacent = &rope_adjacent<Lanes>,
            .greatest = &greatest<Lanes>,
            .sum_exp = &sum_exp<Lanes>,
            .scale = &scale<Lanes>};
}

}  // namespace brigada::elementwise_body
