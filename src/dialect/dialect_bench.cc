// Requests of agents: what the front door pays to speak another dialect to an upstream.
#include <benchmark/benchmark.h>

#include "base/json.h"
#include "base/rng.h"
#include "dialect/padded_for_tests.h"
#include "dialect/read_conversation.h"
#include "dialect/write_conversation.h"

namespace brigada {
namespace {

/// Lines of code, with what JSON escapes.
std::string code(Rng& rng, size_t bytes) {
    std::string out;
    while (out.size() < bytes)
        out += concat("    if (value[", rng.below(1'000), "] == \"name", rng.below(100),
                      "\") return caf\u00e9;\n");
    return out;
}

Json tool(Rng& rng, int number) {
    Json properties = Json::object();
    for (int i = 0; i < 12; ++i)
        properties[concat("argument_", i)] = {{"type", i % 3 == 0 ? "integer" : "string"},
                                              {"description", code(rng, 80)}};
    return {{"name", concat("tool_", number)},
            {"description", code(rng, 600)},
            {"input_schema",
             {{"type", "object"}, {"properties", properties}, {"required", {"argument_0"}}}}};
}

/// A session of Claude Code: 60 tools, and 60 turns of a thought, a call that writes a file and
/// its result, 400 KB in all.
std::string agent_body() {
    Rng rng(1);
    Json tools = Json::array(), messages = Json::array();
    for (int i = 0; i < 60; ++i)
        tools.push_back(tool(rng, i));
    for (int i = 0; i < 60; ++i) {
        const std::string id = concat("toolu_", i);
        messages.push_back({{"role", "user"}, {"content", code(rng, 500)}});
        messages.push_back(
            {{"role", "assistant"},
             {"content",
              {{{"type", "thinking"}, {"thinking", code(rng, 400)}, {"signature", "c2ln"}},
               {{"type", "text"}, {"text", code(rng, 200)}},
               {{"type", "tool_use"},
                {"id", id},
                {"name", concat("tool_", i)},
                {"input", {{"path", "/a/b.cc"}, {"text", code(rng, 1'000)}}}}}}});
        messages.push_back({{"role", "user"},
                            {"content",
                             {{{"type", "tool_result"},
                               {"tool_use_id", id},
                               {"content", {{{"type", "text"}, {"text", code(rng, 2'000)}}}}}}}});
    }
    std::string body = dump_json({{"model", "claude"},
                                  {"max_tokens", 32'000},
                                  {"system", {{{"type", "text"}, {"text", code(rng, 15'000)}}}},
                                  {"tools", tools},
                                  {"messages", messages},
                                  {"stream", true}});
    return padded(std::move(body));
}

void read(benchmark::State& state) {
    const std::string body = agent_body();
    for (auto _ : state)
        benchmark::DoNotOptimize(read_conversation(body, Dialect::messages).ok());
    state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(body.size()));
}
BENCHMARK(read)->Unit(benchmark::kMicrosecond);

void translate(benchmark::State& state, Dialect to) {
    const std::string body = agent_body();
    for (auto _ : state) {
        const auto conversation = read_conversation(body, Dialect::messages);
        benchmark::DoNotOptimize(write_conversation(*conversation, to, "coder")->body.size());
    }
    state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(body.size()));
    state.counters["bytes"] = static_cast<double>(body.size());
}
BENCHMARK_CAPTURE(translate, to_chat, Dialect::chat)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(translate, to_responses, Dialect::responses)->Unit(benchmark::kMicrosecond);

/// From what an OpenAI client sends to Anthropic's dialect: arguments are checked on the way.
void translate_chat(benchmark::State& state) {
    const auto conversation_text = agent_body();
    const auto conversation = read_conversation(conversation_text, Dialect::messages);
    const std::string body =
        padded(write_conversation(*conversation, Dialect::chat, "coder")->body);
    for (auto _ : state) {
        const auto read = read_conversation(body, Dialect::chat);
        benchmark::DoNotOptimize(
            write_conversation(*read, Dialect::messages, "claude")->body.size());
    }
    state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(body.size()));
}
BENCHMARK(translate_chat)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace brigada
