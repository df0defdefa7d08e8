// What the body of a call costs the front door when Claude Code speaks to an upstream of Chat
// Completions: 400 KB with 60 tools, the second turn of a session, read, named, counted with the
// vocabulary and template of Qwen3, and translated, as a ClientCall does it. Without the vocabulary
// (tokens/tokenizer_golden_test.cc says where it is looked for) nothing is measured.
#include <benchmark/benchmark.h>

#include "base/json.h"
#include "gateway/body_memo.h"
#include "gateway/call_translation.h"
#include "gateway/count/bench_prompts.h"
#include "gateway/prompt_source_of.h"
#include "net/http.h"

namespace brigada {
namespace {

constexpr size_t kBodyBytes = 400'000;
constexpr ContentKey kSalt{1, 2};

Json sixty_tools() {
    Json out = Json::array();
    for (size_t i = 0; i < 60; ++i) {
        Json properties = Json::object();
        for (size_t j = 0; j < 8; ++j)
            properties["argument_" + std::to_string(j)] = {
                {"type", j % 3 == 0 ? "integer" : "string"},
                {"description", code(80, i * 977 + j)}};
        out.push_back({{"name", "tool_" + std::to_string(i)},
                       {"description", code(600, i * 1'009)},
                       {"input_schema",
                        {{"type", "object"},
                         {"properties", properties},
                         {"required", {"argument_0"}},
                         {"additionalProperties", false}}}});
    }
    return out;
}

Json user(std::string text) {
    return {{"role", "user"}, {"content", {{{"type", "text"}, {"text", std::move(text)}}}}};
}

/// A call and its result: 5,500 bytes.
void add_round(Json& messages) {
    const size_t number = messages.size();
    const std::string id = "toolu_" + std::to_string(10'000 + number);
    messages.push_back(
        {{"role", "assistant"},
         {"content",
          {{{"type", "text"}, {"text", "Reading on."}},
           {{"type", "tool_use"},
            {"id", id},
            {"name", "tool_1"},
            {"input", {{"path", "/src/a.cc"}, {"text", code(1'100, number * 7'919)}}}}}}});
    messages.push_back(
        {{"role", "user"},
         {"content",
          {{{"type", "tool_result"},
            {"tool_use_id", id},
            {"content", {{{"type", "text"}, {"text", code(4'400, number * 104'729)}}}}}}}});
}

std::string body_of(const Json& messages) {
    static const Json tools = sixty_tools();
    std::string out = dump_json({{"model", "claude"},
                                 {"max_tokens", 32'000},
                                 {"system", {{{"type", "text"}, {"text", code(12'000, 1)}}}},
                                 {"tools", tools},
                                 {"messages", messages},
                                 {"stream", true}});
    out.reserve(out.size() + kBodyPadding);
    return out;
}

/// The first turn of a session, long already, and the second, in which the user has spoken again.
struct Session {
    Session() {
        Json messages = Json::array({user("Please mend the build.")});
        while (body_of(messages).size() < kBodyBytes)
            add_round(messages);
        messages.push_back(user("Go on."));
        first = body_of(messages);
        messages.push_back({{"role", "assistant"},
                            {"content", {{{"type", "text"}, {"text", "Done: it builds again."}}}}});
        messages.push_back(user("Now the tests, please. " + code(2'000, 5)));
        second = body_of(messages);
    }
    std::string first, second;
};

/// How far the work goes.
enum class Until { count, count_and_translate, all };

void body_of_the_second_turn(benchmark::State& state, Until until) {
    static const auto counter = open_qwen3_counter();
    if (!counter) return state.SkipWithError("the vocabulary is absent: tools/fetch_tokenizers");
    const Session session;
    BodyMemo bodies(16 << 20, 1);
    CountMemo memo(16 << 20);
    const auto source_of = [](const ReadBody& read, std::string_view text) {
        return prompt_source_of(read.body, text, read.message_keys, Dialect::messages);
    };
    const auto read_first = bodies.read(session.first, Dialect::messages, "team:red");
    const auto begun = counter->read(source_of(*read_first, session.first), kSalt, 0);
    memo.put(begun->key(), *counter->count_whole(*begun, nullptr));
    const ReadBody known = *bodies.read(session.second, Dialect::messages, "team:red");
    int64_t tokens = 0;
    for (auto _ : state) {
        std::optional<ReadBody> fresh;
        if (until == Until::all) {
            state.PauseTiming();
            bodies = BodyMemo(16 << 20, 1);
            benchmark::DoNotOptimize(bodies.read(session.first, Dialect::messages, "team:red"));
            state.ResumeTiming();
            fresh = *bodies.read(session.second, Dialect::messages, "team:red");
        }
        const auto turn =
            counter->read(source_of(fresh ? *fresh : known, session.second), kSalt, 0);
        const auto counted = counter->count_appended(*turn, memo, 48 << 10);
        if (!counted) return state.SkipWithError("counted whole");
        tokens = counted->tokens;
        if (until == Until::count) continue;
        auto translation = CallTranslation::of(session.second, Dialect::messages,
                                               {.id = "msg_1", .model = "coder"}, true);
        benchmark::DoNotOptimize(translation->request(Dialect::chat, "coder")->size());
    }
    state.counters["bytes"] = static_cast<double>(session.second.size());
    state.counters["tokens"] = static_cast<double>(tokens);
}
BENCHMARK_CAPTURE(body_of_the_second_turn, count, Until::count)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(body_of_the_second_turn, count_and_translate, Until::count_and_translate)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(body_of_the_second_turn, all, Until::all)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace brigada
