// Routing decisions at agent sizes: prompts of 100,000 tokens, 6,250 blocks of 16,
// of sessions that the index knows.
#include <benchmark/benchmark.h>

#include <algorithm>

#include "base/rng.h"
#include "route/router.h"
#include "route/session_policy.h"

namespace brigada {
namespace {

constexpr uint32_t kUpstreams = 64;
constexpr uint32_t kSessions = 256;
constexpr size_t kBlocks = 6'250;
constexpr size_t kTools = 800;      // 13K tokens that all share
constexpr uint32_t kRoom = 62'500;  // a million tokens each

std::vector<std::vector<BlockKey>> prompts() {
    Rng rng(1);
    std::vector<std::vector<BlockKey>> prompts(kSessions);
    std::vector<BlockKey> tools;
    while (tools.size() < kTools)
        tools.push_back(BlockKey{rng.next()});
    for (auto& keys : prompts) {
        keys = tools;
        while (keys.size() < kBlocks)
            keys.push_back(BlockKey{rng.next()});
    }
    return prompts;
}

std::vector<UpstreamId> all_upstreams(uint32_t upstreams) {
    std::vector<UpstreamId> ids;
    for (uint32_t i = 0; i < upstreams; ++i)
        ids.push_back(UpstreamId{i});
    return ids;
}

/// The index alone: how much of a prompt each upstream holds. Sessions in turn, so that only what
/// their prompts share is in the processor's cache.
void predict_at_upstreams(benchmark::State& state) {
    const auto upstreams = static_cast<uint32_t>(state.range(0));
    PrefixIndex index(Rng(2));
    const auto all = prompts();
    const auto ids = all_upstreams(upstreams);
    for (const UpstreamId id : ids)
        index.add(id, kRoom);
    for (size_t i = 0; i < std::max(upstreams, kSessions); ++i)
        index.routed(UpstreamId{uint32_t(i % upstreams)}, all[i % kSessions]);
    size_t next = 0;
    for (auto _ : state) {
        const auto& keys = all[next++ % kSessions];
        benchmark::DoNotOptimize(index.predict(ids, keys));
    }
    size_t blocks = 0;
    for (const UpstreamId id : ids)
        blocks += index.held(id).blocks();
    state.counters["bytes_per_block"] = double(index.bytes()) / double(blocks);
}
BENCHMARK(predict_at_upstreams)->Arg(64)->Arg(1'000)->Unit(benchmark::kMicrosecond);

/// A session whose prompts change near their end at every call: 300 times, two blocks before it.
void predict_of_an_edited_session(benchmark::State& state) {
    PrefixIndex index(Rng(2));
    index.add(UpstreamId{0}, kRoom);
    std::vector<BlockKey> keys = prompts().front();
    Rng rng(3);
    for (int call = 0; call < 300; ++call) {
        index.routed(UpstreamId{0}, keys);
        keys.resize(keys.size() - 2);
        for (int i = 0; i < 7; ++i)
            keys.push_back(BlockKey{rng.next()});
    }
    for (auto _ : state)
        benchmark::DoNotOptimize(index.predict(UpstreamId{0}, keys));
}
BENCHMARK(predict_of_an_edited_session)->Unit(benchmark::kMicrosecond);

/// A call's whole life in the router: choose, accepted, first token, ended with its report.
void whole_call(benchmark::State& state) {
    Router router(std::make_unique<SessionPolicy>(SessionPolicyConfig{}), {}, Rng(2));
    const auto all = prompts();
    const auto ids = all_upstreams(kUpstreams);
    for (const UpstreamId id : ids)
        router.add(id, {.name = 1'000 + raw(id), .kv_blocks = kRoom});
    Instant now;
    uint64_t next = 0;
    const auto serve = [&] {
        const Call call{.id = CallId{++next},
                        .session = SessionId{1 + next % kSessions},
                        .keys = all[next % kSessions],
                        .prompt_tokens = int64_t{kBlocks} * kBlockTokens};
        now = now + Duration::milliseconds(100);
        const auto route = router.choose(call, ids, now);
        router.accepted(call);
        router.first_token(call.id, now);
        benchmark::DoNotOptimize(
            router.ended(call.id, Ending::answered,
                         ReportedPrompt{call.prompt_tokens, route->cached_tokens}, now));
    };
    for (uint32_t i = 0; i < kSessions; ++i)
        serve();
    for (auto _ : state)
        serve();
}
BENCHMARK(whole_call)->Unit(benchmark::kMicrosecond);

/// A prompt that is new everywhere goes to a full upstream: each block evicts one.
void insert_with_eviction(benchmark::State& state) {
    BlockHolders holders(1);
    HeldBlocks held(kRoom, holders);
    const auto all = prompts();
    size_t next = 0;
    for (auto _ : state)
        held.insert(all[next++ % kSessions]);
}
BENCHMARK(insert_with_eviction)->Unit(benchmark::kMicrosecond);

/// What a full engine says of each prompt: the blocks of its steps are stored, as many others are
/// removed, one by one from the end of the prompt used longest ago.
void engine_events(benchmark::State& state) {
    PrefixIndex index(Rng(1));
    index.add(UpstreamId{0}, kRoom);
    const auto all = prompts();
    size_t next = 0;
    for (auto _ : state) {
        const std::span keys = all[next % kSessions];
        for (size_t at = 0; at < keys.size(); at += 512)
            index.stored(UpstreamId{0}, at == 0 ? std::nullopt : std::optional(keys[at - 1]),
                         keys.subspan(at, std::min<size_t>(512, keys.size() - at)));
        if (++next < 8) continue;
        const auto& oldest = all[(next - 8) % kSessions];
        for (size_t at = kBlocks; at > kTools; --at)
            index.removed(UpstreamId{0}, std::span(oldest).subspan(at - 1, 1));
    }
}
BENCHMARK(engine_events)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace brigada
