// What the importers share: where their calls go, what happens to wrong records, and the list of
// them. Each is in a file of its own, import_NAME.cc.
#pragma once

#include <functional>

#include "trace/csv_table.h"
#include "trace/import_trace.h"
#include "trace/record.h"
#include "trace/trace_builder.h"
#include "trace/trace_text.h"

namespace brigada {

/// The model of formats that name none.
inline constexpr std::string_view kNoModel = "model";

struct Import {
    TraceBuilder& trace;
    const ImportOptions& options;
    Imported& report;

    /// Passes a right record's result on; a wrong one's is an error, or is counted.
    Result<void> take(Result<void> record);
};

/// Every line that isn't blank, as a JSON object.
Result<void> each_json_line(TraceText& text, Import& import,
                            const std::function<Result<void>(const Record&)>& read);

/// A JSON text: an object or a list of them over any number of lines; or an object a line.
Result<void> each_json_text(TraceText& text, Import& import,
                            const std::function<Result<void>(const Record&)>& read);

/// Every row after the names of the columns.
Result<void> each_csv_row(TraceText& text, Import& import,
                          const std::function<Result<void>(const CsvTable&)>& read);

/// Times of arrival that must not run backwards.
class ArrivalClock {
  public:
    /// From the first arrival on.
    Result<Instant> arrive(Duration at, const Place& place, std::string_view field);

  private:
    std::optional<Duration> first_;
    Duration last_;
};

/// A call whose blocks nothing else shares.
TraceCall lone_call(uint32_t prompt_tokens, uint32_t output_tokens, TraceBuilder& trace);

/// Error::too_large when the trace has no names left for a prompt of so many tokens.
Result<void> check_room(const TraceBuilder& trace, uint64_t tokens, const Place& place);

Result<void> import_brigada(TraceText& text, Import& import);
Result<void> import_mooncake(TraceText& text, Import& import);
Result<void> import_bailian(TraceText& text, Import& import);
Result<void> import_kv_cache_tester(TraceText& text, Import& import);
Result<void> import_sessions(TraceText& text, Import& import);
Result<void> import_azure(TraceText& text, Import& import);
Result<void> import_burstgpt(TraceText& text, Import& import);
Result<void> import_sharegpt(TraceText& text, Import& import);
Result<void> import_tracelab(TraceText& text, Import& import);
Result<void> import_otel(TraceText& text, Import& import);
Result<void> import_ledger(TraceText& text, Import& import);
Result<void> import_vllm(TraceText& text, Import& import);
Result<void> import_aiperf(TraceText& text, Import& import);

}  // namespace brigada
