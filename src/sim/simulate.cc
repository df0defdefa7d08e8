#include "sim/simulate.h"

#include <algorithm>

#include "route/named_policy.h"
#include "sim/check_setup.h"
#include "sim/world.h"

namespace brigada {

namespace {

bool reads_only(const SimReplica& kind) {
    return kind.role == ReplicaRole::prefill;
}

}  // namespace

Result<SimReport> simulate(const Trace& trace, const SimSetup& setup, SimObserver* observer) {
    TRY(check(trace));
    TRY(check_setup(trace, setup));
    TRY(std::unique_ptr<Policy> policy, policy_named(setup.policy, trace.block_tokens));
    std::unique_ptr<Policy> readers;
    if (std::ranges::any_of(setup.replicas, reads_only)) {
        TRY(readers, policy_named(setup.policy, trace.block_tokens));
    }
    World world(trace, setup, std::move(policy), std::move(readers), observer);
    return world.run();
}

// --- for machines -------------------------------------------------------------------------------

namespace {

Json to_json(const SimGroup& group) {
    return {{"name", group.name},
            {"calls", group.calls},
            {"failed", group.failed},
            {"prompt_tokens", group.prompt_tokens},
            {"output_tokens", group.output_tokens},
            {"hit_rate", group.hit_rate()},
            {"good", group.good},
            {"ttft_s", to_json(group.ttft_s)},
            {"tpot_s", to_json(group.tpot_s)},
            {"call_s", to_json(group.call_s)}};
}

Json to_json(const std::vector<SimGroup>& groups) {
    Json list = Json::array();
    for (const SimGroup& group : groups)
        list.push_back(to_json(group));
    return list;
}

Json to_json(const SimSample& sample) {
    return {{"at_s", sample.at_s},          {"replicas", sample.replicas},
            {"running", sample.running},    {"waiting", sample.waiting},
            {"queued", sample.queued},      {"kv_held", sample.kv_held},
            {"kv_cached", sample.kv_cached}};
}

Json misses_json(const SimReport& report) {
    Json misses = Json::object();
    for (size_t i = 0; i < report.misses.size(); ++i)
        misses[std::string(to_string(static_cast<MissCause>(i)))] = {
            {"calls", report.misses[i].calls}, {"lost_tokens", report.misses[i].lost_tokens}};
    return misses;
}

Json to_json(const SimTierUse& use) {
    return {{"own_tokens", use.own_tokens},           {"ram_tokens", use.ram_tokens},
            {"disk_tokens", use.disk_tokens},         {"loads", use.loads},
            {"load_s", to_json(use.load_s)},          {"bytes_from_ram", use.bytes_from_ram},
            {"bytes_from_disk", use.bytes_from_disk}, {"bytes_to_ram", use.bytes_to_ram},
            {"bytes_to_disk", use.bytes_to_disk},     {"bytes_dropped", use.bytes_dropped}};
}

Json to_json(const SimTransfers& transfers) {
    return {{"calls", transfers.calls},
            {"local_calls", transfers.local_calls},
            {"bytes", transfers.bytes},
            {"transfer_s", to_json(transfers.transfer_s)},
            {"readers_busy", transfers.readers_busy},
            {"others_busy", transfers.others_busy}};
}

}  // namespace

Json to_json(const SimReport& report) {
    Json json = {{"calls", report.calls},
                 {"failed", report.failed},
                 {"too_large", report.too_large},
                 {"retries", report.retries},
                 {"interrupted", report.interrupted},
                 {"skipped", report.skipped},
                 {"over_limits", report.over_limits},
                 {"rollout_s", report.rollout_s},
                 {"seconds", report.seconds},
                 {"ttft_s", to_json(report.ttft_s)},
                 {"tpot_s", to_json(report.tpot_s)},
                 {"call_s", to_json(report.call_s)},
                 {"turn_s", to_json(report.turn_s)},
                 {"seconds_per_token", to_json(report.seconds_per_token)},
                 {"prompt_tokens", report.prompt_tokens},
                 {"output_tokens", report.output_tokens},
                 {"hit_rate", report.hit_rate},
                 {"goodput_per_s", report.goodput},
                 {"dollars", report.dollars},
                 {"preemptions", report.preemptions},
                 {"evicted_tokens", report.evicted_tokens},
                 {"reread_tokens", report.reread_tokens},
                 {"kv_held_p50", report.kv_held_p50},
                 {"kv_held_max", report.kv_held_max},
                 {"utilisation", report.utilisation},
                 {"tenants", to_json(report.tenants)},
                 {"models", to_json(report.models)},
                 {"classes", to_json(report.classes)},
                 {"positions", to_json(report.positions)},
                 {"misses", misses_json(report)}};
    Json series = Json::array();
    for (const SimSample& sample : report.series)
        series.push_back(to_json(sample));
    json["series"] = std::move(series);
    if (report.transfers) json["transfers"] = to_json(*report.transfers);
    if (report.tiers) json["tiers"] = to_json(*report.tiers);
    json["digest"] = concat(report.digest);
    return json;
}

}  // namespace brigada
