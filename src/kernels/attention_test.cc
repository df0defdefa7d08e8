#include "kernels/attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "base/half.h"
#include "base/rng.h"
#include "kernels/aligned_buffer.h"
#include "kernels/row_variants.h"

namespace brigada {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr KvType kTypes[] = {KvType::f32, KvType::f16, KvType::bf16};

std::vector<float> random_floats(Rng& rng, size_t n, double spread) {
    std::vector<float> out(n);
    for (float& x : out)
        x = static_cast<float>((rng.uniform() * 2 - 1) * spread);
    return out;
}

/// What the arena gives back for x: the compiler's own conversions.
double stored(KvType type, float x) {
    if (type == KvType::f16) return static_cast<double>(static_cast<_Float16>(x));
    if (type == KvType::bf16) return bf16_to_float(float_to_bf16(x));
    return x;
}

/// KV memory in which everything not yet written is NaN.
class TestArena {
  public:
    TestArena(KvLayout layout, uint32_t blocks) {
        memory_ = AlignedBuffer::allocate(blocks * layout.block_bytes());
        std::memset(memory_.data(), 0xff, memory_.size());  // a NaN in each of the types
        arena_ = {layout, memory_.data(), blocks};
    }
    const KvArena& arena() const { return arena_; }

  private:
    AlignedBuffer memory_;
    KvArena arena_;
};

/// A sequence: its tokens' q, k and v, and the blocks they live in.
struct Sequence {
    uint32_t tokens = 0;
    uint32_t shared = 0;         // of them, at the beginning, in blocks of sequence 0
    std::vector<float> q, k, v;  // [tokens][heads or kv_heads][head_dim]
    std::vector<BlockId> blocks;
};

/// Sequences over one arena, with block tables in random order.
struct World {
    World(Rng& rng, AttentionShape s, KvType kv_type, const std::vector<uint32_t>& lengths)
        : shape(s),
          type(kv_type),
          arena(KvLayout{kv_type, s.kv_heads, s.head_dim}, blocks_for(lengths)) {
        std::vector<BlockId> unused(blocks_for(lengths));
        for (uint32_t i = 0; i < unused.size(); ++i)
            unused[i] = BlockId{i};
        for (size_t i = unused.size(); i > 1; --i)
            std::swap(unused[i - 1], unused[rng.below(i)]);
        for (uint32_t length : lengths) {
            Sequence& sequence = sequences.emplace_back();
            sequence.tokens = length;
            sequence.q = random_floats(rng, length * q_width(), 2);
            sequence.k = random_floats(rng, length * kv_width(), 2);
            sequence.v = random_floats(rng, length * kv_width(), 1);
            const size_t blocks = (length + kKvBlockTokens - 1) / kKvBlockTokens;
            sequence.blocks.assign(unused.end() - static_cast<ptrdiff_t>(blocks), unused.end());
            unused.resize(unused.size() - blocks);
        }
    }

    static uint32_t blocks_for(const std::vector<uint32_t>& lengths) {
        uint32_t blocks = 8;
        for (uint32_t length : lengths)
            blocks += (length + kKvBlockTokens - 1) / kKvBlockTokens;
        return blocks;
    }

    /// Sequence i begins with the first `tokens` of sequence 0, in the same blocks.
    void share_beginning(size_t i, uint32_t tokens) {
        Sequence& sequence = sequences[i];
        std::copy_n(sequences[0].k.begin(), tokens * kv_width(), sequence.k.begin());
        std::copy_n(sequences[0].v.begin(), tokens * kv_width(), sequence.v.begin());
        std::copy_n(sequences[0].blocks.begin(), tokens / kKvBlockTokens, sequence.blocks.begin());
        sequence.shared = tokens;
    }

    size_t q_width() const { return size_t{shape.heads} * shape.head_dim; }
    size_t kv_width() const { return size_t{shape.kv_heads} * shape.head_dim; }

    void write(const AttentionKernels& kernels, Pool& pool) {
        std::vector<KvRows> rows;
        for (const Sequence& s : sequences)  // what is shared, sequence 0 writes
            rows.push_back({&s.k[s.shared * kv_width()], &s.v[s.shared * kv_width()], kv_width(),
                            s.shared, s.tokens - s.shared, s.blocks});
        write_kv(kernels, rows, arena.arena(), pool);
    }

