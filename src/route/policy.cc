#include "route/policy.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "base/check.h"
#include "base/ids.h"
#include "route/rendezvous.h"

namespace brigada {

std::string_view to_string(RouteReason reason) {
    constexpr std::array<std::string_view, 14> kNames = {
        "in_turn",     "by_weight",   "least_busy",    "lowest_latency", "lowest_usage",
        "lowest_cost", "prefix_hash", "hash_overflow", "stays",          "moves",
        "spills",      "displaced",   "cached",        "fastest"};
    return kNames.at(static_cast<size_t>(reason));
}

std::optional<Route> Policy::choose(const Call& call, std::span<Candidate> candidates,
                                    Instant now) {
    CHECK(std::ranges::is_sorted(candidates, std::ranges::less_equal{}, &Candidate::id),
          "candidates come in ascending order of id, each once");
    std::optional<Estimate> had_it_stayed;
    size_t full = 0;
    for (Candidate& candidate : candidates) {  // facts and load of each are fetched once
        if (!candidate.has_room()) {
            ++full;
            continue;
        }
        candidate.expected =
            expected_time(call, candidate.facts, candidate.load, candidate.kv, now);
        if (candidate.is_pinned) had_it_stayed = candidate.expected;
    }
    if (full == candidates.size()) return std::nullopt;
    std::vector<Candidate> open;
    if (full > 0) {
        std::ranges::copy_if(candidates, std::back_inserter(open), &Candidate::has_room);
        candidates = open;
    }
    const auto [chosen, reason] = pick(call, candidates, now);
    return Route{.upstream = chosen.id,
                 .reason = reason,
                 .cached_tokens = chosen.kv.cached_tokens,
                 .expected = chosen.expected,
                 .had_it_stayed = had_it_stayed};
}

std::optional<Route> Policy::stay(const Call& call, Candidate home, Duration least_decode,
                                  Instant now) const {
    if (!home.has_room()) return std::nullopt;
    home.expected = expected_time(call, home.facts, home.load, home.kv, now);
    if (!stays_anyway(home, least_decode * call.output_tokens)) return std::nullopt;
    return Route{.upstream = home.id,
                 .reason = RouteReason::stays,
                 .cached_tokens = home.kv.cached_tokens,
                 .expected = home.expected,
                 .had_it_stayed = home.expected};
}

uint64_t affinity_key(const Call& call) {
    if (call.group != SessionId{}) return raw(call.group);
    if (call.session != SessionId{}) return raw(call.session);
    return call.keys.empty() ? 0 : raw(call.keys.front());
}

const Candidate& rendezvous(uint64_t key, std::span<const Candidate* const> candidates) {
    const Candidate* best = nullptr;
    std::optional<RendezvousBid> best_bid;
    for (const Candidate* candidate : candidates) {
        const RendezvousBid bid(key, candidate->facts.name, candidate->facts.weight);
        if (best && !bid.beats(*best_bid)) continue;
        best = candidate;
        best_bid = bid;
    }
    return *best;
}

std::vector<const Candidate*> within_bound(std::span<const Candidate> candidates,
                                           uint32_t per_mille, uint32_t floor) {
    uint64_t calls = 1;
    uint64_t weight = 0;
    for (const Candidate& candidate : candidates) {
        calls += candidate.load.calls();
        weight += candidate.facts.weight;
    }
    std::vector<const Candidate*> within;
    within.reserve(candidates.size());
    for (const Candidate& candidate : candidates) {
        const auto share =
            static_cast<unsigned __int128>(calls) * candidate.facts.weight * per_mille;
        const auto mine = static_cast<unsigned __int128>(candidate.load.calls()) * weight * 1000;
        // calls + 1 <= ceil(share) is calls < share
        if (candidate.load.calls() < floor || mine < share) within.push_back(&candidate);
    }
    if (within.empty())
        for (const Candidate& candidate : candidates)
            within.push_back(&candidate);
    return within;
}

}  // namespace brigada
