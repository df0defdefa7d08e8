// The traces of testdata/traces, imported once, for tests and benchmarks.
#pragma once

#include <map>
#include <string>

#include "base/check.h"
#include "base/file.h"
#include "trace/import_trace.h"

namespace brigada {

inline std::string trace_bytes(const std::string& name) {
    return read_file(std::string(BRIGADA_TESTDATA) + "/traces/" + name, size_t(1) << 30).value();
}

inline Result<Imported> import_bytes(const std::string& name, std::string_view bytes,
                                     const ImportOptions& options = {}) {
    const TraceFile file{name, bytes};
    return import_trace(std::span(&file, 1), options);
}

inline const Trace& imported(const std::string& name) {
    static std::map<std::string, Trace> kept;
    const auto found = kept.find(name);
    if (found != kept.end()) return found->second;
    auto result = import_bytes(name, trace_bytes(name));
    CHECK(result.ok(), result.error().message);
    return kept.emplace(name, std::move(result).value().trace).first->second;
}

inline const Trace& claude_code() {
    return imported("claude_code_sessions.jsonl.zst");
}
inline const Trace& mooncake() {
    return imported("mooncake_conversation.jsonl.zst");
}

}  // namespace brigada
