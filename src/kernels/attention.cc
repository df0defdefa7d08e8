#include "kernels/attention.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <utility>
#include <vector>

#include "base/check.h"
#include "kernels/aligned_buffer.h"
#include "kernels/attention_kernels.h"

namespace brigada {

namespace portable {
extern const AttentionKernels kAttentionKernels;
}
namespace avx2 {
extern const AttentionKernels kAttentionKernels;
}
namespace avx512 {
extern const AttentionKernels kAttentionKernels;
}

const AttentionKernels& attention_kernels(Isa isa) {
    CHECK(isa <= best_isa(), to_string(isa), " does not run here");
    switch (isa) {
        case Isa::portable:
            return portable::kAttentionKernels;
        case Isa::avx2:
            return avx2::kAttentionKernels;
        case Isa::avx512:
            return avx512::kAttentionKernels;
    }
    CHECK(false, "isa=", static_cast<int>(isa));
}

namespace {

/// Work that one thread does for each KV head. Either a tile of one chunk's rows over all their
/// keys, or, for chunks so small that they are a single tile, one span for one or more chunks that
/// hold the same blocks there.
struct Unit {
    bool is_span = false;
    uint32_t first = 0;  // tile: its first row; span: its index in members
    uint32_t count = 0;  // rows of the tile; members of the span
    uint32_t chunk = 0;  // of the tile
    uint32_t span = 0;
};

/// A chunk whose spans are computed apart and merged by whoever finishes the last.
struct SplitChunk {
    uint32_t chunk = 0;
    uint32_t rows = 0;  // queries times heads of a group
    uint32_t first_span = 0;
    uint32_t spans = 0;
    size_t partials = 0;      // offset of [kv_heads][spans][rows] partials
    uint32_t unfinished = 0;  // offset of [kv_heads] counters
};

}  // namespace

struct AttentionScratch::Parts {
    AlignedBuffer workspaces;
    AlignedBuffer partials;
    std::vector<Unit> units;
    std::vector<SplitChunk> split;
    std::vector<uint32_t> members;  // indices into split
    std::vector<std::vector<uint32_t>> groups, next_groups;
    std::unique_ptr<std::atomic<uint32_t>[]> unfinished;
    size_t unfinished_size = 0;
};

AttentionScratch::AttentionScratch() : parts_(std::make_unique<Parts>()) {}
AttentionScratch::~AttentionScratch() = default;
AttentionScratch::AttentionScratch(AttentionScratch&&) noexcept = default;
AttentionScratch& AttentionScratch::operator=(AttentionScratch&&) noexcept = default;

namespace {

float* floats_of(AlignedBuffer& buffer) {
    return reinterpret_cast<float*>(buffer.data());
}

class Attention {
  public:
    Attention(const AttentionKernels& kernels, std::span<const AttentionChunk> chunks,
              const AttentionShape& shape, const KvArena& arena, AttentionScratch::Parts& parts)
        : kernels_(kernels),
          chunks_(chunks),
          shape_(shape),
          arena_(arena),
          parts_(parts),
          group_(shape.heads / shape.kv_heads),
          partial_floats_(PartialLayout::floats(arena.layout.v_width())) {}

    void run(Pool& pool) {
        cut_large_chunks();
        cut_small_chunks();
        parts_.workspaces.reserve(pool.threads() * workspace_floats() * sizeof(float));
        float* workspaces = floats_of(parts_.workspaces);
        pool.run(parts_.units.size() * shape_.kv_heads, [&](size_t task, unsigned worker) {
            const Unit& unit = parts_.units[task / shape_.kv_heads];
            const auto head = static_cast<uint32_t>(task % shape_.kv_heads);
            float* workspace = workspaces + worker * workspace_floats();
            unit.is_span ? attend_span(unit, head, workspace) : attend_tile(unit, head, workspace);
        });
    }

  private:
    // --- which work there is -------------------------------------------------------------------

    bool is_small(const AttentionChunk& chunk) const {
        return uint64_t{chunk.count} * group_ <= kMaxSpanRows;
    }

    /// Tiles of large chunks, those with most keys first, so that the last to finish are short.
    void cut_large_chunks() {
        parts_.units.clear();
        for (uint32_t i = 0; i < chunks_.size(); ++i) {
            if (is_small(chunks_[i])) continue;
            const uint32_t rows = chunks_[i].count * group_;
            for (uint32_t end = rows; end > 0;) {
                const uint32_t first = (end - 1) / kMaxSpanRows * kMaxSpanRows;
                parts_.units.push_back({.first = first, .count = end - first, .chunk = i});
                end = first;
            }
        }
    }

