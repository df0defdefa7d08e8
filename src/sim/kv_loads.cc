#include "sim/kv_loads.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.h"

namespace brigada {

namespace {

/// Who holds the blocks of a load: an id that no sequence of the scheduler has.
SequenceId place_of(SequenceId id) {
    return SequenceId{raw(id) | uint64_t{1} << 63};
}

LowerTiersConfig tiers_of(const SimReplica& kind, uint32_t block_tokens) {
    const double block_bytes = kind.kv_bytes_per_token * block_tokens;
    if (!kind.tiers.any()) return {};
    return {.ram_blocks =
                static_cast<uint64_t>(static_cast<double>(kind.tiers.ram_bytes) / block_bytes),
            .disk_blocks =
                static_cast<uint64_t>(static_cast<double>(kind.tiers.disk_bytes) / block_bytes)};
}

}  // namespace

KvLoads::KvLoads(const SimReplica& kind, const SimLink& link, uint32_t block_tokens)
    : cost_(kind.cost),
      step_tokens_(kind.scheduler.step_tokens),
      block_tokens_(block_tokens),
      bytes_per_token_(kind.kv_bytes_per_token),
      tiers_(tiers_of(kind, block_tokens)),
      ram_(kind.tiers.ram_bytes_per_s),
      disk_(kind.tiers.disk_bytes_per_s),
      link_(link.bytes_per_s, link.latency) {}

void KvLoads::submitted(SequenceId id, std::span<const BlockKey> keys, Lane* from) {
    CHECK(asked_.emplace(id, Asked{keys, from, {}, false}).second, "sequence ", raw(id));
}

// --- out of the scheduler -----------------------------------------------------------------------

void KvLoads::learn(Scheduler& scheduler) {
    tiers_.learn(scheduler.kv().drain_events());
}

bool KvLoads::take_out(Scheduler& scheduler, Plan& plan, Instant now) {
    const auto leaves = [&](const Chunk& chunk) {
        const Sequence& sequence = scheduler.sequence(chunk.sequence);
        const bool begins = sequence.preemptions == 0 && chunk.first == sequence.cached_tokens;
        Asked& asked = asked_.at(chunk.sequence);
        if (!begins || std::exchange(asked.had_its_turn, true)) return false;
        const Choice choice = choose(sequence, asked, now);
        if (choice.blocks == 0) return false;
        begin(scheduler, sequence, choice, asked, now);
        return true;
    };
    return std::erase_if(plan.chunks, leaves) > 0;
}

// What another replica has read is not read again. Else everything that is below, or what of it
// comes before the disk, or nothing: whichever lets the prompt be there first.
KvLoads::Choice KvLoads::choose(const Sequence& sequence, const Asked& asked, Instant now) const {
    const uint32_t cached = sequence.cached_tokens / block_tokens_;
    const size_t full = std::min(asked.keys.size(), sequence.tokens.size() - 1);
    const auto most = static_cast<uint32_t>(full);  // one token is computed
    if (most <= cached) return {};
    if (asked.from) return {most - cached, 0, sequence.prompt_tokens - sequence.cached_tokens};
    const TierRun run = tiers_.find(asked.keys.subspan(cached, most - cached));
    const std::array<Choice, 3> choices = {
        Choice{}, Choice{run.blocks_before_disk}, {run.blocks, run.disk_blocks}};
    return *std::ranges::min_element(choices, {}, [&](const Choice& choice) {
        const uint32_t there = (cached + choice.blocks) * block_tokens_;
        return arrival(choice, now) + reading_time(there, sequence.prompt_tokens);
    });
}

Instant KvLoads::arrival(const Choice& choice, Instant now) const {
    if (choice.blocks == 0) return now;
    const Instant over_the_bus = ram_.arrival(bytes_of(choice.blocks), now);
    if (choice.disk_blocks == 0) return over_the_bus;
    return std::max(over_the_bus, disk_.arrival(bytes_of(choice.disk_blocks), now));
}

/// One transfer at a time leaves there and comes in here.
Instant KvLoads::remote_arrival(const Choice& choice, const Lane& from, Instant now) const {
    return link_.arrival(bytes_of_tokens(choice.remote_tokens), std::max(now, from.free_at()));
}

/// Of positions [first, last) of a prompt, alone.
Duration KvLoads::reading_time(uint32_t first, uint32_t last) const {
    Duration sum;
    for (uint32_t at = first; at < last; at += step_tokens_) {
        StepShape shape;
        shape.add_chunk(at, std::min(step_tokens_, last - at));
        sum = sum + cost_.time(shape);
    }
    return sum;
}

void KvLoads::begin(Scheduler& scheduler, const Sequence& sequence, const Choice& choice,
                    Asked& asked, Instant now) {
    Load load;
    load.spec = sequence.spec;
    load.spec.prompt = sequence.tokens;
    load.spec.prompt_tokens = sequence.prompt_tokens;
    load.spec.cursor = sequence.cursor;
    load.spec.waited = sequence.waited;
    load.tokens = sequence.cached_tokens + choice.blocks * block_tokens_;
    load.began = now;
    load.ends = asked.from ? remote_arrival(choice, *asked.from, now) : arrival(choice, now);
    stats_.not_reread_tokens += sequence.reread_tokens;
    scheduler.cancel(load.spec.id);
    if (reserve(scheduler, load)) {
        send(load, choice, asked, now);
        under_way_.push_back(std::move(load));
    } else {  // the room went to a prompt that is being read: it is read, too
        scheduler.submit(std::move(load.spec), now).value();
    }
}

/// All blocks of the prompt, so that nobody takes what the load will need.
bool KvLoads::reserve(Scheduler& scheduler, const Load& load) {
    KvBooks& kv = scheduler.kv();
    const SequenceId place = place_of(load.spec.id);
    const auto ids = std::span(load.spec.prompt).first(load.tokens / block_tokens_);
    const Hit hit =
        kv.begin(place, ids, load.spec.scope, load.spec.retention, false, load.spec.cursor);
    stats_.not_reread_tokens += hit.reread_tokens;
    const bool has_room = kv.grow(place, load.spec.prompt_tokens);
    if (!has_room) kv.release(place, true);
    return has_room;
}

void KvLoads::send(const Load& load, const Choice& choice, Asked& asked, Instant now) {
    if (asked.from) {
        asked.from->occupy_until(load.ends - link_.latency());
        link_.occupy_until(load.ends - link_.latency());
        asked.loaded.remote_tokens = choice.blocks * block_tokens_;
        asked.loaded.transfer = load.ends - now;
        stats_.remote_bytes += bytes_of_tokens(choice.remote_tokens);
        return;
    }
    ram_.send(bytes_of(choice.blocks), now);
    if (choice.disk_blocks > 0) disk_.send(bytes_of(choice.disk_blocks), now);
    const uint32_t ram_blocks = choice.blocks - choice.disk_blocks;
    stats_.from_ram += ram_blocks;
    stats_.from_disk += choice.disk_blocks;
    asked.loaded.ram_tokens = ram_blocks * block_tokens_;
    asked.loaded.disk_tokens = choice.disk_blocks * block_tokens_;
    asked.loaded.took = load.ends - now;
    tiers_.loaded(asked.keys.subspan(load.tokens / block_tokens_ - choice.blocks, choice.blocks));
}

// --- and in again -------------------------------------------------------------------------------

Instant KvLoads::next_end() const {
    Instant first = Instant::never();
    for (const Load& load : under_way_)
        first = std::min(first, load.ends);
    return first;
}

std::vector<SequenceId> KvLoads::end(Scheduler& scheduler, Instant now) {
    std::vector<SequenceId> refused;
    std::vector<Load> rest;
    for (Load& load : under_way_) {
        if (load.ends > now) {
            rest.push_back(std::move(load));
            continue;
        }
        const SequenceId id = load.spec.id;
        KvBooks& kv = scheduler.kv();
        kv.computed(place_of(id), load.spec.prompt, load.tokens);
        load.spec.cursor = kv.cursor(place_of(id));
        kv.release(place_of(id), true);
        load.spec.waited = load.spec.waited + (now - load.began);
        if (scheduler.submit(std::move(load.spec), now).ok()) continue;
        asked_.erase(id);
        refused.push_back(id);
    }
    under_way_ = std::move(rest);
    return refused;
}

void KvLoads::forget(Scheduler& scheduler, SequenceId id) {
    asked_.erase(id);
    const auto load = std::ranges::find(under_way_, id, [](const Load& l) { return l.spec.id; });
    if (load == under_way_.end()) return;
    scheduler.kv().release(place_of(id), false);
    under_way_.erase(load);
}

// --- looking ------------------------------------------------------------------------------------

bool KvLoads::came_whole(const Sequence& sequence, const Chunk& chunk) const {
    const auto asked = asked_.find(chunk.sequence);
    return asked != asked_.end() && asked->second.from && chunk.count <= block_tokens_ &&
           chunk.first + chunk.count == sequence.prompt_tokens;
}

uint64_t KvLoads::bytes_of(uint64_t blocks) const {
    return bytes_of_tokens(blocks * block_tokens_);
}

uint64_t KvLoads::bytes_of_tokens(uint64_t tokens) const {
    return static_cast<uint64_t>(static_cast<double>(tokens) * bytes_per_token_);
}

KvLoadStats KvLoads::stats(Scheduler& scheduler) {
    learn(scheduler);
    KvLoadStats stats = stats_;
    stats.tiers = tiers_.stats();
    return stats;
}

void KvLoads::check() const {
    tiers_.check();
    for (const Load& load : under_way_)
        CHECK(asked_.at(load.spec.id).had_its_turn, "sequence ", raw(load.spec.id));
}

}  // namespace brigada
