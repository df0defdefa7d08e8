// Every weight type on every instruction set that can run here, AVX-512 also under emulation,
// against plain loops in double over the dequantised weights. Bounds use u = 2^-24, the largest
// relative error of one float operation, and hold to first order in it; 1.01 covers the rest.
#include "kernels/matmul.h"

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/matmul_kernels.h"
#include "kernels/random_weights.h"

namespace brigada {
namespace avx512_emulated {
extern const MatmulKernels kMatmulKernels;  // avx2/matmul_avx512_emulated_test.cc
}
namespace {

constexpr double kUnit = 0x1p-24;
constexpr size_t kSomeRows[] = {1, 15, 16, 17, 33};
constexpr size_t kSomeM[] = {1, 2, 3, 5, 8, 17};
constexpr size_t kMaxRows = 33;
constexpr size_t kMaxM = 17;

struct NamedKernels {
    std::string name;
    const MatmulKernels* kernels;
};

std::vector<NamedKernels> kernels_here() {
    std::vector<NamedKernels> out;
    for (const Isa isa : kAllIsas)
        if (isa <= best_isa()) out.push_back({std::string(to_string(isa)), &matmul_kernels(isa)});
    if (best_isa() >= Isa::avx2)  // the emulation is compiled to AVX2
        out.push_back({"avx512 emulated", &avx512_emulated::kMatmulKernels});
    return out;
}

std::vector<size_t> some_cols(WeightType type) {
    switch (block_shape(type).cols) {
        case 1:
            return {1, 7, 172, 256};
        case 32:
            return {32, 96, 288};
        default:
            return {256, 768};
    }
}

/// A tensor with everything the naive models need, at the largest size; smaller ones are its
/// corner.
struct Sample {
    WeightType type;
    size_t cols;
    std::vector<std::byte> file;
    std::vector<float> weights;  // [kMaxRows][cols], dequantised
    std::vector<float> acts;     // [kMaxM][cols]

    Sample(WeightType t, size_t c, Rng& rng, Codes codes = Codes::any)
        : type(t),
          cols(c),
          file(random_weights(t, kMaxRows, c, rng, codes)),
          weights(kMaxRows * c),
          acts(random_acts(kMaxM * c, rng, codes)) {
        for (size_t r = 0; r < kMaxRows; ++r)
            dequantise_row(t, std::span(file).subspan(r * row_size(), row_size()),
                           std::span(weights).subspan(r * c, c));
    }

    size_t row_size() const { return file.size() / kMaxRows; }

