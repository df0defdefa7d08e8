// PrefixIndex: which upstream holds how much of a prompt. Fed by what was routed or by engine
// events, and corrected by what upstreams report: where reports fall short of what was predicted,
// it believes less, until they agree again.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/rng.h"
#include "kv/block_key.h"
#include "route/by_upstream.h"
#include "route/held_blocks.h"
#include "route/upstream.h"

namespace brigada {

/// Falling short by less than this proves nothing: engines compute the last block anew and may
/// count in blocks of up to 128 tokens.
inline constexpr uint32_t kReportSlackBlocks = 8;

/// What the index said about one call at one upstream, to be compared with what came of it.
struct Prediction {
    uint32_t held_blocks = 0;      // of the prompt, as the index has them
    uint32_t expected_blocks = 0;  // of these, what it trusts to be there
    uint32_t free_blocks = 0;      // that it may take before it has to evict
    bool keeps_nothing = false;    // no room for any block
};

class PrefixIndex {
  public:
    explicit PrefixIndex(Rng rng);

    /// An upstream whose KV cache has room for so many blocks. One that is known starts anew.
    void add(UpstreamId upstream, uint32_t capacity_blocks);
    void remove(UpstreamId upstream);
    bool contains(UpstreamId upstream) const { return beliefs_.find(upstream) != nullptr; }

    /// For each of these upstreams, which are known and in ascending order.
    std::vector<Prediction> predict(std::span<const UpstreamId> upstreams,
                                    std::span<const BlockKey> keys) const;
    Prediction predict(UpstreamId upstream, std::span<const BlockKey> keys) const;

    /// A prompt went there, so it holds the prompt's blocks from now on.
    void routed(UpstreamId upstream, std::span<const BlockKey> keys);

    /// The truth about a call: so many leading blocks had been cached.
    void reported(UpstreamId upstream, const Prediction& prediction, uint32_t cached_blocks);

    /// Engine events. Their keys are ours, computed from the tokens they carry; events of an
    /// upstream that was removed meanwhile are ignored.
    void stored(UpstreamId upstream, std::optional<BlockKey> parent,
                std::span<const BlockKey> keys);
    void removed(UpstreamId upstream, std::span<const BlockKey> keys);
    void cleared(UpstreamId upstream);

    uint32_t trust_per_mille(UpstreamId upstream) const;
    const HeldBlocks& held(UpstreamId upstream) const;
    size_t bytes() const;

    void check() const;

  private:
    static constexpr uint32_t kFullTrust = 1000;

    struct Belief {
        Belief(uint32_t capacity_blocks, BlockHolders& holders) : held(capacity_blocks, holders) {}
        Prediction prediction(uint32_t held_blocks) const;

        HeldBlocks held;
        uint32_t trust_per_mille = kFullTrust;
    };

    std::unique_ptr<BlockHolders> holders_;  // where beliefs find it when the index moves
    ByUpstream<Belief> beliefs_;
};

}  // namespace brigada
