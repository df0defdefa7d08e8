// Any bytes as a trace in JSON: read or refused, and what is read holds together, and is the same
// after it was written in our own format.
#include "base/check.h"
#include "trace/export_trace.h"
#include "trace/import_trace.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace brigada;
    const TraceFile file{"fuzz", {reinterpret_cast<const char*>(data), size}};
    for (const bool lenient : {false, true}) {
        auto read = import_trace(std::span(&file, 1), {.lenient = lenient});
        if (!read.ok() || read->trace.names > 1'000'000) continue;
        const Result<void> right = check(read->trace);
        CHECK(right.ok(), right.error().message);
        std::string text;
        export_trace(read->trace, ExportFormat::brigada, [&](std::string_view piece) {
            text += piece;
        }).value();
        const TraceFile ours{"ours", text};
        auto again = import_trace(std::span(&ours, 1), {});
        CHECK(again.ok(), again.error().message);
        CHECK(again->trace.sessions == read->trace.sessions);
    }
    return 0;
}
