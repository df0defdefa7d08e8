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

Result<void> check_replica(const SimReplica& kind, uint32_t block_tokens) {
    TRY(check_config(kind.scheduler));
    if (kind.count == 0) return wrong("count is 0; leave the kind out instead");
    if (kind.kv_tokens / block_tokens < 2)
        return wrong("kv_tokens is ", kind.kv_tokens, "; at least 2 blocks of ", block_tokens,
                     " tokens are needed");
    if (kind.kv_tokens / block_tokens > UINT32_MAX / 2)
        return wrong("kv_tokens is ", kind.kv_tokens, ", which is more than 2^31 blocks");
    if (kind.tiers.any()) TRY(check_tiers(kind));
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
