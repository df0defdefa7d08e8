// Requests as a vLLM benchmark measured them: request_id, input_tokens, output_tokens, arrival_s,
// first_token_s, last_token_s. They came at their time, whatever became of others.
#include "base/concat.h"
#include "trace/importer.h"

namespace brigada {

namespace {

Result<void> read_row(const CsvTable& row, ArrivalClock& clock, TraceBuilder& trace) {
    const Duration second = Duration::seconds(1);
    TRY(const std::string_view name, row.text("request_id"));
    TRY(const uint32_t prompt, row.prompt_tokens("input_tokens"));
    TRY(const uint32_t output, row.tokens("output_tokens"));
    TRY(const Duration arrival, row.time("arrival_s", second));
    TRY(const Duration first, row.time("first_token_s", second));
    TRY(const Duration last, row.time("last_token_s", second));
    if (first < arrival || last < first)
        return wrong_field(row.place(), "first_token_s", concat(first.seconds()),
                           "arrival, first and last token must follow one another");
    TRY(check_room(trace, prompt, row.place()));
    TRY(const Instant start, clock.arrive(arrival, row.place(), "arrival_s"));
    TraceCall call = lone_call(prompt, output, trace);
    call.recorded_ttft = first - arrival;
    call.recorded_time = last - arrival;
    trace.add({.name = std::string(name), .start = start, .calls = {std::move(call)}});
    return {};
}

}  // namespace

Result<void> import_vllm(TraceText& text, Import& import) {
    TRY(import.trace.set_block_tokens(import.options.block_tokens));
    ArrivalClock clock;
    return each_csv_row(text, import,
                        [&](const CsvTable& row) { return read_row(row, clock, import.trace); });
}

}  // namespace brigada
