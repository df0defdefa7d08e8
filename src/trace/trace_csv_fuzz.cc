// Any bytes as a trace in CSV, in each of its formats: read or refused, and what is read holds
// together.
#include "base/check.h"
#include "trace/import_trace.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace brigada;
    const TraceFile file{"fuzz", {reinterpret_cast<const char*>(data), size}};
    for (const TraceFormat format :
         {TraceFormat::azure, TraceFormat::burstgpt, TraceFormat::tracelab, TraceFormat::ledger,
          TraceFormat::vllm}) {
        for (const bool lenient : {false, true}) {
            const auto read =
                import_trace(std::span(&file, 1), {.format = format, .lenient = lenient});
            if (!read.ok() || read->trace.names > 10'000'000) continue;
            const Result<void> right = check(read->trace);
            CHECK(right.ok(), right.error().message);
        }
    }
    return 0;
}
