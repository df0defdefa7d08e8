// export_trace: a Trace as text for others, and for us. docs/traces.md says of each format what it
// can't hold.
#pragma once

#include <functional>
#include <string_view>

#include "base/result.h"
#include "trace/trace.h"

namespace brigada {

enum class ExportFormat {
    brigada,          // all of it
    mooncake,         // a line per call in order of time; session_id and delay as AIPerf reads them
    kv_cache_tester,  // a line per session, sub-agents in it, hash ids that are the same everywhere
    aiperf,           // multi_turn: sessions with made-up text of the right lengths
};

/// Error::invalid_argument has all names.
Result<ExportFormat> export_format(std::string_view name);

/// Takes the text piece by piece.
using TextSink = std::function<void(std::string_view)>;

/// Error::unsupported where the format has other blocks than the trace.
Result<void> export_trace(const Trace& trace, ExportFormat format, const TextSink& sink);

}  // namespace brigada
