// Rendering at agent size: a conversation of 144 messages and about 400 KB with 20 tools, through
// the templates of models that serve agents. Bytes per second are those of the rendered prompt.
#include <benchmark/benchmark.h>

#include "base/file.h"
#include "tokens/chat_template.h"

namespace brigada {
namespace {

std::string filler(size_t bytes, int seed) {
    static constexpr std::string_view kWords[] = {
        "if (ok) {\n", "    return ", "\"value\": ", "the ", "file ",
        "<b>&</b> ",   "niño ",       "0x1f, ",      "}\n"};
    std::string out;
    for (size_t i = static_cast<size_t>(seed); out.size() < bytes; i = i * 31 + 7)
        out += kWords[i % std::size(kWords)];
    return out;
}

/// One user turn whose calls and results fill the rest, as agents' conversations do.
Json agent_messages(int count, size_t total_bytes) {
    const size_t each = total_bytes / static_cast<size_t>(count);
    Json out = {{{"role", "system"}, {"content", filler(each, 1)}},
                {{"role", "user"}, {"content", filler(each, 2)}}};
    for (int i = 2; i < count; i += 2) {
        const Json arguments = {{"path", "/src/a.cc"}, {"text", filler(each / 2, i)}};
        const Json call = {{"id", "call12345"},
                           {"type", "function"},
                           {"function", {{"name", "edit"}, {"arguments", dump_json(arguments)}}}};
        out.push_back({{"role", "assistant"},
                       {"content", filler(each / 2, i + 1)},
                       {"tool_calls", Json::array({call})}});
        out.push_back({{"role", "tool"},
                       {"tool_call_id", "call12345"},
                       {"name", "edit"},
                       {"content", filler(each, i + 2)}});
    }
    return out;
}

Json agent_tools(int count) {
    Json out = Json::array();
    for (int i = 0; i < count; ++i)
        out.push_back({{"type", "function"},
                       {"function",
                        {{"name", "tool_" + std::to_string(i)},
                         {"description", filler(400, i)},
                         {"parameters",
                          {{"type", "object"},
                           {"properties",
                            {{"path", {{"type", "string"}, {"description", "a path"}}},
                             {"text", {{"type", "string"}, {"description", "a text"}}}}},
                           {"required", {"path"}}}}}}});
    return out;
}

void render_agent_conversation(benchmark::State& state, const std::string& name) {
    const Path folder = Path(BRIGADA_TESTDATA) / "chat-templates" / "templates";
    const auto compiled = ChatTemplate::parse(*read_file(folder / name, 1 << 20), "<s>", "</s>");
    const ChatInput input{.messages = agent_messages(144, 400'000), .tools = agent_tools(20)};
    size_t bytes = 0;
    for (auto _ : state) {
        const auto text = compiled->render(input);
        if (!text.ok()) {
            state.SkipWithError(text.error().message.c_str());
            return;
        }
        bytes += text->size();
        benchmark::DoNotOptimize(text->data());
    }
    state.SetBytesProcessed(static_cast<int64_t>(bytes));
}

BENCHMARK_CAPTURE(render_agent_conversation, qwen3, "qwen3.jinja")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(render_agent_conversation, qwen3_coder, "qwen3-coder.jinja")
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(render_agent_conversation, glm_4_6, "glm-4.6.jinja")
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(render_agent_conversation, gpt_oss, "gpt-oss.jinja")
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(render_agent_conversation, kimi_k2, "kimi-k2.jinja")
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(render_agent_conversation, deepseek_v3_1, "deepseek-v3.1.jinja")
    ->Unit(benchmark::kMicrosecond);

void parse_largest_template(benchmark::State& state) {
    const Path folder = Path(BRIGADA_TESTDATA) / "chat-templates" / "templates";
    const std::string source = *read_file(folder / "gpt-oss.jinja", 1 << 20);
    for (auto _ : state)
        benchmark::DoNotOptimize(ChatTemplate::parse(source, "", ""));
}
BENCHMARK(parse_largest_template)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace brigada
