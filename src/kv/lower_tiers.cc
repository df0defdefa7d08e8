#include "kv/lower_tiers.h"

#include <variant>

namespace brigada {

LowerTiers::LowerTiers(const LowerTiersConfig& config)
    : ram_(config.ram_blocks), disk_(config.disk_blocks) {}

void LowerTiers::learn(const std::vector<KvEvent>& events) {
    for (const KvEvent& event : events)
        if (const auto* removed = std::get_if<KvRemoved>(&event))
            for (const BlockKey key : removed->keys)
                put(key);
}

TierRun LowerTiers::find(std::span<const BlockKey> keys) const {
    TierRun run;
    for (const BlockKey key : keys) {
        const bool is_in_ram = ram_.contains(key);
        if (!is_in_ram && !disk_.contains(key)) break;
        ++run.blocks;
        if (!is_in_ram) ++run.disk_blocks;
        if (run.disk_blocks == 0) run.blocks_before_disk = run.blocks;
    }
    return run;
}

void LowerTiers::loaded(std::span<const BlockKey> keys) {
    for (size_t i = keys.size(); i > 0; --i) {
        const BlockKey key = keys[i - 1];
        if (disk_.contains(key)) disk_.use(key);
        if (ram_.capacity() == 0) continue;
        if (const auto gone = ram_.use(key)) put_on_disk(*gone);
    }
}

void LowerTiers::put(BlockKey key) {
    if (ram_.capacity() == 0) return put_on_disk(key);
    if (!ram_.contains(key)) ++stats_.to_ram;
    if (const auto gone = ram_.use(key)) put_on_disk(*gone);
}

void LowerTiers::put_on_disk(BlockKey key) {
    if (disk_.capacity() > 0 && !disk_.contains(key)) ++stats_.to_disk;
    if (disk_.use(key)) ++stats_.dropped;
}

void LowerTiers::check() const {
    ram_.check();
    disk_.check();
}

}  // namespace brigada
