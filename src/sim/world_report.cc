// The end of the world: what its records add up to.
#include <algorithm>
#include <functional>

#include "base/check.h"
#include "route/rendezvous.h"
#include "sim/world.h"

namespace brigada {

namespace {

using Chosen = std::function<bool(const SimCall&)>;

bool is_good(const SimCall& record, const SimTargets& targets) {
    return (targets.ttft_s <= 0 || record.ttft_s() <= targets.ttft_s) &&
           (targets.tpot_s <= 0 || record.tpot_s() <= targets.tpot_s);
}

SimGroup group_of(std::string name, const std::vector<SimCall>& records, const SimTargets& targets,
                  const Chosen& is_chosen) {
    SimGroup group;
    group.name = std::move(name);
    std::vector<double> ttft, tpot, call;
    for (const SimCall& record : records) {
        if (!is_chosen(record) || record.interrupted) continue;
        if (record.failed) {
            ++group.failed;
            continue;
        }
        ++group.calls;
        group.prompt_tokens += record.prompt_tokens;
        group.cached_tokens += record.cached_tokens;
        group.output_tokens += record.output_tokens;
        group.good += is_good(record, targets) ? 1 : 0;
        ttft.push_back(record.ttft_s());
        call.push_back(record.call_s());
        if (record.output_tokens > 1) tpot.push_back(record.tpot_s());
    }
    group.ttft_s = percentiles_of(std::move(ttft));
    group.tpot_s = percentiles_of(std::move(tpot));
    group.call_s = percentiles_of(std::move(call));
    return group;
}

struct Position {
    std::string_view name;
    uint32_t first;  // call of the session, counted from 0
    uint32_t last;
};

constexpr Position kPositions[] = {{"call 1", 0, 0},           {"call 2", 1, 1},
                                   {"calls 3 to 5", 2, 4},     {"calls 6 to 10", 5, 9},
                                   {"calls 11 to 50", 10, 49}, {"calls 51 on", 50, UINT32_MAX}};

std::vector<SimGroup> by_position(const std::vector<SimCall>& records, const SimTargets& targets) {
    std::vector<SimGroup> groups;
    for (const Position& position : kPositions)
        groups.push_back(
            group_of(std::string(position.name), records, targets, [&](const SimCall& record) {
                return record.call >= position.first && record.call <= position.last;
            }));
    groups.push_back(group_of("after a user message", records, targets,
                              [](const SimCall& record) { return record.user; }));
    groups.push_back(group_of("after tool results", records, targets,
                              [](const SimCall& record) { return !record.user; }));
    std::erase_if(groups, [](const SimGroup& group) { return group.calls + group.failed == 0; });
    return groups;
}

std::string_view name_of(PriorityClass priority) {
    if (priority == PriorityClass::guaranteed) return "guaranteed";
    return priority == PriorityClass::standard ? "standard" : "batch";
}

double share_at(const std::vector<Duration>& times, double share) {
    Duration sum;
    for (const Duration time : times)
        sum = sum + time;
    Duration below;
    for (size_t percent = 0; percent < times.size(); ++percent) {
        below = below + times[percent];
        const bool is_there = below > Duration() && below.seconds() >= share * sum.seconds();
        if (is_there) return static_cast<double>(percent) / 100;
    }
    return 0;
}

}  // namespace

double SimGroup::hit_rate() const {
    return prompt_tokens == 0
               ? 0
               : static_cast<double>(cached_tokens) / static_cast<double>(prompt_tokens);
}

SimReport World::report() {
    SimReport report;
    std::ranges::sort(records_, {}, [](const SimCall& record) {
        return std::tuple(record.sent, record.session, record.call);
    });
    const auto all = [](const SimCall&) { return true; };
    const SimGroup everything = group_of("all", records_, setup_.targets, all);
    report.calls = everything.calls;
    report.failed = everything.failed;
    report.too_large = too_large_;
    report.retries = retries_;
    report.skipped = skipped_;
    report.over_limits = over_limits_;
    report.rollout_s = rollout_s_;
    report.ttft_s = everything.ttft_s;
    report.tpot_s = everything.tpot_s;
    report.call_s = everything.call_s;
    report.turn_s = percentiles_of(std::move(turns_s_));
    report.prompt_tokens = everything.prompt_tokens;
    report.output_tokens = everything.output_tokens;
    report.hit_rate = everything.hit_rate();

    Instant first = Instant::never();
    Instant last;
    std::vector<double> per_token;
    for (const SimCall& record : records_) {
        first = std::min(first, record.sent);
        last = std::max(last, record.ended);
        SimMisses& misses = report.misses[static_cast<size_t>(record.cause)];
        ++misses.calls;
        misses.lost_tokens += record.lost_tokens;
        report.interrupted += record.interrupted ? 1 : 0;
        if (!record.failed && !record.interrupted)
            per_token.push_back(record.call_s() / record.output_tokens);
    }
    report.seconds_per_token = percentiles_of(std::move(per_token));
    if (!records_.empty()) report.seconds = (last - first).seconds();
    if (report.seconds > 0) report.goodput = static_cast<double>(everything.good) / report.seconds;

    for (uint32_t t = 0; t < trace_.tenants.size(); ++t)
        report.tenants.push_back(
            group_of(trace_.tenants[t], records_, setup_.targets,
                     [&](const SimCall& record) { return record.tenant == t; }));
    if (has_pools_)
        for (uint32_t m = 0; m < trace_.models.size(); ++m)
            report.models.push_back(
                group_of(trace_.models[m], records_, setup_.targets,
                         [&](const SimCall& record) { return record.model == m; }));
    if (setup_.admission)
        for (const PriorityClass priority : kPriorityClasses)
            report.classes.push_back(
                group_of(std::string(name_of(priority)), records_, setup_.targets,
                         [&](const SimCall& record) { return record.priority == priority; }));
    report.positions = by_position(records_, setup_.targets);
    report.series = std::move(series_);
    add_replicas(report, first, last);
    const auto has_tiers = [](const SimReplica& kind) { return kind.tiers.any(); };
    if (std::ranges::any_of(setup_.replicas, has_tiers)) add_tiers(report);
    if (readers_) add_transfers(report);
    report.digest = digest_;
    return report;
}

void World::add_replicas(SimReport& report, Instant first, Instant last) {
    std::vector<Duration> held(101);
    const double seconds = last > began_ ? (last - began_).seconds() : 0;
    for (uint32_t i = 0; i < places_.size(); ++i) {
        Place& place = places_[i];
        if (place.engine) {
            count_in(place);
            digest_ = mix(digest_, mix(place.engine->scheduler().digest(), i));
        }
        if (place.is_paid && last > place.paid_since)
            place.paid = place.paid + (last - std::max(place.paid_since, first));
        report.dollars += place.kind->dollars_per_hour * place.paid.seconds() / 3'600;
        report.preemptions += place.scheduler.preemptions;
        report.evicted_tokens += place.kv.evicted_blocks * trace_.block_tokens;
        report.reread_tokens += place.kv.reread - place.loads.not_reread_tokens;
        report.utilisation.push_back(seconds > 0 ? place.busy.seconds() / seconds : 0);
        for (size_t percent = 0; percent < held.size(); ++percent)
            held[percent] = held[percent] + place.time_by_held_percent[percent];
    }
    report.kv_held_p50 = share_at(held, 0.5);
    report.kv_held_max = share_at(held, 1);
}

void World::add_tiers(SimReport& report) const {
    SimTierUse& use = report.tiers.emplace();
    std::vector<double> load_s;
    for (const SimCall& record : records_) {
        const KvLoaded& loaded = record.loaded;
        const uint32_t below = loaded.ram_tokens + loaded.disk_tokens;
        if (record.failed || record.interrupted) continue;
        use.own_tokens += record.cached_tokens - std::min(below, record.cached_tokens);
        use.ram_tokens += loaded.ram_tokens;
        use.disk_tokens += loaded.disk_tokens;
        if (below > 0) load_s.push_back(loaded.took.seconds());
    }
    use.loads = load_s.size();
    use.load_s = percentiles_of(std::move(load_s));
    for (const Place& place : places_) {
        const double block_bytes = place.kind->kv_bytes_per_token * trace_.block_tokens;
        const auto bytes = [&](uint64_t blocks) {
            return static_cast<uint64_t>(static_cast<double>(blocks) * block_bytes);
        };
        use.bytes_from_ram += bytes(place.loads.from_ram);
        use.bytes_from_disk += bytes(place.loads.from_disk);
        use.bytes_to_ram += bytes(place.loads.tiers.to_ram);
        use.bytes_to_disk += bytes(place.loads.tiers.to_disk);
        use.bytes_dropped += bytes(place.loads.tiers.dropped);
    }
}

}  // namespace brigada
