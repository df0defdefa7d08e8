// The body of every matmul kernel, written once over a vector type V; portable/, avx2/ and avx512/
// each make their own instance. V's lane is an output row. Nothing here may call a function that
// other files also instantiate: the linker would be free to keep the copy with the wider
// instructions. So everything is a template over V, and constants come out of constexpr evaluation.
//
// The order of every sum is fixed by the number of columns alone, so a row's result is the same
// bits in any batch, on any number of threads. Quantised weights: per group, exact int32 dot
// products, then
//   sum = fma(dot, scale_w * scale_a, sum); with mins: sum = fma(min_w, scaled_sum_a, sum)
// in ascending order of groups. Float weights: four chains, one per quarter of the columns, each in
// ascending order, added as (c0 + c1) + (c2 + c3).
#pragma once

#include "kernels/matmul_kernels.h"
#include "kernels/quant_block.h"

#define BRIGADA_INLINE [[gnu::always_inline]] inline

namespace brigada::body {

/// Rows of activations times N vectors of output rows, as held in registers.
template <typename V, size_t R, size_t N>
struct Tile {
    typename V::F32 sum[R][N];

    BRIGADA_INLINE void clear() {
        for (size_t r = 0; r < R; ++r)
            for (size_t n = 0; n < N; ++n)
                sum[r][n] = V::zero();
    }

    /// To rows row.. and lanes lane0.. of the task's output.
    BRIGADA_INLINE void deliver(const PanelTask& task, size_t row, size_t lane0) const {
        for (size_t r = 0; r < R; ++r)
            for (size_t n = 0; n < N; ++n) {
                const size_t lane = lane0 + n * V::kLanes;
                if (lane >= task.lanes) continue;
                float* out = task.out + (row + r) * task.out_stride + lane;
                if (lane + V::kLanes <= task.lanes)
                    put_whole(out, sum[r][n], task.accumulate);
                else
                    put_some(out, sum[r][n], task.lanes - lane, task.accumulate);
            }
    }

  private:
    BRIGADA_INLINE static void put_whole(float* out, typename V::F32 value, bool accumulate) {
        V::store(out, accumulate ? V::add(V::load(out), value) : value);
    }

    BRIGADA_INLINE static void put_some(float* out, typename V::F32 value, size_t lanes,
                                        bool accumulate) {
        float values[V::kLanes];
        V::store(values, value);
        for (size_t i = 0; i < lanes; ++i)
            out[i] = accumulate ? out[i] + values[i] : values[i];
    }
};

// --- quantised weights ------------------------------------------------------------------------

/// Reads the parts of a packed panel of type T, V::kLanes rows at a time.
template <typename V, WeightType T>
struct QuantPanel {
    static constexpr QuantTraits kTraits = quant_traits(T);
    static constexpr size_t kGroups = 32 / kTraits.group_cols;  // scales per 32 columns
    static constexpr size_t kSteps = 8 / kGroups;               // vectors of codes per scale
    static constexpr size_t kParts = kTraits.has_min ? 2 : 1;
    static constexpr size_t kSuperBytes = kParts * 32;
    static constexpr size_t kPartBytes = kTraits.is_super ? kGroups * 16 : 32;
    static constexpr size_t kScaleBytes = kParts * kPartBytes;
    static constexpr size_t kCodeBytes = kTraits.code_bits == 4 ? 256 : 512;

    const PanelView& view;

    /// Codes of columns 4 step .. 4 step + 3 of the 32, four bytes per lane.
    BRIGADA_INLINE typename V::Bytes codes(size_t group, size_t step, size_t lane) const {
        const std::byte* at = view.codes + group * kCodeBytes + lane * 4;
        if constexpr (kTraits.code_bits == 8) {
            return V::load_bytes(at + step * 64);
        } else {
            const auto both = V::load_bytes(at + step % 4 * 64);
            return step < 4 ? V::low_nibbles(both) : V::high_nibbles(both);
        }
    }

