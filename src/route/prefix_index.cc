#include "route/prefix_index.h"

#include <algorithm>

#include "base/check.h"
#include "base/ids.h"

namespace brigada {
namespace {

// Each report moves the trust by an eighth of the difference: after ten prompts that were not found
// at all a quarter of it is left, after ten good ones it is back.
constexpr uint32_t kTrustWindow = 8;

// Losing what we think is held means less room than what we think is held: an eighth off that for
// each such report, a sixty-fourth of the capacity back for each that agrees.
constexpr uint32_t kShrink = 8;
constexpr uint32_t kGrow = 64;
constexpr uint32_t kSmallestShare = 16;  // of the capacity, below which the limit never falls

}  // namespace

PrefixIndex::PrefixIndex(Rng rng) : holders_(std::make_unique<BlockHolders>(rng.next())) {}

void PrefixIndex::add(UpstreamId upstream, uint32_t capacity_blocks) {
    beliefs_.emplace(upstream, capacity_blocks, *holders_);
}

void PrefixIndex::remove(UpstreamId upstream) {
    beliefs_.erase(upstream);
}

// --- predicting ---------------------------------------------------------------------------------

std::vector<Prediction> PrefixIndex::predict(std::span<const UpstreamId> upstreams,
                                             std::span<const BlockKey> keys) const {
    std::vector<const Belief*> beliefs;
    std::vector<uint32_t> holders;
    beliefs.reserve(upstreams.size());
    holders.reserve(upstreams.size());
    beliefs_.for_each_of(upstreams, [&](size_t, const Belief& belief) {
        beliefs.push_back(&belief);
        holders.push_back(belief.held.holder());
    });
    CHECK(beliefs.size() == upstreams.size(), "one of ", upstreams.size(), " is not known");
    const std::vector<uint32_t> held = holders_->match(keys, holders);
    std::vector<Prediction> predictions;
    predictions.reserve(upstreams.size());
    for (size_t i = 0; i < upstreams.size(); ++i)
        predictions.push_back(beliefs[i]->prediction(held[i]));
    return predictions;
}

Prediction PrefixIndex::predict(UpstreamId upstream, std::span<const BlockKey> keys) const {
    const Belief& belief = beliefs_.at(upstream);
    return belief.prediction(belief.held.match(keys));
}

Prediction PrefixIndex::Belief::prediction(uint32_t held_blocks) const {
    const uint64_t trusted = uint64_t{held_blocks} * trust_per_mille / kFullTrust;
    return {.held_blocks = held_blocks,
            .expected_blocks = static_cast<uint32_t>(trusted),
            .free_blocks = held.limit() - held.blocks(),
            .keeps_nothing = held.capacity() == 0};
}

// --- learning -----------------------------------------------------------------------------------

void PrefixIndex::routed(UpstreamId upstream, std::span<const BlockKey> keys) {
    if (Belief* belief = beliefs_.find(upstream)) belief->held.insert(keys);
}

void PrefixIndex::reported(UpstreamId upstream, const Prediction& prediction,
                           uint32_t cached_blocks) {
    Belief* belief = beliefs_.find(upstream);
    if (!belief || prediction.held_blocks <= kReportSlackBlocks) return;
    const bool fell_short = cached_blocks + kReportSlackBlocks < prediction.held_blocks;
    const uint64_t found =
        fell_short ? uint64_t{cached_blocks} * kFullTrust / prediction.held_blocks : kFullTrust;
    const uint64_t weighed = uint64_t{belief->trust_per_mille} * (kTrustWindow - 1) + found;
    belief->trust_per_mille = static_cast<uint32_t>(
        fell_short ? weighed / kTrustWindow : (weighed + kTrustWindow - 1) / kTrustWindow);

    HeldBlocks& held = belief->held;
    if (fell_short)
        held.set_limit(
            std::max(held.blocks() - held.blocks() / kShrink, held.capacity() / kSmallestShare));
    else
        held.set_limit(held.limit() + held.capacity() / kGrow + 1);
}

// --- engine events ------------------------------------------------------------------------------

void PrefixIndex::stored(UpstreamId upstream, std::optional<BlockKey> parent,
                         std::span<const BlockKey> keys) {
    if (Belief* belief = beliefs_.find(upstream)) belief->held.extend(parent, keys);
}

void PrefixIndex::removed(UpstreamId upstream, std::span<const BlockKey> keys) {
    Belief* belief = beliefs_.find(upstream);
    if (!belief) return;
    for (const BlockKey key : keys)
        belief->held.remove(key);
}

void PrefixIndex::cleared(UpstreamId upstream) {
    if (Belief* belief = beliefs_.find(upstream)) belief->held.clear();
}

// --- looking ------------------------------------------------------------------------------------

uint32_t PrefixIndex::trust_per_mille(UpstreamId upstream) const {
    return beliefs_.at(upstream).trust_per_mille;
}

const HeldBlocks& PrefixIndex::held(UpstreamId upstream) const {
    return beliefs_.at(upstream).held;
}

size_t PrefixIndex::bytes() const {
    size_t bytes = holders_->bytes();
    for (const auto& [upstream, belief] : beliefs_)
        bytes += belief->held.bytes();
    return bytes;
}

void PrefixIndex::check() const {
    holders_->check();
    size_t blocks = 0;
    for (const auto& [upstream, belief] : beliefs_) {
        CHECK(belief->trust_per_mille <= kFullTrust, "upstream ", raw(upstream));
        belief->held.check();
        blocks += belief->held.blocks();
    }
    CHECK(blocks == holders_->blocks());
}

}  // namespace brigada
