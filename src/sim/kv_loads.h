// KvLoads: KV that comes into a replica instead of being computed there. When the scheduler begins
// a sequence whose prefix goes on in host RAM or on disk, and loading is faster than reading, the
// sequence stands aside, its blocks reserved, until they are there; then the scheduler begins it
// anew and finds them. Scheduler and books are production's and know nothing of it.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "kv/lower_tiers.h"
#include "sched/scheduler.h"
#include "sim/lane.h"
#include "sim/sim_call.h"
#include "sim/simulate.h"

namespace brigada {

/// Blocks since construction, unless named otherwise.
struct KvLoadStats {
    uint64_t from_ram = 0;
    uint64_t from_disk = 0;
    uint64_t remote_bytes = 0;
    LowerTiersStats tiers;
    uint64_t not_reread_tokens = 0;  // that the books count as read again though they were loaded
};

class KvLoads {
  public:
    KvLoads(const SimReplica& kind, const SimLink& link, uint32_t block_tokens);

    /// The sequence may load what of its prompt lies elsewhere: all of it at a replica that has
    /// read it and sends it on the lane `from`, or, where there is none, what the tiers have.
    /// `keys` of its full blocks and `from` are borrowed until it is forgotten.
    void submitted(SequenceId id, std::span<const BlockKey> keys, Lane* from);

    /// What has left the replica's memory is below from now on. Before each plan: what goes to make
    /// room for a sequence does not push out what it is about to load.
    void learn(Scheduler& scheduler);

    /// Sequences that begin in this plan and load leave it, and the scheduler. True if any did.
    bool take_out(Scheduler& scheduler, Plan& plan, Instant now);

    /// When the first of those under way is there; never: none is.
    Instant next_end() const;

    /// Those that are there by `now` are in the books and their sequences in the scheduler's queue.
    /// Returns those for which it had no place, and which are forgotten.
    std::vector<SequenceId> end(Scheduler& scheduler, Instant now);

    /// The sequence ended, wherever it was.
    void forget(Scheduler& scheduler, SequenceId id);

    /// The chunk is the end of a prompt that came over the link: all but its last token is there,
    /// though not in whole blocks.
    bool came_whole(const Sequence& sequence, const Chunk& chunk) const;

    size_t loading() const { return under_way_.size(); }
    KvLoaded loaded(SequenceId id) const { return asked_.at(id).loaded; }

    /// With all that has left the replica's memory so far.
    KvLoadStats stats(Scheduler& scheduler);

    void check() const;

  private:
    struct Asked {
        std::span<const BlockKey> keys;
        Lane* from = nullptr;
        KvLoaded loaded;
        bool had_its_turn = false;  // a sequence loads once at most
    };

    struct Load {
        SequenceSpec spec;
        uint32_t tokens = 0;  // of the prompt, found and loaded
        Instant began;
        Instant ends;
    };

    /// What of a run is loaded.
    struct Choice {
        uint32_t blocks = 0;
        uint32_t disk_blocks = 0;
        uint32_t remote_tokens = 0;  // instead of those, with the part of a block at the end
    };

    Choice choose(const Sequence& sequence, const Asked& asked, Instant now) const;
    Instant arrival(const Choice& choice, Instant now) const;
    Instant remote_arrival(const Choice& choice, const Lane& from, Instant now) const;
    Duration reading_time(uint32_t first, uint32_t last) const;
    void begin(Scheduler& scheduler, const Sequence& sequence, const Choice& choice, Asked& asked,
               Instant now);
    bool reserve(Scheduler& scheduler, const Load& load);
    void send(const Load& load, const Choice& choice, Asked& asked, Instant now);
    uint64_t bytes_of(uint64_t blocks) const;
    uint64_t bytes_of_tokens(uint64_t tokens) const;

    StepCost cost_;
    uint32_t step_tokens_;
    uint32_t block_tokens_;
    double bytes_per_token_;
    LowerTiers tiers_;
    Lane ram_;
    Lane disk_;
    Lane link_;
    std::unordered_map<SequenceId, Asked> asked_;
    std::vector<Load> under_way_;  // in the order in which they began
    KvLoadStats stats_;
};

}  // namespace brigada
