#include "sim/check_setup.h"

#include <algorithm>

#include "base/concat.h"

namespace brigada {

namespace {

template <typename... Parts>
Error wrong(const Parts&... parts) {
    return {Code::invalid_argument, concat(parts...)};
}

Result<void> check_tiers(const SimReplica& kind) {
    if (!(kind.kv_bytes_per_token > 0))
        return wrong("kv_bytes_per_token is ", kind.kv_bytes_per_token,
                     "; tiers below need to know how large a token's KV is");
    if (!(kind.tiers.ram_bytes_per_s > 0) || !(kind.tiers.disk_bytes_per_s > 0))
        return wrong("RAM moves ", kind.tiers.ram_bytes_per_s, " bytes a second and the disk ",
                     kind.tiers.disk_bytes_per_s, "; both must be more than 0");
    return {};
}

Result<void> check_split(const SimSetup& setup) {
    const auto readers =
        std::ranges::count(setup.replicas, ReplicaRole::prefill, &SimReplica::role);
    const auto takers = std::ranges::count(setup.replicas, ReplicaRole::decode, &SimReplica::role);
    if (readers == 0 && takers == 0) return {};
    if (readers == 0 || takers == 0)
        return wrong("of replicas that only read prompts there are ", readers,
                     " kinds, of replicas that answer them ", takers, "; both are needed");
    for (const SimReplica& kind : setup.replicas)
        if (!(kind.kv_bytes_per_token > 0))
            return wrong("replica kind '", kind.name, "': kv_bytes_per_token is ",
                         kind.kv_bytes_per_token, "; transfers need to know how large KV is");
    if (!(setup.link.bytes_per_s > 0) || setup.link.latency < Duration())
        return wrong("the link moves ", setup.link.bytes_per_s, " bytes a second after ",
                     setup.link.latency.seconds(), " s; more than 0 and at least 0 work");
    if (setup.autoscaler)
        return wrong(
            "an autoscaler does not know which of the replicas that read prompts and that "
            "answer to add; leave one of the two out");
    return {};
}

/// Every model that somebody asks for is served, by those who answer and those who only read.
Result<void> check_models(const Trace& trace, const SimSetup& setup) {
    for (const SimReplica& kind : setup.replicas)
        for (const uint32_t model : kind.models)
            if (model >= trace.models.size())
                return wrong("replica kind '", kind.name, "' serves model ", model,
                             "; the trace has ", trace.models.size(), ", counted from 0");
    std::vector<bool> asked(trace.models.size());
    for (const TraceSession& session : trace.sessions)
        for (const TraceCall& call : session.calls)
            asked[call.model] = true;
    for (const bool reads : {false, true})
        for (uint32_t m = 0; m < asked.size(); ++m) {
            const auto serves = [&](const SimReplica& kind) {
                return (kind.role == ReplicaRole::prefill) == reads && kind.serves(m);
            };
            const auto takes = [&](const SimReplica& kind) {
                return kind.role == ReplicaRole::decode && kind.serves(m);
            };
            const bool is_needed =
                asked[m] && (!reads || std::ranges::any_of(setup.replicas, takes));
            if (is_needed && std::ranges::none_of(setup.replicas, serves))
                return wrong("no replica ", reads ? "reads prompts for" : "serves", " model '",
                             trace.models[m], "', which the trace asks for");
        }
    return {};
}

Result<void> check_people(const Trace& trace, const SimSetup& setup) {
    const ClientRules& clients = setup.clients;
    if (!(clients.interrupt_chance >= 0 && clients.interrupt_chance <= 1))
        return wrong("users interrupt with a chance of ", clients.interrupt_chance,
                     "; it is from 0 to 1");
    if (clients.interrupt_within < Duration()) return wrong("interrupt_within is negative");
    if (setup.limits.size() > trace.tenants.size())
        return wrong("limits of ", setup.limits.size(), " tenants; the trace has ",
                     trace.tenants.size());
    return {};
}

Result<void> check_rollout(const SimSetup& setup) {
    if (!setup.rollout) return {};
    const SimRollout& rollout = *setup.rollout;
    if (rollout.at < Instant() || rollout.restart < Duration() ||
        rollout.longest_drain < Duration())
        return wrong("a rolling update begins, restarts or drains in negative time");
    if (setup.autoscaler)
        return wrong(
            "a rolling update beside an autoscaler does not know which replicas stay; "
            "leave one of the two out");
    return {};
}

Result<void> check_replica(const SimReplica& kind, uint32_t block_tokens) {
    TRY(check_config(kind.scheduler));
    if (kind.count == 0) return wrong("count is 0; leave the kind out instead");
    if (kind.kv_tokens / block_tokens < 2)
        return wrong("kv_tokens is ", kind.kv_tokens, "; at least 2 blocks of ", block_tokens,
                     " tokens are needed");
    if (kind.kv_tokens / block_tokens > UINT32_MAX / 2)
        return wrong("kv_tokens is ", kind.kv_tokens, ", which is more than 2^31 blocks");
    if (kind.tiers.any()) TRY(check_tiers(kind));
    TRY(check(kind.speculation));
    StepShape one;
    one.add_decode(1);
    if (kind.cost.time(one) <= Duration())
        return wrong("a step takes no time; set the coefficients of its cost");
    return {};
}

}  // namespace

Result<void> check_setup(const Trace& trace, const SimSetup& setup) {
    uint64_t replicas = 0;
    for (const SimReplica& kind : setup.replicas) {
        const Result<void> checked = check_replica(kind, trace.block_tokens);
        if (!checked.ok())
            return Error(checked.error()).in(concat("replica kind '", kind.name, "'"));
        replicas += kind.count;
    }
    if (replicas == 0) return wrong("there are no replicas");
    TRY(check_split(setup));
    TRY(check_models(trace, setup));
    TRY(check_people(trace, setup));
    TRY(check_rollout(setup));
    if (replicas > 1'000'000) return wrong(replicas, " replicas; at most a million");
    for (const SimFault& fault : setup.faults)
        if (fault.replica >= replicas || fault.at < Instant())
            return wrong("a fault at replica ", fault.replica, "; there are ", replicas,
                         ", from 0 on");
    if (setup.autoscaler) {
        const SimAutoscaler& rules = *setup.autoscaler;
        if (rules.least == 0 || rules.least > replicas)
            return wrong("the autoscaler keeps ", rules.least, " replicas; 1 to ", replicas,
                         " works");
        if (rules.every <= Duration()) return wrong("the autoscaler must look now and then");
        if (rules.calls_down >= rules.calls_up)
            return wrong("the autoscaler adds above ", rules.calls_up, " calls and drains below ",
                         rules.calls_down, "; the first must be more");
    }
    if (setup.admission) TRY(check_config(setup.admission->queue));
    if (setup.sample_every < Duration()) return wrong("sample_every is negative");
    return {};
}

}  // namespace brigada
