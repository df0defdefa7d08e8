// Our own JSON lines: a head, then a session a line. What is 0 or a user's is left out.
#include "base/concat.h"
#include "base/digits.h"
#include "base/json.h"
#include "trace/exporter.h"

namespace brigada {

namespace {

void append_field(std::string& out, std::string_view name, int64_t value) {
    if (out.back() != '{') out += ',';
    out += '"';
    out += name;
    out += "\":";
    append_decimal(out, value);
}

void append_call(std::string& out, const TraceCall& call) {
    out += '{';
    if (call.gap > Duration()) append_field(out, "gap", call.gap.ns());
    if (call.model != 0) append_field(out, "m", call.model);
    append_field(out, "in", call.prompt_tokens);
    append_field(out, "out", call.output_tokens);
    if (call.keep_blocks != 0) append_field(out, "keep", call.keep_blocks);
    if (!call.added.empty()) {
        out += ",\"add\":[";
        for (const BlockRun& run : call.added) {
            append_decimal(out, run.first);
            out += ',';
            append_decimal(out, run.count);
            out += ',';
        }
        out.back() = ']';
    }
    if (!call.user) out += ",\"k\":\"T\"";
    if (call.recorded_time) append_field(out, "took", call.recorded_time->ns());
    if (call.recorded_ttft) append_field(out, "ttft", call.recorded_ttft->ns());
    out += '}';
}

std::string session_line(const TraceSession& session) {
    std::string out = "{\"name\":";
    out += dump_json(Json(session.name));
    append_field(out, "start", session.start.ns());
    if (session.tenant != 0) append_field(out, "tenant", session.tenant);
    if (session.parent)
        out += concat(",\"parent\":[", session.parent->session, ",", session.parent->call, "]");
    if (session.system_tokens != 0) append_field(out, "system", session.system_tokens);
    out += ",\"calls\":[";
    for (const TraceCall& call : session.calls) {
        append_call(out, call);
        out += ',';
    }
    out.back() = ']';
    return out + "}\n";
}

}  // namespace

void export_brigada(const Trace& trace, const TextSink& sink) {
    const Json head = {
        {"brigada_trace", 1},     {"origin", trace.origin},   {"block_tokens", trace.block_tokens},
        {"models", trace.models}, {"tenants", trace.tenants}, {"sessions", trace.sessions.size()},
        {"names", trace.names}};
    sink(dump_json(head) + "\n");
    for (const TraceSession& session : trace.sessions)
        sink(session_line(session));
}

}  // namespace brigada
