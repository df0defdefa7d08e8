// Policy: which of the upstreams that can serve a call gets it, and why. Each policy is a file of
// its own; the answer carries the numbers that explain it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "route/call.h"
#include "route/expected_time.h"
#include "route/upstream.h"
#include "route/upstream_load.h"

namespace brigada {

/// An upstream that can serve the call, with what is known of it now; facts and load are borrowed.
struct Candidate {
    UpstreamId id{};
    const UpstreamFacts& facts;
    const UpstreamLoad& load;
    KvThere kv = {};
    bool is_pinned = false;  // the session lives there
    Estimate expected = {};  // of this call, were it sent there

    bool has_room() const {
        return facts.max_concurrent == 0 || load.calls() < facts.max_concurrent;
    }
};

enum class RouteReason {
    in_turn,         // round robin
    by_weight,       // weighted round robin
    least_busy,      // fewest calls for its weight
    lowest_latency,  // shortest time with the calls it has
    lowest_usage,    // fewest tokens of the last minute for its weight
    lowest_cost,     // cheapest for this call
    prefix_hash,     // the beginning of the prompt decides
    hash_overflow,   // the one that the hash names has too many calls
    stays,           // the session lives there, and moving would not pay
    moves,           // waiting where it lives costs more than reading its prompt anew
    spills,          // where it lives has more than its share of calls
    displaced,       // where it lives cannot take it: away or full
    cached,          // lives nowhere; what is cached there makes it the fastest
    fastest,         // lives nowhere; nothing useful is cached
};

std::string_view to_string(RouteReason reason);

/// The decision and the numbers behind it.
struct Route {
    UpstreamId upstream{};
    RouteReason reason{};
    int64_t cached_tokens = 0;              // expected there
    Estimate expected = {};                 // there
    std::optional<Estimate> had_it_stayed;  // where the session lives, if it could take the call
};

class Policy {
  public:
    virtual ~Policy() = default;

    /// Candidates in ascending order of id; their `expected` is filled in. Nothing when none of
    /// them has room.
    std::optional<Route> choose(const Call& call, std::span<Candidate> candidates, Instant now);

    /// What choose() answers, if it is the upstream where the session lives whatever the others
    /// could offer; so they need not be asked. `least_decode`: of a token, anywhere.
    std::optional<Route> stay(const Call& call, Candidate home, Duration least_decode,
                              Instant now) const;

  protected:
    struct Pick {
        const Candidate& candidate;
        RouteReason reason;
    };

  private:
    /// One of these, all of which have room; there is at least one.
    virtual Pick pick(const Call& call, std::span<const Candidate> candidates, Instant now) = 0;

    /// Whether pick() would say `stays` for this home, where no call waits and decodes in less than
    /// `least_waiting`.
    virtual bool stays_anyway(const Candidate& /*home*/, Duration /*least_waiting*/) const {
        return false;
    }
};

/// What a call hashes to where nothing else tells upstreams apart: sub-agents of one parent alike,
/// then calls of one session, then prompts that begin alike.
uint64_t affinity_key(const Call& call);

/// Of the upstreams at `candidates`, the one that rendezvous hashing gives this key.
const Candidate& rendezvous(uint64_t key, std::span<const Candidate* const> candidates);

/// Those with at most `per_mille` thousandths of their share of all calls, this one included, and
/// in any case those with fewer than `floor` calls. All of them, if that leaves none.
std::vector<const Candidate*> within_bound(std::span<const Candidate> candidates,
                                           uint32_t per_mille, uint32_t floor);

}  // namespace brigada
