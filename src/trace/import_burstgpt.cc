// BurstGPT's CSV: Timestamp (s), Model, Request tokens, Response tokens, Total tokens, Log Type;
// newer files have Session ID and Elapsed time (s). A row without a response failed and is left
// out.
#include "base/concat.h"
#include "trace/counted_sessions.h"

namespace brigada {

namespace {

constexpr Duration kSecond = Duration::seconds(1);

class Reader {
  public:
    explicit Reader(Import& import) : import_(import) {}

    Result<void> read(const CsvTable& row) {
        CountedCall call{.user = true};
        TRY(call.output_tokens, row.tokens("Response tokens"));
        TRY(const Duration at, row.time("Timestamp", kSecond));
        if (call.output_tokens == 0) {
            ++import_.report.left_out;
            return {};
        }
        TRY(call.prompt_tokens, row.prompt_tokens("Request tokens"));
        TRY(const std::string_view model, row.text("Model"));
        TRY(clock_.arrive(at, row.place(), "Timestamp"));
        call.at = at;
        call.model = import_.trace.model(model);
        if (row.has("Elapsed time")) {
            TRY(call.took, row.time("Elapsed time", kSecond));
        }
        std::string session = concat("row ", row.place().line);
        if (row.has("Session ID")) {
            TRY(session, row.text("Session ID"));
        }
        sessions_.add(session, "all", call);
        return {};
    }

    Result<void> end(const std::string& file) { return sessions_.add_to(import_.trace, file); }

  private:
    Import& import_;
    ArrivalClock clock_;
    CountedSessions sessions_;
};

}  // namespace

Result<void> import_burstgpt(TraceText& text, Import& import) {
    TRY(import.trace.set_block_tokens(import.options.block_tokens));
    Reader reader(import);
    TRY(each_csv_row(text, import, [&](const CsvTable& row) { return reader.read(row); }));
    return reader.end(text.file());
}

}  // namespace brigada
