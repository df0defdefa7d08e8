// The attention kernels, written once over Lanes. Scores put one token in each lane and walk the
// dimensions; values put one dimension in each lane and walk the tokens. So every number is one
// chain of multiply-adds in a fixed order, whatever the tile it is computed in.
#pragma once

#include <limits>

#include "kernels/attention_kernels.h"
#include "kernels/lane_math.h"
#include "kernels/number_types.h"

namespace brigada::attention_body {

inline constexpr float kNothing = -std::numeric_limits<float>::infinity();

/// R rows times C vectors of results in registers.
template <typename Lanes, int R, int C>
struct Accumulators {
    typename Lanes::V sums[R][C];

    /// sums[r][c] += weights[r * stride] * vector[c]
    template <typename T>
    [[gnu::always_inline]] void step(const float* weights, size_t stride, const T* const* vectors) {
        typename Lanes::V weight[R];
        for (int r = 0; r < R; ++r)
            weight[r] = Lanes::set(weights[r * stride]);
        for (int c = 0; c < C; ++c) {
            const typename Lanes::V vector = Lanes::load(vectors[c]);
            for (int r = 0; r < R; ++r)
                sums[r][c] = Lanes::fma(weight[r], vector, sums[r][c]);
        }
    }
};

/// The kernels of one element type T, for one job.
template <typename Lanes, typename T>
class Span {
  public:
    using V = typename Lanes::V;

    static void attend(const SpanJob& job) { Span(job).run(); }

  private:
    explicit Span(const SpanJob& job)
        : job_(job),
          dims_(job.head_dim),
          v_width_((job.head_dim + 15) / 16 * 16),
          q_(job.workspace),
          scores_(job.workspace + size_t{kMaxSpanRows} * job.head_dim) {}

    void run() {
        scale_queries();
        clear_partials();
        find_keys();
        for (uint32_t tile = 0; tile < kSpanKeys; tile += kTileKeys) {
            const uint32_t first = greater(first_key_, job_.first_key + tile);
            const uint32_t end = lesser(end_key_, job_.first_key + tile + kTileKeys);
            if (first >= end) continue;
            score(first, end);
            soften(first, end);
            apply(first, end);
        }
    }

    static uint32_t greater(uint32_t a, uint32_t b) { return a > b ? a : b; }
    static uint32_t lesser(uint32_t a, uint32_t b) { return a < b ? a : b; }

    /// q_[row][dims_] = scale * q.
    void scale_queries() {
        for (uint32_t row = 0; row < job_.row_count; ++row)
            for (size_t d = 0; d < dims_; ++d)
                q_[row * dims_ + d] = job_.scale * job_.rows[row].q[d];
    }

    void clear_partials() {
        for (uint32_t row = 0; row < job_.row_count; ++row) {
            float* partial = job_.rows[row].partial;
            partial[PartialLayout::kGreatest] = kNothing;
            for (size_t i = PartialLayout::kSums; i < PartialLayout::floats(v_width_); ++i)
                partial[i] = 0;
        }
    }

    /// The keys of this span that any row sees.
    void find_keys() {
        first_key_ = job_.first_key + kSpanKeys;
        end_key_ = 0;
        for (uint32_t row = 0; row < job_.row_count; ++row) {
            first_key_ = lesser(first_key_, job_.rows[row].first_key);
            end_key_ = greater(end_key_, job_.rows[row].end_key);
        }
    }

    const std::byte* region_of(uint32_t key) const {
        return job_.regions[(key - job_.first_key) / kKvBlockTokens];
    }
    const T* keys_of(uint32_t key) const { return reinterpret_cast<const T*>(region_of(key)); }
    const T* values_of(uint32_t key) const { return keys_of(key) + dims_ * kKvBlockTokens; }
    /// Tiles begin at multiples of kTileKeys, as spans do.
    float* score_at(uint32_t row, uint32_t key) const {
        return scores_ + row * size_t{kTileKeys} + key % kTileKeys;
    }
    float* values_at(uint32_t row, size_t dim) const {
        return job_.rows[row].partial + PartialLayout::kValues + dim;
    }

    /// Calls f.template operator()<R>(first row) for all rows, in groups as large as registers
    /// allow.
    template <typename F>
    void for_row_groups(F f) const {
        constexpr uint32_t kGroup = Lanes::kAccumulators;
        uint32_t row = 0;
        for (; row + kGroup <= job_.row_count; row += kGroup)
            f.template operator()<kGroup>(row);
        for_rest<kGroup - 1>(row, f);
    }
    template <int R, typename F>
    void for_rest(uint32_t row, F f) const {
        if constexpr (R > 0) {
            if (job_.row_count - row == R)
                f.template operator()<R>(row);
            else
                for_rest<R - 1>(row, f);
        }
    }

    /// Vectors at once for R rows: few rows alone would wait for their own chains.
    template <int R>
    static constexpr int vectors_for() {
        constexpr int kFit = Lanes::kAccumulators / R;
        return kFit >= 4 ? 4 : kFit >= 2 ? 2 : 1;
    }