    /// Spans of small chunks. Chunks that share the blocks of a span are one unit there.
    void cut_small_chunks() {
        parts_.split.clear();
        size_t partials = 0, counters = 0;
        uint32_t spans_end = 0;
        for (uint32_t i = 0; i < chunks_.size(); ++i) {
            const AttentionChunk& chunk = chunks_[i];
            if (chunk.count == 0 || !is_small(chunk)) continue;
            SplitChunk split{.chunk = i, .rows = chunk.count * group_};
            const uint32_t last = chunk.first_position + chunk.count - 1;
            split.first_span = first_key_of(chunk.first_position) / kSpanKeys;
            split.spans = last / kSpanKeys + 1 - split.first_span;
            split.partials = partials;
            split.unfinished = static_cast<uint32_t>(counters);
            partials += size_t{shape_.kv_heads} * split.spans * split.rows * partial_floats_;
            counters += shape_.kv_heads;
            spans_end = std::max(spans_end, last / kSpanKeys + 1);
            parts_.split.push_back(split);
        }
        parts_.partials.reserve(partials * sizeof(float));
        reset_counters(counters);
        group_by_blocks(spans_end);
    }

    void reset_counters(size_t count) {
        if (count > parts_.unfinished_size) {
            parts_.unfinished = std::make_unique<std::atomic<uint32_t>[]>(count);
            parts_.unfinished_size = count;
        }
        for (const SplitChunk& split : parts_.split)
            for (uint32_t head = 0; head < shape_.kv_heads; ++head)
                parts_.unfinished[split.unfinished + head].store(split.spans,
                                                                 std::memory_order_relaxed);
    }

    /// Shared blocks are a shared beginning, so members of a group at one span can only part at the
    /// next. Under a window beginnings are not read and nobody shares.
    void group_by_blocks(uint32_t spans_end) {
        parts_.members.clear();
        parts_.groups.clear();
        for (uint32_t i = 0; i < parts_.split.size(); ++i)
            if (shape_.window == 0 && i > 0)
                parts_.groups[0].push_back(i);
            else
                parts_.groups.push_back({i});
        for (uint32_t span = 0; span < spans_end; ++span) {
            part_groups(span);
            for (const auto& group : parts_.groups)
                add_span_units(span, group);
        }
    }

    /// Splits each group by the blocks of `span`; whoever does not fill the span is left alone.
    void part_groups(uint32_t span) {
        auto& next = parts_.next_groups;
        next.clear();
        for (auto& group : parts_.groups) {
            if (group.size() == 1) {
                next.push_back(std::move(group));
                continue;
            }
            const size_t first_new = next.size();
            for (uint32_t member : group) {
                const auto same = std::find_if(
                    next.begin() + static_cast<ptrdiff_t>(first_new), next.end(),
                    [&](const auto& other) { return share_span(other[0], member, span); });
                if (same != next.end())
                    same->push_back(member);
                else
                    next.push_back({member});
            }
        }
        std::swap(parts_.groups, next);
    }

    bool share_span(uint32_t a, uint32_t b, uint32_t span) const {
        const std::span<const BlockId> first = chunks_[parts_.split[a].chunk].blocks;
        const std::span<const BlockId> second = chunks_[parts_.split[b].chunk].blocks;
        const size_t begin = size_t{span} * kSpanBlocks;
        if (std::min(first.size(), second.size()) < begin + kSpanBlocks) return false;
        return std::ranges::equal(first.subspan(begin, kSpanBlocks),
                                  second.subspan(begin, kSpanBlocks));
    }

    /// One unit per kMaxSpanRows rows of those members that have keys in the span.
    void add_span_units(uint32_t span, const std::vector<uint32_t>& group) {
        uint32_t rows = kMaxSpanRows + 1;  // begin with a new unit
        for (uint32_t member : group) {
            const SplitChunk& split = parts_.split[member];
            if (span < split.first_span || span >= split.first_span + split.spans) continue;
            if (rows + split.rows > kMaxSpanRows) {
                const auto first = static_cast<uint32_t>(parts_.members.size());
                parts_.units.push_back({.is_span = true, .first = first, .span = span});
                rows = 0;
            }
            rows += split.rows;
            parts_.members.push_back(member);
            ++parts_.units.back().count;
        }
    }

