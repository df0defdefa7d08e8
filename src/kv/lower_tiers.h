// LowerTiers: which blocks that left the accelerator's memory lie in host RAM or on disk. Blocks
// come down when KvBooks evicts them and go on down as RAM fills; what is loaded is copied up and
// stays. It keeps the books, whoever owns it moves the bytes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kv/event_log.h"
#include "kv/recent_keys.h"

namespace brigada {

struct LowerTiersConfig {
    uint64_t ram_blocks = 0;
    uint64_t disk_blocks = 0;
};

/// What of a run of keys is held without a hole, first key first.
struct TierRun {
    uint32_t blocks = 0;
    uint32_t disk_blocks = 0;         // of those, only on disk
    uint32_t blocks_before_disk = 0;  // of those, before the first that is only on disk
};

/// Blocks since construction.
struct LowerTiersStats {
    uint64_t to_ram = 0;   // written from above
    uint64_t to_disk = 0;  // written from RAM
    uint64_t dropped = 0;  // left the lowest tier
};

class LowerTiers {
  public:
    explicit LowerTiers(const LowerTiersConfig& config);

    /// What left the accelerator's memory lies here from now on; where it still did, nothing is
    /// written. Within one eviction the deepest block comes first, so it is the first to go here.
    void learn(const std::vector<KvEvent>& events);

    TierRun find(std::span<const BlockKey> keys) const;

    /// These were loaded: they are in RAM, where there is one, and used last, the first key last of
    /// all.
    void loaded(std::span<const BlockKey> keys);

    uint64_t ram_blocks() const { return ram_.size(); }
    uint64_t disk_blocks() const { return disk_.size(); }
    const LowerTiersStats& stats() const { return stats_; }
    void check() const;

  private:
    void put(BlockKey key);
    void put_on_disk(BlockKey key);

    RecentKeys ram_;
    RecentKeys disk_;
    LowerTiersStats stats_;
};

}  // namespace brigada
