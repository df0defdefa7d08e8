// Vec for any processor: sixteen lanes as an array, loops the compiler may vectorise with what the
// build's baseline has. Without fused multiply-add: sums differ from the other sets' in the last
// bits.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/half.h"

namespace brigada::portable {

struct Vec {
    static constexpr size_t kLanes = 16;
    static constexpr size_t kQuantRows = 2, kQuantVectors = 1, kFloatRows = 4;

    struct F32 {
        float lane[kLanes];
    };
    struct I32 {
        int32_t lane[kLanes];
    };
    struct Bytes {
        uint8_t lane[kLanes][4];
    };

    static F32 broadcast(float x) {
        return each<F32>([&](size_t) { return x; });
    }
    static F32 broadcast_at(const std::byte* at) { return broadcast(read<float>(at)); }
    static F32 zero() { return broadcast(0); }
    static F32 load(const float* at) {
        return each<F32>([&](size_t i) { return at[i]; });
    }
    static void store(float* at, F32 x) { std::memcpy(at, x.lane, sizeof x.lane); }

    static F32 add(F32 a, F32 b) {
        return each<F32>([&](size_t i) { return a.lane[i] + b.lane[i]; });
    }
    static F32 sub(F32 a, F32 b) {
        return each<F32>([&](size_t i) { return a.lane[i] - b.lane[i]; });
    }
    static F32 mul(F32 a, F32 b) {
        return each<F32>([&](size_t i) { return a.lane[i] * b.lane[i]; });
    }
    static F32 fma(F32 a, F32 b, F32 c) {
        return each<F32>([&](size_t i) { return a.lane[i] * b.lane[i] + c.lane[i]; });
    }

    static F32 load_f16(const std::byte* at) {
        return each<F32>([&](size_t i) { return f16_to_float(read<uint16_t>(at + 2 * i)); });
    }
    static F32 load_u8(const std::byte* at) {
        return each<F32>([&](size_t i) { return static_cast<float>(read<uint8_t>(at + i)); });
    }
    static F32 load_i8(const std::byte* at) {
        return each<F32>([&](size_t i) { return static_cast<float>(read<int8_t>(at + i)); });
    }
    static F32 even_bf16(Bytes pairs) {
        return each<F32>([&](size_t i) {
            return bf16_to_float(static_cast<uint16_t>(pairs.lane[i][0] | pairs.lane[i][1] << 8));
        });
    }
    static F32 odd_bf16(Bytes pairs) {
        return each<F32>([&](size_t i) {
            return bf16_to_float(static_cast<uint16_t>(pairs.lane[i][2] | pairs.lane[i][3] << 8));
        });
    }
    static F32 to_float(I32 x) {
        return each<F32>([&](size_t i) { return static_cast<float>(x.lane[i]); });
    }

    static Bytes load_bytes(const std::byte* at) {
        Bytes out;
        std::memcpy(out.lane, at, sizeof out.lane);
        return out;
    }
    static Bytes broadcast_bytes(const void* at) {
        Bytes out;
        for (auto& lane : out.lane)
            std::memcpy(lane, at, 4);
        return out;
    }
    static Bytes low_nibbles(Bytes x) {
        for (auto& lane : x.lane)
            for (uint8_t& byte : lane)
                byte &= 15;
        return x;
    }
    static Bytes high_nibbles(Bytes x) {
        for (auto& lane : x.lane)
            for (uint8_t& byte : lane)
                byte >>= 4;
        return x;
    }
    static I32 byte_of(Bytes x, size_t index) {
        return each<I32>([&](size_t i) { return x.lane[i][index]; });
    }

    static I32 magnitude_bits(F32 x) {
        return each<I32>([&](size_t i) {
            return static_cast<int32_t>(std::bit_cast<uint32_t>(x.lane[i]) & 0x7fffffffu);
        });
    }
    static I32 max(I32 a, I32 b) {
        return each<I32>([&](size_t i) { return a.lane[i] > b.lane[i] ? a.lane[i] : b.lane[i]; });
    }
    static int32_t reduce_max(I32 x) {
        int32_t out = x.lane[0];
        for (int32_t lane : x.lane)
            out = lane > out ? lane : out;
        return out;
    }
    static int32_t reduce_add(I32 x) {
        int32_t out = 0;
        for (int32_t lane : x.lane)
            out += lane;
        return out;
    }

    /// To the nearest integer, ties to even, for |x| <= 127: adding 1.5 * 2^23 leaves it in the low
    /// bits. NaN gives a code that fits a byte, which is all that is asked of it.
    static I32 round(F32 x) {
        return each<I32>([&](size_t i) {
            const uint32_t bits = std::bit_cast<uint32_t>(x.lane[i] + 0x1.8p23f);
            return static_cast<int32_t>(static_cast<int8_t>(bits & 0xffu));
        });
    }
    static void store_codes(int8_t* at, I32 x) {
        for (size_t i = 0; i < kLanes; ++i)
            at[i] = static_cast<int8_t>(x.lane[i]);
    }

    static void prefetch(const std::byte*, size_t) {}

    /// Sums of unsigned codes times signed activations, four per lane and step; the offset comes
    /// off at the end, as offset * (sum of the activations).
    template <int kMaxCode, int kOffset, size_t kSteps>
    class Dot {
      public:
        void add(const Bytes& codes, const Bytes& acts, size_t) {
            for (size_t i = 0; i < kLanes; ++i)
                for (size_t j = 0; j < 4; ++j)
                    sum_.lane[i] += codes.lane[i][j] * static_cast<int8_t>(acts.lane[i][j]);
        }
        I32 total(int32_t act_sum) const {
            return each<I32>([&](size_t i) { return sum_.lane[i] - kOffset * act_sum; });
        }

      private:
        I32 sum_{};
    };

  private:
    template <typename Out, typename F>
    static Out each(F&& value) {
        Out out;
        for (size_t i = 0; i < kLanes; ++i)
            out.lane[i] = value(i);
        return out;
    }

    template <typename T>
    static T read(const std::byte* at) {
        T out;
        std::memcpy(&out, at, sizeof out);
        return out;
    }
};

}  // namespace brigada::portable