    AttentionShape shape;
    KvType type;
    TestArena arena;
    std::vector<Sequence> sequences;
};

AttentionShape shape_of(uint32_t kv_heads, uint32_t group, uint32_t head_dim, uint32_t window = 0) {
    return {kv_heads * group, kv_heads, head_dim,
            static_cast<float>(1 / std::sqrt(static_cast<double>(head_dim))), window};
}

/// Attention of one query and head in double, over contiguous keys, and how far a float computation
/// may be from it.
///
/// With u = 2^-24, D = head_dim and A the largest scale * sum|q k| of the keys seen:
/// - a score is scaled and summed in at most 2 D roundings (two per term without fused
/// multiply-add):
///   its error is at most (2 D + 1) u A, and that of score - greatest at most 2 u A more;
/// - so a weight's relative error is (2 D + 3) u A + 2^-22, the last for exp; and whenever the
/// greatest
///   changes, at most once per tile of 64 keys and once per span of 512, it is multiplied by one
///   more exp of a difference of at most 2 A: 2^-22 + 3 u A + u each;
/// - sums of weights and of weighted values over n keys add at most 2 min(n, 512) roundings in a
/// span
///   and 2 per span merged.
/// Numerator and denominator each have this error, relative to sum(w |v|) / sum(w) <= max|v|.
struct Reference {
    std::vector<double> out;
    double bound = 0;
};
Reference naive(const World& world, const Sequence& sequence, uint32_t position, uint32_t head) {
    const AttentionShape& shape = world.shape;
    const size_t dim = shape.head_dim, kv_head = head / (shape.heads / shape.kv_heads);
    const uint32_t first =
        shape.window == 0 || position < shape.window ? 0 : position + 1 - shape.window;
    const float* q = &sequence.q[position * world.q_width() + head * dim];
    std::vector<double> weights;
    double greatest = -INFINITY, largest_sum = 0, largest_value = 0, total = 0;
    for (uint32_t key = first; key <= position; ++key) {
        double score = 0, absolute = 0;
        for (size_t d = 0; d < dim; ++d) {
            const double k =
                stored(world.type, sequence.k[key * world.kv_width() + kv_head * dim + d]);
            score += q[d] * k;
            absolute += std::abs(q[d] * k);
        }
        weights.push_back(score * shape.scale);
        greatest = std::max(greatest, weights.back());
        largest_sum = std::max(largest_sum, absolute * shape.scale);
    }
    for (double& weight : weights)
        total += weight = std::exp(weight - greatest);
    Reference result{.out = std::vector<double>(dim, 0.0)};
    for (uint32_t key = first; key <= position; ++key)
        for (size_t d = 0; d < dim; ++d) {
            const double v =
                stored(world.type, sequence.v[key * world.kv_width() + kv_head * dim + d]);
            result.out[d] += weights[key - first] / total * v;
            largest_value = std::max(largest_value, std::abs(v));
        }
    const double u = 0x1p-24, n = position + 1.0 - first;
    const double rescales = n / 64 + 1 + n / 512 + 2;
    const double weight_error = (2.0 * static_cast<double>(dim) + 3) * u * largest_sum + 0x1p-22 +
                                rescales * (0x1p-22 + 3 * u * largest_sum + u);
    const double sum_error = (2 * std::min(n, 512.0) + 2 * (n / 512 + 2) + 16) * u;
    result.bound = 2.1 * (weight_error + sum_error) * largest_value;
    return result;
}

/// Results of the queries first..first+count-1 of a sequence, as a chunk to be attended.
struct Answer {
    Answer(const World& world, const Sequence& sequence, uint32_t first, uint32_t count)
        : out(count * world.q_width(), kNan) {
        chunk = {.q = sequence.q.data() + first * world.q_width(),
                 .out = out.data(),
                 .q_stride = world.q_width(),
                 .out_stride = world.q_width(),
                 .first_position = first,
                 .count = count,
                 .blocks = sequence.blocks};
    }
    std::vector<float> out;
    AttentionChunk chunk;
};

std::vector<float> attend_chunk(const AttentionKernels& kernels, const World& world,
                                const Sequence& sequence, uint32_t first, uint32_t count,
                                Pool& pool) {
    Answer answer(world, sequence, first, count);
    AttentionScratch scratch;
    attend(kernels, {&answer.chunk, 1}, world.shape, world.arena.arena(), scratch, pool);
    return answer.out;
}

bool equal_bits(const std::vector<float>& a, const std::vector<float>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

AttentionShape random_shape(Rng& rng) {
    constexpr uint32_t kGroups[] = {1, 2, 3, 4, 8}, kDims[] = {8, 24, 32, 64, 80, 96, 128};
    const uint32_t window = rng.chance(0.3) ? static_cast<uint32_t>(rng.between(1, 600)) : 0;
    return shape_of(static_cast<uint32_t>(rng.between(1, 2)), kGroups[rng.below(5)],
                    kDims[rng.below(7)], window);
}

TEST(Attention, agrees_with_double_precision) {
    Pool pool(2);
    for (const RowVariant& variant : row_variants()) {
        Rng rng(1);
        for (int round = 0; round < 12; ++round) {
            const auto length = static_cast<uint32_t>(rng.between(1, 700));
            const KvType type = kTypes[round % 3];
            World world(rng, random_shape(rng), type, {length});
            SCOPED_TRACE(concat(variant.name, " round ", round, " ", to_string(type), " length ",
                                length, " heads ", world.shape.heads, "/", world.shape.kv_heads,
                                " dim ", world.shape.head_dim, " window ", world.shape.window));
            world.write(*variant.attention, pool);
            const Sequence& sequence = world.sequences[0];
            const uint32_t count = std::min<uint32_t>(length, 70);
            const uint32_t first = length - count;
            const std::vector<float> out =
                attend_chunk(*variant.attention, world, sequence, first, count, pool);
            for (uint32_t i = 0; i < count; i += 1 + i / 4)
                for (uint32_t head = 0; head < world.shape.heads; ++head) {
                    const Reference expected = naive(world, sequence, first + i, head);
                    for (size_t d = 0; d < world.shape.head_dim; ++d)
                        ASSERT_NEAR(out[i * world.q_width() + head * world.shape.head_dim + d],
                                    expected.out[d], expected.bound)
                            << "query " << i << " head " << head << " dimension " << d;
                }
        }
    }
}

TEST(Attention, gives_a_query_the_same_bits_in_any_chunk_and_on_any_threads) {
    Pool one(1), two(2);
    for (Isa isa : kAllIsas) {
        if (isa > best_isa()) continue;
        const AttentionKernels& kernels = attention_kernels(isa);
        Rng rng(2);
        for (int round = 0; round < 6; ++round) {
            const auto length = static_cast<uint32_t>(rng.between(1, 1300));
            World world(rng, random_shape(rng), kTypes[round % 3], {length});
            SCOPED_TRACE(concat(to_string(isa), " round ", round, " length ", length, " window ",
                                world.shape.window, " group ",
                                world.shape.heads / world.shape.kv_heads));
            world.write(kernels, one);
            const Sequence& sequence = world.sequences[0];
            const std::vector<float> whole = attend_chunk(kernels, world, sequence, 0, length, two);
            ASSERT_TRUE(equal_bits(whole, attend_chunk(kernels, world, sequence, 0, length, one)));
            for (uint32_t first = 0; first < length;) {  // cut anywhere, single queries included
                const auto most = rng.chance(0.5) ? 1u : 200u;
                const auto count =
                    std::min(length - first, static_cast<uint32_t>(rng.between(1, most)));
                const std::vector<float> part =
                    attend_chunk(kernels, world, sequence, first, count, two);
                const auto begin = whole.begin() + static_cast<ptrdiff_t>(first * world.q_width());
                ASSERT_TRUE(equal_bits(
                    part, {begin, begin + static_cast<ptrdiff_t>(count * world.q_width())}))
                    << "queries " << first << " + " << count;
                first += rng.chance(0.9) ? count + static_cast<uint32_t>(rng.below(60)) : count;
            }
        }
    }
}

TEST(Attention, gives_a_query_the_same_bits_whatever_else_is_in_the_call) {
    Pool pool(2);
    const AttentionKernels& kernels = attention_kernels(best_isa());
    Rng rng(3);
    for (int round = 0; round < 6; ++round) {
        World world(rng, random_shape(rng), kTypes[round % 3], {600, 1, 513, 90, 1100, 17});
        world.write(kernels, pool);
        std::vector<Answer> answers;
        std::vector<AttentionChunk> chunks;
        answers.reserve(world.sequences.size());
        for (const Sequence& sequence : world.sequences) {
            const uint32_t count = rng.chance(0.6) ? 1 : std::min<uint32_t>(sequence.tokens, 80);
            answers.emplace_back(world, sequence, sequence.tokens - count, count);
            chunks.push_back(answers.back().chunk);
        }
        AttentionScratch scratch;
        attend(kernels, chunks, world.shape, world.arena.arena(), scratch, pool);
        for (size_t i = 0; i < answers.size(); ++i)
            EXPECT_TRUE(equal_bits(answers[i].out,
                                   attend_chunk(kernels, world, world.sequences[i],
                                                chunks[i].first_position, chunks[i].count, pool)))
                << "sequence " << i << " round " << round;
    }
}

TEST(Attention, reads_shared_blocks_for_all_who_share_them_with_the_same_bits) {
    Pool pool(2);
    const AttentionKernels& kernels = attention_kernels(best_isa());
    Rng rng(4);
    for (uint32_t group : {1u, 3u, 8u}) {
        World world(rng, shape_of(2, group, 64), KvType::f16,
                    {1700, 1540, 1537, 1100, 1030, 1600, 1026, 700, 1555});
        for (size_t i = 1; i < 7; ++i)  // the last two share nothing
            world.share_beginning(i, i % 2 == 0 ? 1024 : 1040);
        world.write(kernels, pool);

        std::vector<Answer> answers;
        std::vector<AttentionChunk> chunks;
        answers.reserve(world.sequences.size());
        for (const Sequence& sequence : world.sequences) {
            answers.emplace_back(world, sequence, sequence.tokens - 1, 1);
            chunks.push_back(answers.back().chunk);
        }
        AttentionScratch scratch;
        attend(kernels, chunks, world.shape, world.arena.arena(), scratch, pool);
        for (size_t i = 0; i < answers.size(); ++i) {
            const Sequence& sequence = world.sequences[i];
            EXPECT_TRUE(equal_bits(answers[i].out, attend_chunk(kernels, world, sequence,
                                                                sequence.tokens - 1, 1, pool)))
                << "group " << group << " sequence " << i;
            const Reference expected = naive(world, sequence, sequence.tokens - 1, 0);
            for (size_t d = 0; d < world.shape.head_dim; ++d)
                EXPECT_NEAR(answers[i].out[d], expected.out[d], expected.bound);
        }
    }
}

TEST(Attention, never_touches_blocks_before_the_window) {
    Pool pool(2);
    for (const RowVariant& variant : row_variants()) {
        Rng rng(5);
        World world(rng, shape_of(2, 3, 32, 100), KvType::f16, {900});
        world.write(*variant.attention, pool);
        Sequence& sequence = world.sequences[0];
        for (uint32_t count : {1u, 40u}) {
            const uint32_t first = 900 - count;
            const auto whole =
                attend_chunk(*variant.attention, world, sequence, first, count, pool);
            Sequence forgetful = sequence;
            for (uint32_t i = 0; i < (first + 1 - 100) / kKvBlockTokens; ++i)
                forgetful.blocks[i] = BlockId{0xffffffff};
            EXPECT_TRUE(equal_bits(
                whole, attend_chunk(*variant.attention, world, forgetful, first, count, pool)))
                << variant.name;
        }
    }
}

TEST(Attention, is_the_same_bits_on_every_instruction_set_with_fused_multiply_add) {
    Pool pool(2);
    Rng rng(6);
    for (KvType type : kTypes) {
        World world(rng, shape_of(1, 5, 80), type, {620});
        std::vector<std::vector<float>> results;
        for (const RowVariant& variant : row_variants()) {
            if (!variant.fused) continue;
            world.write(*variant.attention, pool);
            results.push_back(
                attend_chunk(*variant.attention, world, world.sequences[0], 600, 20, pool));
            results.push_back(
                attend_chunk(*variant.attention, world, world.sequences[0], 600, 1, pool));
            results.back().insert(
                results.back().end(),
                results[results.size() - 2].begin() + static_cast<ptrdiff_t>(world.q_width()),
                results[results.size() - 2].end());
        }
        for (const auto& result : results)
            EXPECT_TRUE(equal_bits(result, results[0]));
    }
}

TEST(WriteKv, stores_what_the_compiler_converts_to) {
    Pool pool(1);
    Rng rng(7);
    for (const RowVariant& variant : row_variants()) {
        for (KvType type : kTypes) {
            const KvLayout layout{type, 1, 8};
            TestArena arena(layout, 1);
            const BlockId blocks[] = {BlockId{0}};
            for (int round = 0; round < 2000; ++round) {
                // Any bits: all exponents, subnormals, infinities, NaN.
                float values[16];
                for (float& x : values) {
                    x = std::bit_cast<float>(static_cast<uint32_t>(rng.next()));
                    if (rng.chance(0.7))
                        x = static_cast<float>((rng.uniform() - 0.5) *
                                               std::pow(2, rng.between(-26, 17)));
                }
                const KvRows rows{values, values + 8, 8, 5, 1, blocks};
                write_kv(*variant.attention, {&rows, 1}, arena.arena(), pool);
                for (size_t i = 0; i < 16; ++i) {
                    const size_t at = i < 8 ? i * 16 + 5 : 8 * 16 + 5 * layout.v_width() + i - 8;
                    float got = 0;
                    if (type == KvType::f32) {
                        std::memcpy(&got, arena.arena().bytes + at * 4, 4);
                    } else {
                        uint16_t bits = 0;
                        std::memcpy(&bits, arena.arena().bytes + at * 2, 2);
                        got = type == KvType::f16 ? f16_to_float(bits) : bf16_to_float(bits);
                    }
                    const float clamped = type == KvType::f16 && !std::isnan(values[i])
                                              ? std::clamp(values[i], -65504.0f, 65504.0f)
                                              : values[i];
                    const auto expected = static_cast<float>(stored(type, clamped));
                    if (std::isnan(expected))
                        ASSERT_TRUE(std::isnan(got)) << variant.name;
                    else
                        ASSERT_EQ(std::bit_cast<uint32_t>(got), std::bit_cast<uint32_t>(expected))
                            << variant.name << " " << to_string(type) << " " << values[i];
                }
            }
        }
    }
}

}  // namespace
}  // namespace brigada