    /// Few rows: each key and value is used once and comes from DRAM, at the pace of the
    /// prefetches.
    bool is_streaming() const { return job_.row_count <= Lanes::kAccumulators; }

    /// scores[row][key - tile] = scaled q . k for whole blocks of keys around first..end-1.
    void score(uint32_t first, uint32_t end) {
        const uint32_t block = first / kKvBlockTokens * kKvBlockTokens;
        if (is_streaming())
            for_row_groups([&]<int R>(uint32_t row) { score_blocks<R, true>(row, block, end); });
        else  // each block is used by many rows: it stays in L1, and so do they
            for (uint32_t key = block; key < end; key += kKvBlockTokens)
                for_row_groups([&]<int R>(uint32_t row) {
                    score_blocks<R, false>(row, key, lesser(end, key + kKvBlockTokens));
                });
    }

    template <int R, bool Prefetch>
    void score_blocks(uint32_t row, uint32_t key, uint32_t end) {
        constexpr int C = vectors_for<R>();
        for (; key + (C - 1) * kKvBlockTokens < end; key += C * kKvBlockTokens)
            score_block<R, C, Prefetch>(row, key);
        for (; C > 1 && key < end; key += kKvBlockTokens)
            score_block<R, 1, Prefetch>(row, key);
    }

    template <int R, int C, bool Prefetch>
    void score_block(uint32_t row, uint32_t key) {
        const T* k[C];
        for (int c = 0; c < C; ++c)
            k[c] = keys_of(key + c * kKvBlockTokens);
        Accumulators<Lanes, R, C> dots;
        for (int r = 0; r < R; ++r)
            for (int c = 0; c < C; ++c)
                dots.sums[r][c] = Lanes::set(0);
        const float* q = q_ + row * dims_;
        for (size_t d = 0; d < dims_; ++d) {
            for (int c = 0; Prefetch && c < C; ++c)
                Lanes::prefetch(k[c] + dims_ * kKvBlockTokens);  // as much of V as we take of K
            dots.step(q + d, dims_, k);
            for (int c = 0; c < C; ++c)
                k[c] += kKvBlockTokens;
        }
        for (int r = 0; r < R; ++r)
            for (int c = 0; c < C; ++c)
                Lanes::store(score_at(row + r, key + c * kKvBlockTokens), dots.sums[r][c]);
    }

    /// Scores become e^(score - greatest), and 0 for keys a row does not see; what was summed under
    /// a lesser greatest is scaled down.
    void soften(uint32_t first, uint32_t end) {
        for (uint32_t row = 0; row < job_.row_count; ++row)
            soften_row(row, first, end);
    }

    void soften_row(uint32_t row, uint32_t first, uint32_t end) {
        const SpanRow& seen = job_.rows[row];
        float* partial = seen.partial;
        const uint32_t block = first / kKvBlockTokens * kKvBlockTokens;
        V greatest = Lanes::set(partial[PartialLayout::kGreatest]);
        for (uint32_t key = block; key < end; key += kKvBlockTokens) {
            float* score = score_at(row, key);
            const auto visible =
                Lanes::lanes_in(static_cast<int>(seen.first_key) - static_cast<int>(key),
                                static_cast<int>(seen.end_key) - static_cast<int>(key));
            const V masked = Lanes::select(visible, Lanes::load(score), Lanes::set(kNothing));
            Lanes::store(score, masked);
            greatest = Lanes::max(masked, greatest);
        }
        const float before = partial[PartialLayout::kGreatest];
        const float now = Lanes::greatest(greatest);
        if (now != before) scale_down(partial, before, now);

        // A row that has seen nothing yet has scores of -infinity only: any finite offset gives
        // zeros.
        const V offset = Lanes::set(now == kNothing ? 0 : now);
        V sums = Lanes::load(partial + PartialLayout::kSums);
        for (uint32_t key = block; key < end; key += kKvBlockTokens) {
            float* score = score_at(row, key);
            const V weight = lane_math::exp<Lanes>(Lanes::sub(Lanes::load(score), offset));
            Lanes::store(score, weight);
            sums = Lanes::add(sums, weight);
        }
        Lanes::store(partial + PartialLayout::kSums, sums);
    }

    void scale_down(float* partial, float before, float now) {
        const V factor = lane_math::exp<Lanes>(Lanes::set(before - now));
        partial[PartialLayout::kGreatest] = now;
        for (size_t i = PartialLayout::kSums; i < PartialLayout::floats(v_width_); i += 16)
            Lanes::store(partial + i, Lanes::mul(Lanes::load(partial + i), factor));
    }

    /// values[row] += weight[row][key] * V[key] for the keys first..end-1, ascending.
    void apply(uint32_t first, uint32_t end) {
        if (is_streaming())
            for_row_groups([&]<int R>(uint32_t row) { apply_rows<R, true>(row, first, end); });
        else
            for_row_groups([&]<int R>(uint32_t row) { apply_rows<R, false>(row, first, end); });
    }

