// Small worlds for tests: random sessions that share a system prompt, go on from their answers or
// branch, and call sub-agents; and a fleet with far too little KV whose steps take whole
// nanoseconds, so that many steps at once take exactly as long as one by one.
#pragma once

#include "base/rng.h"
#include "sim/simulate.h"

namespace brigada {

constexpr uint32_t kTestBlock = 8;

inline StepCost exact_cost() {
    StepCoefficients c;
    c.weights_s = 4e-3;
    c.kv_per_token = 1e-6;
    c.comm_per_token = 1e-4;
    c.step_s = 1e-3;
    return StepCost(c);
}

inline SimSetup small_setup(uint32_t replicas = 1, uint64_t kv_tokens = 4'096) {
    SimReplica kind;
    kind.name = "small";
    kind.count = replicas;
    kind.cost = exact_cost();
    kind.scheduler.step_tokens = 64;
    kind.scheduler.max_running = 8;
    kind.scheduler.max_context = 2'048;
    kind.kv_tokens = kv_tokens;
    kind.dollars_per_hour = 3'600;
    SimSetup setup;
    setup.replicas = {kind};
    return setup;
}

/// Adds a call whose prompt keeps `keep` blocks of the one before and has fresh ones after them.
inline void add_call(Trace& trace, TraceSession& session, uint32_t keep, uint32_t prompt_tokens,
                     uint32_t output_tokens, Duration gap, bool user = true) {
    TraceCall call;
    call.gap = session.calls.empty() ? Duration() : gap;
    call.prompt_tokens = prompt_tokens;
    call.output_tokens = output_tokens;
    call.keep_blocks = keep;
    call.user = user;
    const uint32_t blocks = (prompt_tokens + kTestBlock - 1) / kTestBlock;
    if (blocks > keep) call.added.push_back({trace.names, blocks - keep});
    trace.names += blocks - keep;
    session.calls.push_back(std::move(call));
}

inline Trace empty_trace() {
    Trace trace;
    trace.origin = "made for a test";
    trace.block_tokens = kTestBlock;
    trace.models = {"large", "small"};
    trace.tenants = {"ada", "bob", "eve"};
    return trace;
}

inline TraceSession random_session(Trace& trace, Rng& rng) {
    constexpr uint32_t kSystemBlocks = 3;
    TraceSession session;
    session.name = concat("session ", trace.sessions.size());
    session.start = Instant::at_ns(rng.between(0, 2'000'000'000));
    session.tenant = static_cast<uint32_t>(rng.below(trace.tenants.size()));
    const int64_t calls = rng.between(1, 7);
    for (int64_t i = 0; i < calls; ++i) {
        const bool is_first = session.calls.empty();
        const uint32_t before = is_first ? 0 : session.calls.back().prompt_tokens;
        const uint32_t answer = is_first ? 0 : session.calls.back().output_tokens;
        const bool goes_on = !is_first && rng.chance(0.8);
        uint32_t keep = before / kTestBlock;
        if (!goes_on) keep = std::min<uint32_t>(keep, kSystemBlocks + uint32_t(rng.below(6)));
        const uint32_t prompt = goes_on ? before + answer + uint32_t(rng.between(1, 40))
                                        : (keep + 3) * kTestBlock + uint32_t(rng.between(1, 60));
        add_call(trace, session, keep, prompt, uint32_t(rng.between(1, 60)),
                 Duration::milliseconds(rng.between(0, 400)), rng.chance(0.4));
        if (is_first)  // the system prompt is everybody's
            session.calls.back().added = {{0, kSystemBlocks},
                                          {trace.names, (prompt - 1) / kTestBlock + 1 - 3}};
        trace.names += is_first ? (prompt - 1) / kTestBlock + 1 : 0;
        session.calls.back().model = rng.chance(0.2) ? 1 : 0;
    }
    return session;
}

inline Trace random_trace(Rng& rng) {
    Trace trace = empty_trace();
    trace.names = 3;
    const int64_t sessions = rng.between(2, 14);
    for (int64_t i = 0; i < sessions; ++i) {
        TraceSession session = random_session(trace, rng);
        if (i > 0 && rng.chance(0.25)) {
            const auto parent = static_cast<uint32_t>(rng.below(trace.sessions.size()));
            const auto call = rng.below(trace.sessions[parent].calls.size());
            session.parent = ParentCall{parent, static_cast<uint32_t>(call)};
            session.tenant = trace.sessions[parent].tenant;
        }
        trace.sessions.push_back(std::move(session));
    }
    return trace;
}

/// Everything that can go wrong, now and then.
inline SimSetup random_setup(Rng& rng) {
    SimSetup setup = small_setup(uint32_t(rng.between(1, 4)), uint64_t(rng.between(24, 160)) * 8);
    SimReplica& kind = setup.replicas.front();
    kind.scheduler.max_running = uint32_t(rng.between(1, 8));
    kind.scheduler.max_waiting = rng.chance(0.3) ? 2 : 1'000;
    kind.scheduler.ageing = Duration::milliseconds(rng.between(50, 2'000));
    kind.scheduler.tenant_fairness = rng.chance(0.7);
    const char* const policies[] = {"session", "round-robin", "least-busy", "prefix-hash"};
    setup.policy = policies[rng.below(4)];
    setup.seed = rng.next();
    for (int64_t faults = rng.between(0, 6); faults > 0; --faults)
        setup.faults.push_back({Instant::at_ns(rng.between(0, 6'000'000'000)),
                                uint32_t(rng.below(kind.count)),
                                static_cast<FaultKind>(rng.below(3))});
    if (rng.chance(0.4)) {
        SimAdmission& admission = setup.admission.emplace();
        admission.queue.slots = rng.between(2, 8);
        admission.queue.classes[0].floor_slots = 1;
        admission.queue.classes[2].queue_requests = 2;
        admission.longest_wait = Duration::milliseconds(rng.between(100, 4'000));
        admission.classes = {PriorityClass::guaranteed, PriorityClass::standard,
                             PriorityClass::batch};
    }
    if (rng.chance(0.3)) setup.clients.timeout = Duration::milliseconds(rng.between(200, 3'000));
    if (rng.chance(0.2))
        setup.autoscaler = SimAutoscaler{.calls_up = 3,
                                         .calls_down = 1,
                                         .every = Duration::milliseconds(100),
                                         .lag = Duration::milliseconds(300),
                                         .settle = Duration::milliseconds(500)};
    if (rng.chance(0.3)) setup.sample_every = Duration::milliseconds(250);
    if (rng.chance(0.4)) {
        kind.kv_bytes_per_token = 1'000;
        kind.tiers = {.ram_bytes = rng.below(2'000) * 1'000,
                      .disk_bytes = rng.below(4'000) * 1'000,
                      .ram_bytes_per_s = 2e7,
                      .disk_bytes_per_s = rng.chance(0.5) ? 1e7 : 1e6};
    }
    if (!setup.autoscaler && rng.chance(0.3)) {
        kind.kv_bytes_per_token = 1'000;
        kind.role = ReplicaRole::decode;
        SimReplica reader = kind;
        reader.role = ReplicaRole::prefill;
        reader.count = uint32_t(rng.between(1, 2));
        reader.tiers = {};
        setup.replicas.push_back(reader);
        setup.link = {.bytes_per_s = 1e7,
                      .latency = Duration::microseconds(rng.between(0, 3'000)),
                      .local_tokens = uint32_t(rng.below(60))};
    }
    if (rng.chance(0.3)) {
        setup.clients.interrupt_chance = 0.3;
        setup.clients.interrupt_within = Duration::milliseconds(rng.between(1, 1'000));
    }
    if (!setup.autoscaler && rng.chance(0.3))
        setup.rollout = SimRollout{.at = Instant::at_ns(rng.between(0, 3'000'000'000)),
                                   .restart = Duration::milliseconds(rng.between(0, 500)),
                                   .longest_drain = Duration::milliseconds(rng.between(0, 500))};
    if (rng.chance(0.3)) setup.limits = {{.requests_per_minute = 3}, {.tokens_per_minute = 900}};
    if (rng.chance(0.3))
        for (SimReplica& each : setup.replicas)
            each.speculation = {rng.chance(0.5) ? 1u : 3u, 1, 1e-3};  // 2 or 4 tokens a step
    if (rng.chance(0.2)) {
        SimReplica small = setup.replicas.front();
        setup.replicas.front().models = {0};
        small.models = {1};
        setup.replicas.push_back(small);
    }
    return setup;
}

}  // namespace brigada
