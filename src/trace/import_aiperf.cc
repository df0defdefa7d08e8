// AIPerf's multi_turn JSON lines: session_id, turns[] with role, text, delay (ms), output_length. A
// turn adds its text, and the answer before it, to the prompt. A token is taken for 4 bytes.
#include "base/concat.h"
#include "trace/importer.h"

namespace brigada {

namespace {

constexpr size_t kTokenBytes = 4;
constexpr uint32_t kUnsaidOutput = 200;  // tokens of an answer whose length isn't said

struct Turn {
    Duration delay;
    uint32_t text_tokens = 0, output_tokens = 0;
    bool is_system = false;
};

Result<Turn> read_turn(const Record& record) {
    Turn out;
    TRY(const std::string text, record.text_or("text", ""));
    TRY(const std::string role, record.text_or("role", "user"));
    TRY(const auto delay, record.time_if("delay", Duration::milliseconds(1)));
    TRY(out.output_tokens, record.tokens_or("output_length", kUnsaidOutput));
    out.text_tokens = static_cast<uint32_t>((text.size() + kTokenBytes - 1) / kTokenBytes);
    out.delay = delay.value_or(Duration());
    out.is_system = role == "system";
    return out;
}

Result<std::vector<Turn>> read_turns(const Record& record) {
    TRY(const Json* list, record.array("turns"));
    std::vector<Turn> out;
    uint64_t tokens = 0;
    for (size_t i = 0; i < list->size(); ++i) {
        const Place place = record.place().element("turns", i);
        if (!(*list)[i].is_object())
            return Error{Code::invalid_argument, concat(place.text(), ": not an object")};
        TRY(out.emplace_back(), read_turn(Record((*list)[i], place)));
        tokens += out.back().text_tokens + out.back().output_tokens;
    }
    if (tokens > kMostTokens)
        return record.wrong(
            "turns", concat("they have ", tokens, " tokens; 0 to ", kMostTokens, " are believed"));
    return out;
}

Result<void> read(const Record& record, TraceBuilder& trace) {
    TRY(const std::string name, record.text_or("session_id", "session"));
    TRY(const std::vector<Turn> turns, read_turns(record));
    TRY(check_room(trace, kMostTokens, record.place()));
    TraceSession session{.name = name};
    PromptChain prompt;
    uint32_t tokens = 0;
    for (const Turn& turn : turns) {
        tokens += turn.text_tokens;
        if (turn.is_system) session.system_tokens = tokens;
        if (turn.is_system || tokens == 0) continue;
        TraceCall call{.gap = session.calls.empty() ? Duration() : turn.delay,
                       .model = trace.model(kNoModel),
                       .prompt_tokens = tokens,
                       .output_tokens = std::max(1U, turn.output_tokens)};
        const uint32_t before = session.calls.empty() ? 0 : session.calls.back().prompt_tokens;
        prompt.keep(before / trace.block_tokens());
        const uint32_t more = blocks_of(tokens, trace.block_tokens()) - prompt.blocks();
        prompt.add_run(trace.names().fresh(more), more);
        prompt.end(call);
        session.calls.push_back(std::move(call));
        tokens += turn.output_tokens;
    }
    if (session.calls.empty()) return record.wrong("turns", "at least one with text is needed");
    trace.add(std::move(session));
    return {};
}

}  // namespace

Result<void> import_aiperf(TraceText& text, Import& import) {
    TRY(import.trace.set_block_tokens(import.options.block_tokens));
    return each_json_line(text, import,
                          [&](const Record& record) { return read(record, import.trace); });
}

}  // namespace brigada
