// TraceLab: rounds of coding agents. The replay CSV has session_id, arrival_time (ms, of the
// session), round_idx, prefix_len, input_len, output_len, tool_wait_after_ms; the JSON lines have
// session_id, round_index, input_tokens_total, prefix_tokens, output_tokens, timing_events[].
#include <map>

#include "base/concat.h"
#include "trace/counted_sessions.h"

namespace brigada {

namespace {

constexpr Duration kMs = Duration::milliseconds(1);

// --- CSV: what is shared is said -----------------------------------------------------------------

struct Round {
    std::string session;
    Duration arrival, wait_after;
    uint32_t index = 0, prefix = 0, input = 0, output = 0;
};

Result<Round> read_round(const CsvTable& row) {
    Round out;
    TRY(out.session, row.text("session_id"));
    TRY(out.arrival, row.time("arrival_time", kMs));
    TRY(out.index, row.tokens("round_idx"));
    TRY(out.prefix, row.tokens("prefix_len"));
    TRY(out.input, row.tokens("input_len"));
    TRY(out.output, row.tokens("output_len"));
    TRY(out.wait_after, row.time("tool_wait_after_ms", kMs));
    if (out.prefix + out.input == 0 || out.prefix + out.input > kMostTokens)
        return wrong_field(row.place(), "prefix_len + input_len", concat(out.prefix + out.input),
                           concat("1 to ", kMostTokens, " tokens are believed"));
    return out;
}

class RoundReader {
  public:
    explicit RoundReader(TraceBuilder& trace) : trace_(trace) {}

    Result<void> read(const CsvTable& row) {
        TRY(const Round round, read_round(row));
        TRY(check_room(trace_, round.prefix + round.input, row.place()));
        const auto known = sessions_.find(round.session);
        const uint32_t expected = known == sessions_.end() ? 0 : known->second.next;
        if (round.index != expected)
            return wrong_field(row.place(), "round_idx", concat(round.index),
                               concat("session ", round.session, " goes on with round ", expected));
        Open& open = known == sessions_.end() ? begin(round) : known->second;
        add_call(open, round);
        return {};
    }

  private:
    struct Open {
        uint32_t session = 0;
        uint32_t next = 0;
        uint32_t prompt_tokens = 0;  // of the round before
        Duration wait = {};
        PromptChain prompt = {};
    };

    Open& begin(const Round& round) {
        const uint32_t session =
            trace_.add({.name = round.session, .start = Instant() + round.arrival});
        return sessions_.emplace(round.session, Open{.session = session}).first->second;
    }

    void add_call(Open& open, const Round& round) {
        const uint32_t block = trace_.block_tokens();
        const uint32_t call_tokens = round.prefix + round.input;
        TraceCall call{.gap = open.wait,
                       .model = trace_.model(kNoModel),
                       .prompt_tokens = call_tokens,
                       .output_tokens = std::max(1U, round.output),
                       .user = open.next == 0};
        open.prompt.keep(std::min(round.prefix, open.prompt_tokens) / block);
        const uint32_t more = blocks_of(call_tokens, block) - open.prompt.blocks();
        open.prompt.add_run(trace_.names().fresh(more), more);
        open.prompt.end(call);
        trace_.session(open.session).calls.push_back(std::move(call));
        open.prompt_tokens = call_tokens;
        open.wait = round.wait_after;
        ++open.next;
    }

    TraceBuilder& trace_;
    std::map<std::string, Open, std::less<>> sessions_;
};

// --- JSON lines: what was cached is said ---------------------------------------------------------

/// When the client had all that this round reads, and when the answer was there.
struct RoundTimes {
    Duration asked, answered;
};

bool comes_from_model(std::string_view event) {
    return event == "reasoning" || event == "text" || event == "tool_call";
}

Result<RoundTimes> read_times(const Record& record) {
    TRY(const Json* events, record.array("timing_events"));
    std::optional<Duration> asked, first, last;
    for (size_t i = 0; i < events->size(); ++i) {
        const Place place = record.place().element("timing_events", i);
        if (!(*events)[i].is_object())
            return Error{Code::invalid_argument, concat(place.text(), ": not an object")};
        const Record event((*events)[i], place);
        TRY(const std::string type, event.text("event_type"));
        TRY(const std::string stamp, event.text("timestamp"));
        const auto ns = parse_timestamp(stamp);
        if (!ns) return event.wrong("timestamp", "as in 2026-06-01T05:40:20.151Z");
        const Duration at = Duration::nanoseconds(*ns);
        if (!first) first = at;
        if (!comes_from_model(type)) asked = std::max(asked.value_or(at), at);
        last = std::max(last.value_or(at), at);
    }
    if (!first) return record.wrong("timing_events", "at least one is needed");
    const Duration begun = asked.value_or(*first);
    return RoundTimes{begun, std::max(begun, *last)};
}

Result<void> read_json_round(const Record& record, CountedSessions& sessions, TraceBuilder& trace) {
    CountedCall call;
    TRY(const std::string session, record.text("session_id"));
    TRY(const std::string model, record.text_or("model", kNoModel));
    TRY(call.prompt_tokens, record.prompt_tokens("input_tokens_total"));
    TRY(call.output_tokens, record.tokens("output_tokens"));
    TRY(call.cached_tokens, record.tokens_or("prefix_tokens", 0));
    TRY(const std::string first, record.text_or("first_input_event_type", ""));
    TRY(const RoundTimes times, read_times(record));
    call.user = first == "user_message";
    call.at = times.asked;
    call.took = times.answered - times.asked;
    call.model = trace.model(model);
    sessions.add(session, "all", call);
    return {};
}

}  // namespace

Result<void> import_tracelab(TraceText& text, Import& import) {
    TRY(import.trace.set_block_tokens(import.options.block_tokens));
    TRY(const std::string_view head, text.peek(1));
    if (!head.starts_with('{')) {
        RoundReader reader(import.trace);
        return each_csv_row(text, import, [&](const CsvTable& row) { return reader.read(row); });
    }
    CountedSessions sessions;
    TRY(each_json_line(text, import, [&](const Record& record) {
        return read_json_round(record, sessions, import.trace);
    }));
    return sessions.add_to(import.trace, text.file());
}

}  // namespace brigada
