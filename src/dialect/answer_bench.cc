// Answers on their way from one dialect to another: the CPU that one event of a stream costs, and
// that a whole answer does.
#include <benchmark/benchmark.h>

#include "base/concat.h"
#include "base/file.h"
#include "dialect/answer_reader.h"
#include "dialect/answer_writer.h"
#include "dialect/event_splitter.h"

namespace brigada {
namespace {

std::string golden(std::string_view name, Dialect from, std::string_view suffix) {
    return read_file(
               concat(BRIGADA_TESTDATA "/dialect/answers/", name, "/", to_string(from), suffix),
               1 << 20)
        .value();
}

std::vector<std::string> events_of(std::string_view name, Dialect from) {
    EventSplitter splitter;
    const std::string stream = golden(name, from, ".sse");
    std::vector<std::string> out;
    std::string joined;
    for (const std::string_view event : splitter.feed(stream).value())
        out.emplace_back(event_data(event, joined));
    return out;
}

/// A long answer: the event that carries text, again and again.
void text_event(benchmark::State& state, Dialect from, Dialect to) {
    const std::vector<std::string> events = events_of("text", from);
    const auto is_text = [](const std::string& data) { return data.contains("wörld"); };
    const auto text = std::ranges::find_if(events, is_text);
    const Conversation asked;
    const auto reader = make_answer_reader(from);
    const auto writer = make_answer_writer(to, {.id = "id", .model = "m", .asked = &asked});
    std::string out;
    const AnswerSink sink = [&](const AnswerEvent& event) { writer->write(event, out); };
    for (auto at = events.begin(); at != text; ++at)
        reader->event(*at, sink).value();
    for (auto _ : state) {
        out.clear();
        benchmark::DoNotOptimize(reader->event(*text, sink).ok());
    }
    state.counters["bytes"] = static_cast<double>(text->size());
}

/// A whole stream with calls side by side, from its first event to its last.
void calls(benchmark::State& state, Dialect from, Dialect to) {
    const std::vector<std::string> events = events_of("parallel", from);
    const Conversation asked;
    std::string out;
    for (auto _ : state) {
        const auto reader = make_answer_reader(from);
        const auto writer = make_answer_writer(to, {.id = "id", .model = "m", .asked = &asked});
        out.clear();
        for (const std::string& data : events)
            reader->event(data, [&](const AnswerEvent& e) { writer->write(e, out); }).value();
    }
    state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(events.size()));
}

constexpr Dialect kAll[] = {Dialect::chat, Dialect::messages, Dialect::responses};

const bool kRegistered = [] {
    for (const Dialect from : kAll)
        for (const Dialect to : kAll) {
            const std::string pair = concat(to_string(from), "_to_", to_string(to));
            benchmark::RegisterBenchmark(concat("answer_text_event/", pair).c_str(), text_event,
                                         from, to);
            benchmark::RegisterBenchmark(concat("answer_calls/", pair).c_str(), calls, from, to);
        }
    return true;
}();

}  // namespace
}  // namespace brigada