    // --- doing it ------------------------------------------------------------------------------

    uint32_t first_key_of(uint32_t position) const {
        return shape_.window == 0 || position < shape_.window ? 0 : position + 1 - shape_.window;
    }

    /// Row r of a chunk is its query r / group_, head r % group_ of KV head `head`.
    size_t offset_in_token(uint32_t row, uint32_t head) const {
        return (size_t{head} * group_ + row % group_) * shape_.head_dim;
    }
    SpanRow span_row(const AttentionChunk& chunk, uint32_t row, uint32_t head,
                     float* partial) const {
        const uint32_t query = row / group_;
        const uint32_t position = chunk.first_position + query;
        return {.q = chunk.q + query * chunk.q_stride + offset_in_token(row, head),
                .partial = partial,
                .first_key = first_key_of(position),
                .end_key = position + 1};
    }
    float* out_of(const AttentionChunk& chunk, uint32_t row, uint32_t head) const {
        return chunk.out + row / group_ * chunk.out_stride + offset_in_token(row, head);
    }

    /// The head's regions of one span, and of what is read next: the next head or, in a tile and
    /// after the last head, the next span. The arena's start where there is no block or nobody
    /// looks.
    using Regions = std::array<const std::byte*, kSpanBlocks + kLookaheadBlocks>;
    Regions regions_of(const AttentionChunk& chunk, uint32_t span, uint32_t head,
                       bool head_by_head) const {
        Regions regions;
        const bool next_head = head_by_head && head + 1 < shape_.kv_heads;
        const size_t seen = first_key_of(chunk.first_position) / kKvBlockTokens;
        for (size_t i = 0; i < regions.size(); ++i) {
            const bool ahead = i >= kSpanBlocks;
            const size_t block =
                size_t{span} * kSpanBlocks + (ahead && next_head ? i - kSpanBlocks : i);
            const uint32_t of_head = !ahead || !head_by_head ? head : next_head ? head + 1 : 0;
            const bool readable = block >= seen && block < chunk.blocks.size();
            regions[i] = readable ? arena_.region(chunk.blocks[block], of_head) : arena_.bytes;
        }
        return regions;
    }

    using Rows = std::array<SpanRow, kMaxSpanRows>;
    void attend_rows(const Regions& regions, uint32_t span, const Rows& rows, uint32_t count,
                     float* workspace) const {
        const SpanJob job{.regions = regions.data(),
                          .first_key = span * kSpanKeys,
                          .rows = rows.data(),
                          .row_count = count,
                          .head_dim = shape_.head_dim,
                          .scale = shape_.scale,
                          .workspace = workspace};
        kernels_.attend_span[static_cast<size_t>(arena_.layout.type)](job);
    }

    /// For the job, and then a partial and a total for each row of a tile.
    size_t workspace_floats() const {
        return SpanJob::workspace_floats(shape_.head_dim) + 2 * kMaxSpanRows * partial_floats_;
    }

    void attend_tile(const Unit& unit, uint32_t head, float* workspace) const {
        const AttentionChunk& chunk = chunks_[unit.chunk];
        float* partials = workspace + SpanJob::workspace_floats(shape_.head_dim);
        float* totals = partials + kMaxSpanRows * partial_floats_;
        Rows rows;
        for (uint32_t r = 0; r < unit.count; ++r) {
            rows[r] = span_row(chunk, unit.first + r, head, partials + r * partial_floats_);
            clear(totals + r * partial_floats_);
        }
        const uint32_t spans_end = (rows[unit.count - 1].end_key - 1) / kSpanKeys + 1;
        for (uint32_t span = rows[0].first_key / kSpanKeys; span < spans_end; ++span) {
            attend_rows(regions_of(chunk, span, head, false), span, rows, unit.count, workspace);
            for (uint32_t r = 0; r < unit.count; ++r)
                kernels_.merge(totals + r * partial_floats_, rows[r].partial,
                               arena_.layout.v_width());
        }
        for (uint32_t r = 0; r < unit.count; ++r)
            kernels_.finish(totals + r * partial_floats_, shape_.head_dim,
                            out_of(chunk, unit.first + r, head));
    }

