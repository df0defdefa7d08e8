// What counting a prompt costs: an agent's conversation of 400 KB with 60 tools, cold and when one
// more round has been added, with the real vocabulary and template of Qwen3. The vocabulary is as
// in tokens/tokenizer_golden_test.cc; without it nothing is measured.
#include <benchmark/benchmark.h>

#include "gateway/count/bench_prompts.h"
#include "gateway/count/cut_messages.h"
#include "net/http.h"

namespace brigada {
namespace {

constexpr size_t kConversationBytes = 400'000;
constexpr size_t kRoundBytes = 5'500;  // 72 rounds: what an agent reads at a time
constexpr ContentKey kSalt{1, 2};

PromptCounter* counter() {
    static const auto made = open_qwen3_counter();
    return made.get();
}

void add_round(Json& messages) {
    const std::string id = "call" + std::to_string(10'000 + messages.size());
    const Json arguments = {{"path", "/src/a.cc"},
                            {"text", code(kRoundBytes / 5, messages.size() * 7'919)}};
    const Json call = {{"id", id},
                       {"type", "function"},
                       {"function", {{"name", "tool_1"}, {"arguments", dump_json(arguments)}}}};
    messages.push_back(
        {{"role", "assistant"}, {"content", "Reading on."}, {"tool_calls", Json::array({call})}});
    messages.push_back({{"role", "tool"},
                        {"tool_call_id", id},
                        {"content", code(kRoundBytes * 4 / 5, messages.size() * 104'729)}});
}

Json conversation() {
    Json out = {{{"role", "system"}, {"content", code(12'000, 1)}},
                {{"role", "user"}, {"content", "Please mend the build."}}};
    for (size_t bytes = 12'000; bytes < kConversationBytes; bytes += kRoundBytes)
        add_round(out);
    return out;
}

Json sixty_tools() {
    Json out = Json::array();
    for (size_t i = 0; i < 60; ++i)
        out.push_back({{"type", "function"},
                       {"function",
                        {{"name", "tool_" + std::to_string(i)},
                         {"description", code(400, i * 1'000)},
                         {"parameters",
                          {{"type", "object"},
                           {"properties", {{"path", {{"type", "string"}}}}},
                           {"required", {"path"}}}}}}});
    return out;
}

struct Body {
    explicit Body(const Json& conversation) : messages(dump_json(conversation)) {
        messages.reserve(messages.size() + kBodyPadding);
        tools.reserve(tools.size() + kBodyPadding);
    }
    PromptSource source() const { return {.tools = tools, .messages = cut_messages(messages)}; }

    std::string messages, tools = dump_json(sixty_tools());
};

void cold(benchmark::State& state) {
    if (!counter()) return state.SkipWithError("the vocabulary is absent: tools/fetch_tokenizers");
    const Body body(conversation());
    int64_t tokens = 0;
    for (auto _ : state) {
        const auto turn = counter()->read(body.source(), kSalt, 0);
        StretchMemo memo(16 << 20);
        SaltedStretches known(memo, kSalt);
        tokens = counter()->count_whole(*turn, &known)->tokens;
    }
    state.counters["tokens"] = static_cast<double>(tokens);
    state.counters["bytes"] = static_cast<double>(body.messages.size() + body.tools.size());
}

/// Not the turn but its stretches are remembered, as after an edit: nothing is tokenised again.
void rendered_again(benchmark::State& state) {
    if (!counter()) return state.SkipWithError("the vocabulary is absent: tools/fetch_tokenizers");
    const Body body(conversation());
    StretchMemo memo(16 << 20);
    SaltedStretches known(memo, kSalt);
    for (auto _ : state) {
        const auto turn = counter()->read(body.source(), kSalt, 0);
        benchmark::DoNotOptimize(counter()->count_whole(*turn, &known));
    }
}

void next_turn(benchmark::State& state) {
    if (!counter()) return state.SkipWithError("the vocabulary is absent: tools/fetch_tokenizers");
    Json messages = conversation();
    const Body before(messages);
    add_round(messages);
    const Body body(messages);
    CountMemo memo(16 << 20);
    const auto first = counter()->read(before.source(), kSalt, 0);
    const CountedPrompt known = *counter()->count_whole(*first, nullptr);
    memo.put(first->key(), known);
    for (auto _ : state) {
        const auto turn = counter()->read(body.source(), kSalt, 0);
        const auto counted = counter()->count_appended(*turn, memo, 1 << 20);
        if (!counted) return state.SkipWithError("counted whole");
        benchmark::DoNotOptimize(*counted);
    }
}

void read_keys(benchmark::State& state) {
    if (!counter()) return state.SkipWithError("the vocabulary is absent: tools/fetch_tokenizers");
    const Body body(conversation());
    for (auto _ : state)
        benchmark::DoNotOptimize(counter()->read(body.source(), kSalt, 0));
}

BENCHMARK(cold)->Unit(benchmark::kMillisecond);
BENCHMARK(rendered_again)->Unit(benchmark::kMillisecond);
BENCHMARK(next_turn)->Unit(benchmark::kMicrosecond);
BENCHMARK(read_keys)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace brigada
