#include "sim/check_setup.h"

#include <algorithm>

#include "base/concat.h"

namespace brigada {

namespace {

template <typename... Parts>
Error wrong(const Parts&... parts) {
    return {Code::invalid_argument, concat(parts...)};
}

/// How many blocks the call lists, or what is wrong with it.
Result<uint64_t> check_call(const TraceCall& call, uint64_t listed_before, uint32_t block_tokens) {
    if (call.prompt_tokens == 0 || call.output_tokens == 0)
        return wrong(call.prompt_tokens, " prompt and ", call.output_tokens,
                     " output tokens; each must be at least 1");
    if (call.keep_blocks > listed_before)
        return wrong("keeps ", call.keep_blocks, " blocks of a call that has ", listed_before);
    if (call.gap < Duration()) return wrong("its gap is ", call.gap.seconds(), " s");
    uint64_t listed = call.keep_blocks;
    for (const BlockRun& run : call.added)
        listed += run.count;
    const uint64_t full = call.prompt_tokens / block_tokens;
    if (listed < full)
        return wrong(call.prompt_tokens, " prompt tokens are ", full, " full blocks of ",
                     block_tokens, ", but ", listed, " are listed");
    return listed;
}

Result<void> check_session(const Trace& trace, uint32_t index) {
    const TraceSession& session = trace.sessions[index];
    if (session.tenant >= std::max<size_t>(trace.tenants.size(), 1))
        return wrong("tenant ", session.tenant, "; the trace has ", trace.tenants.size());
    if (session.start < Instant()) return wrong("starts before time 0");
    if (session.parent) {
        const auto [parent, call] = *session.parent;
        if (parent >= index || call >= trace.sessions[parent].calls.size())
            return wrong("is called by call ", call, " of session ", parent,
                         ", which does not stand before it");
    }
    uint64_t listed = 0;
    for (size_t i = 0; i < session.calls.size(); ++i) {
        auto checked = check_call(session.calls[i], listed, trace.block_tokens);
        if (!checked.ok()) return std::move(checked).error().in(concat("call ", i));
        listed = *checked;
    }
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
    StepShape one;
    one.add_decode(1);
    if (kind.cost.time(one) <= Duration())
        return wrong("a step takes no time; set the coefficients of its cost");
    return {};
}

}  // namespace

Result<void> check_trace(const Trace& trace) {
    if (trace.block_tokens == 0) return wrong("block_tokens of the trace is 0");
    if (trace.names > UINT32_MAX / 2) return wrong("the trace has ", trace.names, " block names");
    for (uint32_t i = 0; i < trace.sessions.size(); ++i) {
        const Result<void> checked = check_session(trace, i);
        if (!checked.ok())
            return Error(checked.error())
                .in(concat(trace.origin, ": session ", i, " (", trace.sessions[i].name, ")"));
    }
    return {};
}

Result<void> check_setup(const Trace& trace, const SimSetup& setup) {
    uint64_t replicas = 0;
    for (const SimReplica& kind : setup.replicas) {
        const Result<void> checked = check_replica(kind, trace.block_tokens);
        if (!checked.ok())
            return Error(checked.error()).in(concat("replica kind '", kind.name, "'"));
        replicas += kind.count;
    }
    if (replicas == 0) return wrong("there are no replicas");
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