    template <int R, bool Prefetch>
    void apply_rows(uint32_t row, uint32_t first, uint32_t end) {
        constexpr int C = vectors_for<R>();
        size_t dim = 0;
        for (; dim + C * 16 <= v_width_; dim += C * 16)
            apply_vectors<R, C, Prefetch>(row, dim, first, end);
        for (; C > 1 && dim < v_width_; dim += 16)
            apply_vectors<R, 1, Prefetch>(row, dim, first, end);
    }

    template <int R, int C, bool Prefetch>
    void apply_vectors(uint32_t row, size_t dim, uint32_t first, uint32_t end) {
        Accumulators<Lanes, R, C> values;
        for (int r = 0; r < R; ++r)
            for (int c = 0; c < C; ++c)
                values.sums[r][c] = Lanes::load(values_at(row + r, dim + c * 16));
        for (uint32_t key = first; key < end;) {
            const uint32_t block_end = lesser(end, (key / kKvBlockTokens + 1) * kKvBlockTokens);
            const T* v[C];
            for (int c = 0; c < C; ++c)
                v[c] = values_of(key) + (key % kKvBlockTokens) * v_width_ + dim + c * 16;
            const T* coming =
                keys_of(key + kTileKeys) + (dim + key % kKvBlockTokens) * kKvBlockTokens;
            for (; key < block_end; ++key) {
                for (int c = 0; Prefetch && c < C; ++c)  // as much of the next tile's K as of V
                    Lanes::prefetch(coming + c * 16 * kKvBlockTokens);
                coming += kKvBlockTokens;
                values.step(score_at(row, key), kTileKeys, v);
                for (int c = 0; c < C; ++c)
                    v[c] += v_width_;
            }
        }
        for (int r = 0; r < R; ++r)
            for (int c = 0; c < C; ++c)
                Lanes::store(values_at(row + r, dim + c * 16), values.sums[r][c]);
    }

    const SpanJob& job_;
    size_t dims_, v_width_;
    float* q_;
    float* scores_;
    uint32_t first_key_ = 0, end_key_ = 0;
};

/// One token's K and V of one head: K goes to a column, V to a row.
template <typename Lanes, typename T>
void write_token(const float* k, const float* v, uint32_t head_dim, uint32_t slot,
                 std::byte* region) {
    T* keys = reinterpret_cast<T*>(region) + slot;
    T* values = reinterpret_cast<T*>(region) + size_t{head_dim} * kKvBlockTokens +
                slot * ((size_t{head_dim} + 15) / 16 * 16);
    for (uint32_t d = 0; d < head_dim; d += 16) {
        const uint32_t count = head_dim - d < 16 ? head_dim - d : 16;
        T column[16];
        Lanes::store(column, Lanes::load_first(k + d, count));
        for (uint32_t i = 0; i < count; ++i)
            keys[(d + i) * kKvBlockTokens] = column[i];
        Lanes::store(values + d, Lanes::load_first(v + d, count));
    }
}

template <typename Lanes>
void merge(float* into, const float* partial, size_t v_width) {
    const float before = into[PartialLayout::kGreatest];
    const float other = partial[PartialLayout::kGreatest];
    if (other == kNothing) return;
    const float now = before > other ? before : other;
    const auto keep = lane_math::exp<Lanes>(Lanes::set(before - now));
    const auto take = lane_math::exp<Lanes>(Lanes::set(other - now));
    into[PartialLayout::kGreatest] = now;
    for (size_t i = PartialLayout::kSums; i < PartialLayout::floats(v_width); i += 16) {
        const auto kept = Lanes::mul(Lanes::load(into + i), keep);
        Lanes::store(into + i, Lanes::fma(Lanes::load(partial + i), take, kept));
    }
}

template <typename Lanes>
void finish(const float* total, uint32_t head_dim, float* out) {
    const auto sum = Lanes::set(Lanes::sum(Lanes::load(total + PartialLayout::kSums)));
    for (uint32_t d = 0; d < head_dim; d += 16) {
        const uint32_t count = head_dim - d < 16 ? head_dim - d : 16;
        const auto values = Lanes::load(total + PartialLayout::kValues + d);
        Lanes::store_first(out + d, Lanes::div(values, sum), count);
    }
}

template <typename Lanes>
constexpr AttentionKernels make_kernels() {
    return {.attend_span = {&Span<Lanes, float>::attend, &Span<Lanes, Half>::attend,
                            &Span<Lanes, Bfloat>::attend},
            .write_token = {&write_token<Lanes, float>, &write_token<Lanes, Half>,
                            &write_token<Lanes, Bfloat>},
            .merge = &merge<Lanes>,
            .finish = &finish<Lanes>};
}

}  // namespace brigada::attention_body