    void attend_span(const Unit& unit, uint32_t head, float* workspace) const {
        const std::span members(parts_.members.data() + unit.first, unit.count);
        Rows rows;
        uint32_t count = 0;
        for (uint32_t member : members) {
            const SplitChunk& split = parts_.split[member];
            for (uint32_t r = 0; r < split.rows; ++r)
                rows[count++] =
                    span_row(chunks_[split.chunk], r, head, partial_of(split, head, unit.span, r));
        }
        const AttentionChunk& any = chunks_[parts_.split[members[0]].chunk];
        attend_rows(regions_of(any, unit.span, head, true), unit.span, rows, count, workspace);
        for (uint32_t member : members)
            finish_span(parts_.split[member], head, workspace);
    }

    float* partial_of(const SplitChunk& split, uint32_t head, uint32_t span, uint32_t row) const {
        const size_t index =
            (size_t{head} * split.spans + span - split.first_span) * split.rows + row;
        return floats_of(parts_.partials) + split.partials + index * partial_floats_;
    }

    /// Whoever finishes a chunk's last span for a head merges them all.
    void finish_span(const SplitChunk& split, uint32_t head, float* workspace) const {
        if (parts_.unfinished[split.unfinished + head].fetch_sub(1, std::memory_order_acq_rel) != 1)
            return;
        for (uint32_t r = 0; r < split.rows; ++r) {
            clear(workspace);
            for (uint32_t span = split.first_span; span < split.first_span + split.spans; ++span)
                kernels_.merge(workspace, partial_of(split, head, span, r),
                               arena_.layout.v_width());
            kernels_.finish(workspace, shape_.head_dim, out_of(chunks_[split.chunk], r, head));
        }
    }

    void clear(float* partial) const {
        std::fill_n(partial, partial_floats_, 0.0f);
        partial[PartialLayout::kGreatest] = -std::numeric_limits<float>::infinity();
    }

    const AttentionKernels& kernels_;
    std::span<const AttentionChunk> chunks_;
    const AttentionShape& shape_;
    const KvArena& arena_;
    AttentionScratch::Parts& parts_;
    uint32_t group_;  // heads per KV head
    size_t partial_floats_;
};

/// Positions of `count` tokens from `first` lie in a table of `blocks` blocks.
bool covered(uint32_t first, uint32_t count, size_t blocks) {
    return uint64_t{first} + count <= uint64_t{blocks} * kKvBlockTokens;
}

}  // namespace

void attend(const AttentionKernels& kernels, std::span<const AttentionChunk> chunks,
            const AttentionShape& shape, const KvArena& arena, AttentionScratch& scratch,
            Pool& pool) {
    CHECK(shape.kv_heads > 0 && shape.heads % shape.kv_heads == 0, shape.heads, " heads, ",
          shape.kv_heads, " KV heads");
    CHECK(shape.head_dim > 0 && shape.head_dim % 8 == 0, "head_dim=", shape.head_dim);
    CHECK(arena.layout.kv_heads == shape.kv_heads && arena.layout.head_dim == shape.head_dim);
    for (const AttentionChunk& chunk : chunks)
        CHECK(covered(chunk.first_position, chunk.count, chunk.blocks.size()), "position ",
              chunk.first_position, " + ", chunk.count, " in ", chunk.blocks.size(), " blocks");
    Attention(kernels, chunks, shape, arena, scratch.parts()).run(pool);
}

void write_kv(const AttentionKernels& kernels, std::span<const KvRows> rows, const KvArena& arena,
              Pool& pool) {
    const KvLayout& layout = arena.layout;
    const auto write_token = kernels.write_token[static_cast<size_t>(layout.type)];
    const auto write = [&](const KvRows& tokens, uint32_t head) {
        CHECK(covered(tokens.first_position, tokens.count, tokens.blocks.size()), "position ",
              tokens.first_position, " + ", tokens.count, " in ", tokens.blocks.size(), " blocks");
        for (uint32_t i = 0; i < tokens.count; ++i) {
            const uint32_t position = tokens.first_position + i;
            const size_t from = i * tokens.stride + size_t{head} * layout.head_dim;
            write_token(tokens.k + from, tokens.v + from, layout.head_dim,
                        position % kKvBlockTokens,
                        arena.region(tokens.blocks[position / kKvBlockTokens], head));
        }
    };
    pool.run(rows.size() * layout.kv_heads, [&](size_t task, unsigned) {
        write(rows[task / layout.kv_heads], static_cast<uint32_t>(task % layout.kv_heads));
    });
}

}  // namespace brigada
