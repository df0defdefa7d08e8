// Lanes: sixteen floats that move together, and all that attention and elementwise bodies may do
// with them. Each instruction set has a struct with these members (avx2/lanes.h, avx512/lanes.h);
// this one is plain C++ and says what they mean. Every operation works lane by lane and sums run in
// a fixed tree, so two sets that round alike give equal bits. (This one has no fused multiply-add
// and rounds twice.)
//
// Bodies are templates over this struct and call nothing else that is inline: whatever is compiled
// with wider flags then carries the struct's name in its symbol and is never linked into another
// path.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/half.h"
#include "kernels/number_types.h"

namespace brigada::portable {

struct Lanes {
    static constexpr size_t kCount = 16;
    /// Accumulators a microkernel may keep: what leaves registers for its operands.
    static constexpr int kAccumulators = 4;

    struct V {
        float lane[kCount];
    };
    struct Mask {
        bool lane[kCount];
    };

    static V set(float x) {
        return each([&](size_t) { return x; });
    }
    static V load(const float* p) {
        return each([&](size_t i) { return p[i]; });
    }
    static V load(const Half* p) {
        return each([&](size_t i) { return f16_to_float(p[i].bits); });
    }
    static V load(const Bfloat* p) {
        return each([&](size_t i) { return bf16_to_float(p[i].bits); });
    }
    /// The first n <= 16 floats; zero in the other lanes, whose memory is not read.
    static V load_first(const float* p, size_t n) {
        return each([&](size_t i) { return i < n ? p[i] : 0.0f; });
    }

    static void store(float* p, V a) { store_first(p, a, kCount); }
    static void store(Half* p, V a);    // nearest, ties to even; beyond +-65504 clamped
    static void store(Bfloat* p, V a);  // nearest, ties to even
    static void store_first(float* p, V a, size_t n) {
        for (size_t i = 0; i < n; ++i)
            p[i] = a.lane[i];
    }

    static V add(V a, V b) {
        return each([&](size_t i) { return a.lane[i] + b.lane[i]; });
    }
    static V sub(V a, V b) {
        return each([&](size_t i) { return a.lane[i] - b.lane[i]; });
    }
    static V mul(V a, V b) {
        return each([&](size_t i) { return a.lane[i] * b.lane[i]; });
    }
    static V div(V a, V b) {
        return each([&](size_t i) { return a.lane[i] / b.lane[i]; });
    }
    /// a * b + c.
    static V fma(V a, V b, V c) {
        return each([&](size_t i) { return a.lane[i] * b.lane[i] + c.lane[i]; });
    }
    /// The greater and the lesser; b where either is NaN.
    static V max(V a, V b) {
        return each([&](size_t i) { return a.lane[i] > b.lane[i] ? a.lane[i] : b.lane[i]; });
    }
    static V min(V a, V b) {
        return each([&](size_t i) { return a.lane[i] < b.lane[i] ? a.lane[i] : b.lane[i]; });
    }

    /// Lanes first..end-1; either may lie outside 0..16.
    static Mask lanes_in(int first, int end) {
        Mask mask;
        for (int i = 0; i < static_cast<int>(kCount); ++i)
            mask.lane[i] = first <= i && i < end;
        return mask;
    }
    static Mask less(V a, V b) {
        Mask mask;
        for (size_t i = 0; i < kCount; ++i)
            mask.lane[i] = a.lane[i] < b.lane[i];
        return mask;
    }
    static V select(Mask mask, V yes, V no) {
        return each([&](size_t i) { return mask.lane[i] ? yes.lane[i] : no.lane[i]; });
    }

    /// a * 2^n for whole n in -126..127. Exact unless it overflows or falls below 2^-126. A NaN in
    /// n counts as some n.
    static V scale_by_power(V a, V n) {
        return each([&](size_t i) {
            const float whole = n.lane[i] == n.lane[i] ? n.lane[i] : 0.0f;
            const auto exponent = static_cast<uint32_t>(static_cast<int32_t>(whole) + 127);
            return a.lane[i] * std::bit_cast<float>(exponent << 23);
        });
    }

    /// Lanes i and i + 8 first, then i + 4, i + 2, i + 1.
    static float sum(V a) {
        for (size_t half = kCount / 2; half > 0; half /= 2)
            for (size_t i = 0; i < half; ++i)
                a.lane[i] += a.lane[i + half];
        return a.lane[0];
    }
    static float greatest(V a) {
        for (size_t half = kCount / 2; half > 0; half /= 2)
            for (size_t i = 0; i < half; ++i)
                a.lane[i] = a.lane[i] > a.lane[i + half] ? a.lane[i] : a.lane[i + half];
        return a.lane[0];
    }

    static void prefetch(const void* p) { __builtin_prefetch(p); }

  private:
    template <typename F>
    static V each(F f) {
        V out;
        for (size_t i = 0; i < kCount; ++i)
            out.lane[i] = f(i);
        return out;
    }
};

inline void Lanes::store(Half* p, V a) {
    for (size_t i = 0; i < kCount; ++i) {
        const uint32_t bits = std::bit_cast<uint32_t>(a.lane[i]);
        const uint16_t sign = static_cast<uint16_t>(bits >> 16 & 0x8000u);
        const float size = std::bit_cast<float>(bits & 0x7fffffffu);
        if (size != size) {
            p[i].bits = sign | 0x7e00u;
        } else if (size >= 65504.0f) {
            p[i].bits = sign | 0x7bffu;
        } else if (size < 0x1p-14f) {  // a multiple of 2^-24; 2^-14 itself comes out as bits 0x400
            const float rounded = size + 0.5f;  // the last bit of [0.5, 1) is 2^-24
            p[i].bits = sign | static_cast<uint16_t>(std::bit_cast<uint32_t>(rounded) & 0x7ffu);
        } else {
            const uint32_t magnitude = bits & 0x7fffffffu;
            const uint32_t odd = magnitude >> 13 & 1u;
            const uint32_t rounded = magnitude + 0xfffu + odd;
            p[i].bits = sign | static_cast<uint16_t>((rounded - (112u << 23)) >> 13);
        }
    }
}

inline void Lanes::store(Bfloat* p, V a) {
    for (size_t i = 0; i < kCount; ++i)
        p[i].bits = float_to_bf16(a.lane[i]);
}

}  // namespace brigada::portable