    BRIGADA_INLINE typename V::F32 scale(size_t group, size_t part, size_t lane) const {
        const std::byte* at = view.scales + group * kScaleBytes;
        if constexpr (!kTraits.is_super) return V::load_f16(at + lane * 2);
        const auto d = V::load_f16(view.supers + group / 8 * kSuperBytes + lane * 2);
        const std::byte* sc = at + part * 16 + lane;
        if constexpr (kTraits.scale_is_signed) return V::mul(d, V::load_i8(sc));
        return V::mul(d, V::load_u8(sc));
    }

    BRIGADA_INLINE typename V::F32 min(size_t group, size_t part, size_t lane) const {
        const std::byte* at = view.scales + group * kScaleBytes + kPartBytes;
        if constexpr (!kTraits.is_super) return V::load_f16(at + lane * 2);
        const auto m = V::load_f16(view.supers + group / 8 * kSuperBytes + 32 + lane * 2);
        return V::mul(m, V::load_u8(at + part * 16 + lane));
    }
};

/// Adds the columns that share scale `part` of 32-column `group` to R x N outputs.
template <typename V, WeightType T, size_t R, size_t N>
BRIGADA_INLINE void add_group(const QuantPanel<V, T>& panel, size_t group, size_t part,
                              const ActivationGroup* const (&acts)[R], size_t lane0,
                              Tile<V, R, N>& tile) {
    using Panel = QuantPanel<V, T>;
    constexpr QuantTraits kTraits = Panel::kTraits;
    typename V::template Dot<kTraits.max_code, kTraits.offset, Panel::kSteps> dot[R][N];
#pragma clang loop unroll(full)
    for (size_t step = 0; step < Panel::kSteps; ++step) {
        typename V::Bytes codes[N];
        for (size_t n = 0; n < N; ++n)
            codes[n] = panel.codes(group, part * Panel::kSteps + step, lane0 + n * V::kLanes);
        for (size_t r = 0; r < R; ++r) {
            const auto act =
                V::broadcast_bytes(acts[r][group].codes + (part * Panel::kSteps + step) * 4);
            for (size_t n = 0; n < N; ++n)
                dot[r][n].add(codes[n], act, step);
        }
    }
    for (size_t n = 0; n < N; ++n) {
        const auto scale = panel.scale(group, part, lane0 + n * V::kLanes);
        for (size_t r = 0; r < R; ++r) {
            const ActivationGroup& act = acts[r][group];
            const int32_t& code_sum = Panel::kGroups == 1 ? act.sum : act.half_sum[part];
            tile.sum[r][n] = V::fma(V::to_float(dot[r][n].total(code_sum)),
                                    V::mul(scale, V::broadcast(act.scale)), tile.sum[r][n]);
        }
        if constexpr (kTraits.has_min) {
            const auto min = panel.min(group, part, lane0 + n * V::kLanes);
            for (size_t r = 0; r < R; ++r) {
                const ActivationGroup& act = acts[r][group];
                const float& sum = Panel::kGroups == 1 ? act.scaled_sum : act.scaled_half_sum[part];
                tile.sum[r][n] = V::fma(min, V::broadcast(sum), tile.sum[r][n]);
            }
        }
    }
}

template <typename V, WeightType T, size_t R, size_t N>
void quant_tile(const PanelTask& task, size_t row, size_t lane0) {
    const QuantPanel<V, T> panel{task.panel};
    const ActivationGroup* acts[R];
    for (size_t r = 0; r < R; ++r)
        acts[r] = reinterpret_cast<const ActivationGroup*>(task.acts + (row + r) * task.act_stride);
    Tile<V, R, N> tile;
    tile.clear();
    const size_t groups = task.panel.cols / 32;
    for (size_t group = 0; group < groups; ++group) {
        if (row == 0 && lane0 == 0)  // later rows and lanes find the panel in cache
            V::prefetch(task.panel.codes + group * panel.kCodeBytes, panel.kCodeBytes);
        for (size_t part = 0; part < panel.kGroups; ++part)
            add_group<V, T, R, N>(panel, group, part, acts, lane0, tile);
    }
    tile.deliver(task, row, lane0);
}

/// The f32 panel of a quantised one: out [cols][16].
template <typename V, WeightType T>
void unpack(const PanelView& view, float* out) {
    using Panel = QuantPanel<V, T>;
    const Panel panel{view};
    for (size_t lane = 0; lane < 16; lane += V::kLanes)
        for (size_t group = 0; group < view.cols / 32; ++group)
            for (size_t step = 0; step < 8; ++step) {
                const size_t part = step / Panel::kSteps;
                const auto codes = panel.codes(group, step, lane);
                const auto scale = panel.scale(group, part, lane);
                float* to = out + (group * 32 + step * 4) * 16 + lane;
                for (size_t i = 0; i < 4; ++i) {
                    const auto code = V::sub(V::to_float(V::byte_of(codes, i)),
                                             V::broadcast(Panel::kTraits.offset));
                    auto value = V::mul(scale, code);
                    if constexpr (Panel::kTraits.has_min)
                        value = V::add(value, panel.min(group, part, lane));
                    V::store(to + i * 16, value);
                }
            }
}

/// 32 floats to a group; the largest magnitude is found on the bits, where NaN stands above
/// infinity.
template <typename V>
void quantise(const float* x, size_t groups, ActivationGroup* out) {
    constexpr size_t kVectors = 32 / V::kLanes;
    for (size_t group = 0; group < groups; ++group, x += 32) {
        auto bits = V::magnitude_bits(V::load(x));
        for (size_t v = 1; v < kVectors; ++v)
            bits = V::max(bits, V::magnitude_bits(V::load(x + v * V::kLanes)));
        const float largest = __builtin_bit_cast(float, V::reduce_max(bits));
        // Below 2^-120 the inverse overflows: such a group counts as zero, an error of at most
        // 2^-120 per activation. With NaN or infinity in a group its codes are zero and its scale
        // carries the news.
        const bool is_finite = largest < __builtin_inff();
        const float inverse = largest >= 0x1p-120f ? 127.0f / largest : 0.0f;
        ActivationGroup& to = out[group];
        to.scale = largest < 0x1p-120f ? 0.0f : largest / 127.0f;
        for (size_t half = 0; half < 2; ++half) {
            int32_t sum = 0;
            for (size_t v = half * kVectors / 2; v < (half + 1) * kVectors / 2; ++v) {
                const auto values = is_finite ? V::load(x + v * V::kLanes) : V::zero();
                const auto codes = V::round(V::mul(values, V::broadcast(inverse)));
                V::store_codes(to.codes + v * V::kLanes, codes);
                sum += V::reduce_add(codes);
            }
            to.half_sum[half] = sum;
            to.scaled_half_sum[half] = to.scale * static_cast<float>(sum);
        }
        to.sum = to.half_sum[0] + to.half_sum[1];
        to.scaled_sum = to.scale * static_cast<float>(to.sum);
        to.unused = 0;
    }
}

// --- float weights ----------------------------------------------------------------------------

/// A float format: one step reads kStepBytes of the panel and kActBytes of a row of activations.
template <typename V>
struct F32Panel {
    static constexpr size_t kStepCols = 1, kStepBytes = 64, kActBytes = 4;
    template <size_t R, size_t N>
    BRIGADA_INLINE static void step(const std::byte* weights, const std::byte* const (&acts)[R],
                                    size_t at, typename V::F32 (&sum)[R][N]) {
        for (size_t n = 0; n < N; ++n) {
            const auto w = V::load(reinterpret_cast<const float*>(weights) + n * V::kLanes);
            for (size_t r = 0; r < R; ++r)
                sum[r][n] = V::fma(w, V::broadcast_at(acts[r] + at), sum[r][n]);
        }
    }
};

template <typename V>
struct F16Panel {
    static constexpr size_t kStepCols = 1, kStepBytes = 32, kActBytes = 4;
    template <size_t R, size_t N>
    BRIGADA_INLINE static void step(const std::byte* weights, const std::byte* const (&acts)[R],
                                    size_t at, typename V::F32 (&sum)[R][N]) {
        for (size_t n = 0; n < N; ++n) {
            const auto w = V::load_f16(weights + n * V::kLanes * 2);
            for (size_t r = 0; r < R; ++r)
                sum[r][n] = V::fma(w, V::broadcast_at(acts[r] + at), sum[r][n]);
        }
    }
};

/// Two columns per step; as bits, a bfloat16 is the upper half of its float.
template <typename V>
struct Bf16Panel {
    static constexpr size_t kStepCols = 2, kStepBytes = 64, kActBytes = 8;
    template <size_t R, size_t N>
    BRIGADA_INLINE static void step(const std::byte* weights, const std::byte* const (&acts)[R],
                                    size_t at, typename V::F32 (&sum)[R][N]) {
        for (size_t n = 0; n < N; ++n) {
            const auto pair = V::load_bytes(weights + n * V::kLanes * 4);
            const auto even = V::even_bf16(pair);
            const auto odd = V::odd_bf16(pair);
            for (size_t r = 0; r < R; ++r) {
                sum[r][n] = V::fma(even, V::broadcast_at(acts[r] + at), sum[r][n]);
                sum[r][n] = V::fma(odd, V::broadcast_at(acts[r] + at + 4), sum[r][n]);
            }
        }
    }
};

/// Two columns per step, bf16 activations, the instruction's own order within the pair.
template <typename V>
struct Bf16DotPanel {
    static constexpr size_t kStepCols = 2, kStepBytes = 64, kActBytes = 4;
    template <size_t R, size_t N>
    BRIGADA_INLINE static void step(const std::byte* weights, const std::byte* const (&acts)[R],
                                    size_t at, typename V::F32 (&sum)[R][N]) {
        for (size_t n = 0; n < N; ++n) {
            const auto pair = V::load_bytes(weights + n * V::kLanes * 4);
            for (size_t r = 0; r < R; ++r)
                sum[r][n] = V::dot_bf16(pair, V::broadcast_bytes(acts[r] + at), sum[r][n]);
        }
    }
};

/// One row: the four chains side by side, so that each fma need not wait for the one before.
template <typename V, typename Panel, size_t N>
void float_row(const PanelTask& task, size_t row, size_t lane0) {
    const size_t steps = task.panel.cols / 4 / Panel::kStepCols;
    const std::byte* acts[4];
    for (size_t c = 0; c < 4; ++c)
        acts[c] = task.acts + row * task.act_stride + c * steps * Panel::kActBytes;
    const std::byte* weights = task.panel.codes + lane0 * Panel::kStepBytes / 16;
    typename V::F32 chain[4][1][N];
    for (size_t c = 0; c < 4; ++c)
        for (size_t n = 0; n < N; ++n)
            chain[c][0][n] = V::zero();
    for (size_t k = 0; k < steps; ++k)
        for (size_t c = 0; c < 4; ++c) {
            const std::byte* const act[1] = {acts[c]};
            Panel::template step<1, N>(weights + (c * steps + k) * Panel::kStepBytes, act,
                                       k * Panel::kActBytes, chain[c]);
        }
    Tile<V, 1, N> tile;
    for (size_t n = 0; n < N; ++n)
        tile.sum[0][n] =
            V::add(V::add(chain[0][0][n], chain[1][0][n]), V::add(chain[2][0][n], chain[3][0][n]));
    tile.deliver(task, row, lane0);
}

/// Several rows: chain after chain.
template <typename V, typename Panel, size_t R, size_t N>
void float_tile(const PanelTask& task, size_t row, size_t lane0) {
    const size_t steps = task.panel.cols / 4 / Panel::kStepCols;
    const std::byte* acts[R];
    for (size_t r = 0; r < R; ++r)
        acts[r] = task.acts + (row + r) * task.act_stride;
    const std::byte* weights = task.panel.codes + lane0 * Panel::kStepBytes / 16;
    Tile<V, R, N> chain[4];
    for (size_t c = 0; c < 4; ++c) {
        Tile<V, R, N> tile;
        tile.clear();
        for (size_t k = c * steps; k < (c + 1) * steps; ++k)
            Panel::template step<R, N>(weights + k * Panel::kStepBytes, acts, k * Panel::kActBytes,
                                       tile.sum);
        chain[c] = tile;
    }
    for (size_t r = 0; r < R; ++r)
        for (size_t n = 0; n < N; ++n)
            chain[0].sum[r][n] = V::add(V::add(chain[0].sum[r][n], chain[1].sum[r][n]),
                                        V::add(chain[2].sum[r][n], chain[3].sum[r][n]));
    chain[0].deliver(task, row, lane0);
}

// --- a panel, tile by tile --------------------------------------------------------------------

template <typename V, WeightType T>
struct QuantTiles {
    static constexpr size_t kRows = V::kQuantRows, kVectors = V::kQuantVectors;
    template <size_t R, size_t N>
    static void run(const PanelTask& task, size_t row, size_t lane0) {
        quant_tile<V, T, R, N>(task, row, lane0);
    }
};

template <typename V, typename Panel>
struct FloatTiles {
    static constexpr size_t kRows = V::kFloatRows, kVectors = 16 / V::kLanes;
    template <size_t R, size_t N>
    static void run(const PanelTask& task, size_t row, size_t lane0) {
        if constexpr (R == 1)
            float_row<V, Panel, N>(task, row, lane0);
        else
            float_tile<V, Panel, R, N>(task, row, lane0);
    }
};

/// All lanes of R rows: a single row takes the whole panel at once, several take it in parts.
template <typename V, typename Tiles, size_t R>
BRIGADA_INLINE void run_rows(const PanelTask& task, size_t row) {
    constexpr size_t kVectors = R == 1 ? 16 / V::kLanes : Tiles::kVectors;
    for (size_t lane = 0; lane < task.lanes; lane += kVectors * V::kLanes)
        Tiles::template run<R, kVectors>(task, row, lane);
}

template <typename V, typename Tiles, size_t R>
BRIGADA_INLINE void run_rest(const PanelTask& task, size_t row) {
    if constexpr (R > 0) {
        if (task.m - row == R) return run_rows<V, Tiles, R>(task, row);
        run_rest<V, Tiles, R - 1>(task, row);
    }
}

template <typename V, typename Tiles>
void multiply(const PanelTask& task) {
    size_t row = 0;
    for (; task.m - row >= Tiles::kRows; row += Tiles::kRows)
        run_rows<V, Tiles, Tiles::kRows>(task, row);
    run_rest<V, Tiles, Tiles::kRows - 1>(task, row);
}

/// The table of V; the order of WeightType.
template <typename V>
consteval MatmulKernels make_kernels(MatmulKernels::Multiply bf16_dot) {
    using enum WeightType;
    return {.multiply = {multiply<V, FloatTiles<V, F32Panel<V>>>,
                         multiply<V, FloatTiles<V, F16Panel<V>>>,
                         multiply<V, FloatTiles<V, Bf16Panel<V>>>, multiply<V, QuantTiles<V, q4_0>>,
                         multiply<V, QuantTiles<V, q4_1>>, multiply<V, QuantTiles<V, q5_0>>,
                         multiply<V, QuantTiles<V, q5_1>>, multiply<V, QuantTiles<V, q8_0>>,
                         multiply<V, QuantTiles<V, q2_k>>, multiply<V, QuantTiles<V, q3_k>>,
                         multiply<V, QuantTiles<V, q4_k>>, multiply<V, QuantTiles<V, q5_k>>,
                         multiply<V, QuantTiles<V, q6_k>>},
            .multiply_bf16_dot = bf16_dot,
            .unpack = {nullptr, nullptr, nullptr, unpack<V, q4_0>, unpack<V, q4_1>, unpack<V, q5_0>,
                       unpack<V, q5_1>, unpack<V, q8_0>, unpack<V, q2_k>, unpack<V, q3_k>,
                       unpack<V, q4_k>, unpack<V, q5_k>, unpack<V, q6_k>},
            .quantise = quantise<V>,
            .tile_rows = V::kQuantRows * V::kFloatRows};
}

}  // namespace brigada::body
