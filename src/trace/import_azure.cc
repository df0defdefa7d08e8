// Azure's CSV of 2023 and 2024: TIMESTAMP, ContextTokens, GeneratedTokens. Nothing is known of what
// requests share: each is a session of one call.
#include "trace/importer.h"

namespace brigada {

namespace {

Result<void> read_row(const CsvTable& row, ArrivalClock& clock, TraceBuilder& trace) {
    TRY(const std::string_view time, row.text("TIMESTAMP"));
    TRY(const uint32_t prompt, row.prompt_tokens("ContextTokens"));
    TRY(const uint32_t output, row.tokens("GeneratedTokens"));
    const auto at_ns = parse_timestamp(time);
    if (!at_ns)
        return wrong_field(row.place(), "TIMESTAMP", time, "as in 2023-11-16 18:17:03.9799600");
    TRY(check_room(trace, prompt, row.place()));
    TRY(const Instant start, clock.arrive(Duration::nanoseconds(*at_ns), row.place(), "TIMESTAMP"));
    trace.add({.name = "alone", .start = start, .calls = {lone_call(prompt, output, trace)}});
    return {};
}

}  // namespace

Result<void> import_azure(TraceText& text, Import& import) {
    TRY(import.trace.set_block_tokens(import.options.block_tokens));
    ArrivalClock clock;
    return each_csv_row(text, import,
                        [&](const CsvTable& row) { return read_row(row, clock, import.trace); });
}

}  // namespace brigada
