// Our own gateway's calls, as `brigada ledger export` writes them (ledger/csv.h). Calls without an
// answer are left out; a call that names no session is one by itself.
#include "base/concat.h"
#include "trace/counted_sessions.h"

namespace brigada {

namespace {

struct Times {
    Duration started, ended;
    std::optional<Duration> first_byte;
};

Result<Duration> read_time(const CsvTable& row, std::string_view column) {
    TRY(const std::string_view value, row.text(column));
    const auto ns = parse_timestamp(value);
    if (!ns)
        return wrong_field(row.place(), column, value.empty() ? "empty" : value,
                           "as in 2026-11-29T08:05:09.000000001Z");
    return Duration::nanoseconds(*ns);
}

Result<Times> read_times(const CsvTable& row) {
    Times out;
    TRY(out.started, read_time(row, "started"));
    TRY(out.ended, read_time(row, "ended"));
    TRY(const std::string_view first_byte, row.text("first_byte"));
    if (!first_byte.empty()) {
        TRY(out.first_byte, read_time(row, "first_byte"));
    }
    if (out.ended < out.started || (out.first_byte && *out.first_byte < out.started))
        return wrong_field(row.place(), "ended", concat((out.ended - out.started).seconds(), " s"),
                           "it must come after started");
    return out;
}

Result<uint32_t> read_prompt(const CsvTable& row) {
    uint32_t sum = 0;
    for (const char* part : {"input_tokens", "cached_input_tokens", "cache_write_tokens"}) {
        TRY(const uint32_t tokens, row.tokens(part));
        sum += tokens;
    }
    return sum;
}

class Reader {
  public:
    explicit Reader(Import& import) : import_(import) {}

    Result<void> read(const CsvTable& row) {
        CountedCall call;
        TRY(const Times times, read_times(row));
        TRY(call.prompt_tokens, read_prompt(row));
        TRY(call.cached_tokens, row.tokens("cached_input_tokens"));
        TRY(call.output_tokens, row.tokens("output_tokens"));
        if (call.prompt_tokens == 0 || call.output_tokens == 0) {
            ++import_.report.left_out;
            return {};
        }
        TRY(const std::string_view model, row.text("model_asked"));
        TRY(const std::string_view named, row.text("session"));
        TRY(const std::string_view team, row.text("team"));
        TRY(const std::string_view id, row.text("id"));
        call.at = times.started;
        call.took = times.ended - times.started;
        if (times.first_byte) call.ttft = *times.first_byte - times.started;
        call.model = import_.trace.model(model);
        sessions_.add(std::string(named.empty() ? id : named),
                      team.empty() ? "all" : std::string(team), call);
        return {};
    }

    Result<void> end(const std::string& file) { return sessions_.add_to(import_.trace, file); }

  private:
    Import& import_;
    CountedSessions sessions_;
};

}  // namespace

Result<void> import_ledger(TraceText& text, Import& import) {
    TRY(import.trace.set_block_tokens(import.options.block_tokens));
    Reader reader(import);
    TRY(each_csv_row(text, import, [&](const CsvTable& row) { return reader.read(row); }));
    return reader.end(text.file());
}

}  // namespace brigada