    Matrix matrix(size_t rows, const MatmulKernels& kernels, Compute compute, Pool& pool) const {
        return Matrix::make(type, rows, cols, std::span(file).first(rows * row_size()), kernels,
                            compute, pool)
            .value();
    }
};

/// What an output should be, and how far off a right kernel may be.
struct Expected {
    double value = 0;
    double bound = 0;
};
using Model = std::vector<Expected>;  // [kMaxM][kMaxRows]

/// Float activations. Four chains of padded / 4 products and sums, then two sums: each term passes
/// at most padded / 4 + 2 sums and, where multiplying is not fused, one product.
Model float_model(const Sample& s) {
    const double steps = static_cast<double>((s.cols + 7) / 8 * 2 + 3);
    Model out(kMaxM * kMaxRows);
    for (size_t i = 0; i < kMaxM; ++i)
        for (size_t r = 0; r < kMaxRows; ++r) {
            Expected& e = out[i * kMaxRows + r];
            double magnitude = 0;
            for (size_t c = 0; c < s.cols; ++c) {
                const double term = double{s.weights[r * s.cols + c]} * s.acts[i * s.cols + c];
                e.value += term;
                magnitude += std::abs(term);
            }
            e.bound = 1.01 * steps * kUnit * magnitude;
        }
    return out;
}

/// bf16 activations: the same, but a pair may be summed before it is added: two roundings a pair.
Model bf16_dot_model(const Sample& s) {
    Sample rounded = s;
    for (float& x : rounded.acts)
        x = bf16_to_float(float_to_bf16(x));
    return float_model(rounded);
}

/// One group of 32 activations as int8, the plain way.
struct NaiveGroup {
    float scale = 0;
    std::array<int, 32> codes{};
};

NaiveGroup quantise_naively(const float* x) {
    float largest = 0;
    for (int i = 0; i < 32; ++i)
        largest = std::max(largest, std::abs(x[i]));
    NaiveGroup out{.scale = largest / 127.0f};
    for (size_t i = 0; largest > 0 && i < 32; ++i)
        out.codes[i] = static_cast<int>(std::nearbyint(x[i] * (127.0f / largest)));
    return out;
}

/// int8 activations. The file's weight is scale * code + min, and sums over codes are exact
/// integers; per scale there are at most 2 roundings (scale_w * scale_a, a sum, and without fma a
/// product) of the dot part and 2 of the min part, and each term passes all later sums. `kept`
/// bounds the terms: the dot part is (w - min) * a over its group, so |w a| + 2 |min a| sums bound
/// both parts.
Model int8_model(const Sample& s) {
    const QuantTraits traits = quant_traits(s.type);
    const size_t group_cols = static_cast<size_t>(traits.group_cols);
    const double parts = static_cast<double>(s.cols / group_cols) * (traits.has_min ? 2 : 1);
    const BlockShape shape = block_shape(s.type);
    Model out(kMaxM * kMaxRows);
    for (size_t i = 0; i < kMaxM; ++i)
        for (size_t g = 0; g < s.cols / group_cols; ++g) {
            const size_t first = g * group_cols;
            const NaiveGroup acts = quantise_naively(&s.acts[i * s.cols + first / 32 * 32]);
            int code_sum = 0;
            for (size_t c = 0; c < group_cols; ++c)
                code_sum += acts.codes[first % 32 + c];
            for (size_t r = 0; r < kMaxRows; ++r) {
                const QuantBlock block = read_block(
                    s.type, &s.file[r * s.row_size() + first / shape.cols * shape.bytes]);
                const size_t in_block = first % shape.cols / group_cols;
                const int sc = traits.scale_is_signed ? static_cast<int8_t>(block.scales[in_block])
                                                      : block.scales[in_block];
                int dot = 0;
                for (size_t c = 0; c < group_cols; ++c)
                    dot += (block.codes[first % shape.cols + c] - traits.offset) *
                           acts.codes[first % 32 + c];
                const double scale = double{acts.scale} * f16_to_float(block.d) * sc;
                const double min = traits.has_min ? double{acts.scale} * f16_to_float(block.m) *
                                                        block.mins[in_block]
                                                  : 0;
                Expected& e = out[i * kMaxRows + r];
                e.value += scale * dot + min * code_sum;
                e.bound +=
                    1.01 * (parts + 2) * kUnit * (std::abs(scale * dot) + std::abs(min * code_sum));
            }
        }
    return out;
}

Model model_of(const Sample& s, const MatmulKernels& kernels, Compute compute) {
    if (compute == Compute::exact) return float_model(s);
    if (is_quantised(s.type)) return int8_model(s);
    const bool dots = s.type == WeightType::bf16 && kernels.multiply_bf16_dot != nullptr;
    return dots ? bf16_dot_model(s) : float_model(s);
}

std::vector<float> run(const Matrix& matrix, const float* acts, size_t m, Pool& pool) {
    std::vector<float> out(m * matrix.rows(), std::numeric_limits<float>::quiet_NaN());
    MatmulScratch scratch;
    matmul(matrix, acts, m, out.data(), scratch, pool);
    return out;
}

void expect_model(const Model& model, std::span<const float> out, size_t rows, size_t m) {
    for (size_t i = 0; i < m; ++i)
        for (size_t r = 0; r < rows; ++r) {
            const Expected& e = model[i * kMaxRows + r];
            ASSERT_NEAR(out[i * rows + r], e.value, e.bound) << "row " << i << ", output " << r;
        }
}

template <typename F>
void for_all(F&& body) {
    for (const NamedKernels& set : kernels_here())
        for (const WeightType type : kAllWeightTypes)
            for (const Compute compute : {Compute::fast, Compute::exact}) {
                SCOPED_TRACE(concat(set.name, " ", to_string(type),
                                    compute == Compute::fast ? " fast" : " exact"));
                body(type, *set.kernels, compute);
            }
}

TEST(Matmul, agrees_with_plain_loops_at_odd_sizes) {
    Pool pool(2);
    for_all([&](WeightType type, const MatmulKernels& kernels, Compute compute) {
        Rng rng(7);
        for (const size_t cols : some_cols(type)) {
            const Sample sample(type, cols, rng);
            const Model model = model_of(sample, kernels, compute);
            for (const size_t rows : kSomeRows) {
                const Matrix matrix = sample.matrix(rows, kernels, compute, pool);
                for (const size_t m : kSomeM) {
                    SCOPED_TRACE(concat("m ", m, ", [", rows, "][", cols, "]"));
                    expect_model(model, run(matrix, sample.acts.data(), m, pool), rows, m);
                }
            }
        }
    });
}

TEST(Matmul, never_saturates_on_extreme_codes) {
    Pool pool(1);
    for_all([&](WeightType type, const MatmulKernels& kernels, Compute compute) {
        Rng rng(8);
        const Sample sample(type, 256, rng, Codes::extreme);
        const Matrix matrix = sample.matrix(kMaxRows, kernels, compute, pool);
        expect_model(model_of(sample, kernels, compute),
                     run(matrix, sample.acts.data(), kMaxM, pool), kMaxRows, kMaxM);
    });
}

/// Rounding an activation to int8 moves it by at most half a code, and a hair for the inverse's
/// rounding: 0.501 * largest / 127 of its 32.
TEST(Matmul, stays_within_the_rounding_of_activations_when_fast) {
    Pool pool(1);
    for (const WeightType type : kAllWeightTypes) {
        if (!is_quantised(type)) continue;
        SCOPED_TRACE(to_string(type));
        Rng rng(9);
        const Sample s(type, 768, rng);
        const Model exact = float_model(s);
        const Model fast = int8_model(s);
        const Matrix matrix = s.matrix(kMaxRows, matmul_kernels(best_isa()), Compute::fast, pool);
        const std::vector<float> out = run(matrix, s.acts.data(), kMaxM, pool);
        for (size_t i = 0; i < kMaxM; ++i)
            for (size_t r = 0; r < kMaxRows; ++r) {
                double bound = fast[i * kMaxRows + r].bound;
                for (size_t c = 0; c < s.cols; ++c)
                    bound += std::abs(double{s.weights[r * s.cols + c]}) * 0.501 *
                             quantise_naively(&s.acts[i * s.cols + c / 32 * 32]).scale;
                ASSERT_NEAR(out[i * kMaxRows + r], exact[i * kMaxRows + r].value, bound);
            }
    }
}

TEST(Matmul, gives_a_row_the_same_bits_in_any_batch_and_on_any_threads) {
    Pool one(1), two(2);
    for_all([&](WeightType type, const MatmulKernels& kernels, Compute compute) {
        Rng rng(10);
        const size_t cols = some_cols(type).back();
        const Sample sample(type, cols, rng);
        const Matrix matrix = sample.matrix(kMaxRows, kernels, compute, one);
        const std::vector<float> together = run(matrix, sample.acts.data(), kMaxM, one);
        ASSERT_EQ(run(matrix, sample.acts.data(), kMaxM, two), together);
        for (const size_t m : kSomeM)
            for (size_t first = 0; first + m <= kMaxM; first += m) {
                const std::vector<float> some = run(matrix, &sample.acts[first * cols], m, two);
                const auto same = std::span(together).subspan(first * kMaxRows, m * kMaxRows);
                ASSERT_TRUE(std::equal(some.begin(), some.end(), same.begin())) << m << " rows";
            }
    });
}

TEST(Matmul, gives_the_same_bits_on_avx2_and_avx512) {
    if (best_isa() < Isa::avx2) GTEST_SKIP() << "needs AVX2";
    Pool pool(1);
    for (const NamedKernels& set : kernels_here()) {
        if (!set.name.starts_with("avx512")) continue;
        for (const WeightType type : kAllWeightTypes)
            for (const Compute compute : {Compute::fast, Compute::exact}) {
                if (type == WeightType::bf16 && compute == Compute::fast) continue;  // bf16 dots
                SCOPED_TRACE(concat(set.name, " ", to_string(type)));
                Rng rng(11);
                const Sample s(type, some_cols(type).back(), rng);
                const Matrix wide = s.matrix(kMaxRows, *set.kernels, compute, pool);
                const Matrix half = s.matrix(kMaxRows, avx2::kMatmulKernels, compute, pool);
                ASSERT_EQ(run(wide, s.acts.data(), kMaxM, pool),
                          run(half, s.acts.data(), kMaxM, pool));
            }
    }
}

TEST(Matmul, runs_several_matrices_as_it_runs_each) {
    Pool pool(2);
    constexpr WeightType kMixed[] = {WeightType::q4_k, WeightType::f16, WeightType::q6_k,
                                     WeightType::bf16};
    for (const NamedKernels& set : kernels_here()) {
        SCOPED_TRACE(set.name);
        Rng rng(12);
        std::vector<Matrix> matrices;
        const std::vector<float> acts = random_acts(5 * 256, rng);
        for (size_t j = 0; j < std::size(kMixed); ++j) {
            const size_t rows = 17 + 16 * j;
            matrices.push_back(Matrix::make(kMixed[j], rows, 256,
                                            random_weights(kMixed[j], rows, 256, rng), *set.kernels,
                                            j == 2 ? Compute::exact : Compute::fast, pool)
                                   .value());
        }
        std::vector<std::vector<float>> out;
        for (const Matrix& matrix : matrices)
            out.emplace_back(5 * matrix.rows());
        std::vector<MatmulJob> jobs;
        for (size_t j = 0; j < matrices.size(); ++j)
            jobs.push_back({&matrices[j], out[j].data()});
        MatmulScratch scratch;
        matmul(jobs, acts.data(), 5, scratch, pool);
        for (size_t j = 0; j < matrices.size(); ++j)
            ASSERT_EQ(out[j], run(matrices[j], acts.data(), 5, pool)) << j;
    }
}

TEST(Matmul, adds_to_what_is_there_when_asked) {
    Pool pool(1);
    for_all([&](WeightType type, const MatmulKernels& kernels, Compute compute) {
        Rng rng(13);
        const Sample s(type, 256, rng);
        const Matrix matrix = s.matrix(kMaxRows, kernels, compute, pool);
        const std::vector<float> alone = run(matrix, s.acts.data(), 3, pool);
        std::vector<float> sum = random_acts(alone.size(), rng);
        std::vector<float> expected = sum;
        for (size_t i = 0; i < alone.size(); ++i)
            expected[i] += alone[i];
        MatmulScratch scratch;
        matmul(matrix, s.acts.data(), 3, sum.data(), scratch, pool, true);
        ASSERT_EQ(sum, expected);
    });
}

TEST(Matmul, shows_what_is_not_a_number_in_its_own_row_only) {
    Pool pool(1);
    for_all([&](WeightType type, const MatmulKernels& kernels, Compute compute) {
        Rng rng(14);
        const Sample s(type, 256, rng);
        const Matrix matrix = s.matrix(kMaxRows, kernels, compute, pool);
        const std::vector<float> clean = run(matrix, s.acts.data(), 3, pool);
        for (const float bad :
             {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
            std::vector<float> acts(s.acts.begin(), s.acts.begin() + 3 * 256);
            acts[256 + 77] = bad;
            const std::vector<float> out = run(matrix, acts.data(), 3, pool);
            for (size_t r = 0; r < kMaxRows; ++r) {
                ASSERT_EQ(out[r], clean[r]);
                ASSERT_FALSE(std::isfinite(out[kMaxRows + r])) << bad << " in output " << r;
                ASSERT_EQ(out[2 * kMaxRows + r], clean[2 * kMaxRows + r]);
            }
        }
    });
}

TEST(Matmul, takes_zeros_and_subnormal_activations_for_what_they_are) {
    Pool pool(1);
    for_all([&](WeightType type, const MatmulKernels& kernels, Compute compute) {
        Rng rng(15);
        const Sample s(type, 256, rng);
        const Matrix matrix = s.matrix(kMaxRows, kernels, compute, pool);
        std::vector<float> acts(2 * 256);
        std::fill(acts.begin() + 256, acts.end(), 0x1p-140f);
        const std::vector<float> out = run(matrix, acts.data(), 2, pool);
        for (size_t r = 0; r < kMaxRows; ++r) {
            ASSERT_EQ(out[r], 0.0f);
            ASSERT_LT(std::abs(out[kMaxRows + r]), 0x1p-100f);
        }
    });
}

TEST(Matrix, refuses_shapes_that_do_not_fit) {
    Pool pool(1);
    const std::vector<std::byte> bytes(1024);
    const auto code_of = [&](WeightType type, size_t rows, size_t cols) {
        return Matrix::make(type, rows, cols, bytes, Isa::portable, Compute::fast, pool)
            .error()
            .code;
    };
    EXPECT_EQ(code_of(WeightType::q8_0, 4, 172), Code::unsupported);
    EXPECT_EQ(code_of(WeightType::f32, 4, 0), Code::unsupported);
    EXPECT_EQ(code_of(WeightType::f32, 0, 256), Code::invalid_argument);
    EXPECT_EQ(code_of(WeightType::f32, 2, 256), Code::corrupt);
    EXPECT_EQ(code_of(WeightType::f32, size_t{1} << 62, 256), Code::corrupt);
}

}  // namespace
}  // namespace brigada
