// import_trace: what others recorded, in any of a dozen formats, as a Trace. docs/traces.md says of
// each format what is read and what is assumed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "trace/trace.h"

namespace brigada {

enum class TraceFormat {
    brigada,          // our own
    mooncake,         // JSON lines, blocks of 512 tokens; with session_id and delay as in AIPerf
    bailian,          // JSON lines, blocks of 16 tokens, chats linked by parent_chat_id
    kv_cache_tester,  // a JSON text per Claude Code session, blocks of 64 tokens
    sessions,         // the same, one line per session, block lists as differences
    azure,            // CSV: TIMESTAMP, ContextTokens, GeneratedTokens
    burstgpt,         // CSV: Timestamp, Model, Request tokens, Response tokens, ...
    sharegpt,         // JSON: conversations or messages with their text
    tracelab,         // CSV or JSON lines: rounds with prefix, new and output tokens
    otel,             // OTLP as JSON: spans with gen_ai attributes
    ledger,           // CSV: brigada ledger export
    vllm,             // CSV: requests with arrival_s, first_token_s, last_token_s
    aiperf,           // JSON lines: multi_turn sessions with text
};

std::string_view to_string(TraceFormat format);
/// Error::invalid_argument has all names.
Result<TraceFormat> trace_format(std::string_view name);

struct TraceFile {
    std::string name;
    std::string_view bytes;  // plain text or zstd
};

struct ImportOptions {
    std::optional<TraceFormat> format = {};  // nothing: by content
    bool lenient = false;                    // skip what is wrong, and count it
    uint32_t block_tokens = 16;              // of formats that don't say
};

struct Imported {
    Trace trace;
    TraceFormat format = TraceFormat::brigada;
    uint64_t skipped = 0;   // lines, requests or spans that were wrong
    uint64_t left_out = 0;  // those that are right, and no calls: failed, not answered
    std::vector<std::string> complaints;  // the first few of what was wrong
};

/// All files as one trace. Error::invalid_argument and ::corrupt name file, line, field and value.
Result<Imported> import_trace(std::span<const TraceFile> files, const ImportOptions& options);

/// What the beginning of a text looks like.
Result<TraceFormat> guess_format(std::string_view head, std::string_view file);

}  // namespace brigada
