// kv-cache-tester's (WEKA's) form, a session a line: requests with every hash id of their full
// blocks. Sessions begin at 0 there; when they began isn't kept.
#include "base/concat.h"
#include "base/digits.h"
#include "base/json.h"
#include "trace/exporter.h"
#include "trace/timeline.h"

namespace brigada {

namespace {

class Writer {
  public:
    explicit Writer(const Trace& trace) : trace_(trace), times_(timeline(trace)) {
        children_.resize(trace.sessions.size());
        for (uint32_t s = 0; s < trace.sessions.size(); ++s)
            if (const auto parent = trace.sessions[s].parent)
                children_[parent->session].push_back(s);
    }

    std::string line(uint32_t session) const {
        const TraceSession& from = trace_.sessions[session];
        return concat("{\"id\":", dump_json(Json(from.name)),
                      ",\"models\":", dump_json(Json(trace_.models)),
                      ",\"block_size\":", trace_.block_tokens,
                      ",\"hash_id_scope\":\"global\",\"tool_tokens\":0,\"system_tokens\":",
                      from.system_tokens, ",\"requests\":", requests(session), "}\n");
    }

  private:
    std::string requests(uint32_t session) const {
        const TraceSession& from = trace_.sessions[session];
        const Instant start = times_[session].front().sent;
        PromptNames prompt;
        std::string out = "[";
        for (uint32_t i = 0; i < from.calls.size(); ++i) {
            out += request(from.calls[i], prompt.next(from.calls[i]), times_[session][i], start);
            out += ',';
            for (const uint32_t child : children_[session])
                if (trace_.sessions[child].parent->call == i) out += sub_agent(child, start) + ',';
        }
        out.back() = ']';
        return out;
    }

    std::string request(const TraceCall& call, const std::vector<uint32_t>& names,
                        const TimedCall& time, Instant start) const {
        std::string out = concat(
            "{\"t\":", (time.sent - start).seconds(),
            ",\"type\":\"n\",\"model\":", dump_json(Json(trace_.models[call.model])),
            ",\"in\":", call.prompt_tokens, ",\"out\":", call.output_tokens, ",\"hash_ids\":[");
        for (uint32_t i = 0; i < call.prompt_tokens / trace_.block_tokens; ++i) {
            append_decimal(out, names[i]);
            out += ',';
        }
        if (out.back() == ',') out.pop_back();
        out += concat("],\"input_types\":[", call.user ? "\"text\"" : "\"tool_result\"",
                      "],\"api_time\":", answer_time(call).seconds(),
                      ",\"think_time\":", time.idle.seconds());
        if (call.recorded_ttft) out += concat(",\"ttft\":", call.recorded_ttft->seconds());
        return out + "}";
    }

    std::string sub_agent(uint32_t session, Instant start) const {
        const auto& times = times_[session];
        return concat(
            "{\"t\":", (times.back().answered - start).seconds(),
            ",\"type\":\"subagent\",\"subagent_type\":",
            dump_json(Json(trace_.sessions[session].name)),
            ",\"duration_ms\":", (times.back().answered - times.front().sent).seconds() * 1000,
            ",\"tool_tokens\":0,\"system_tokens\":", trace_.sessions[session].system_tokens,
            ",\"requests\":", requests(session), "}");
    }

    const Trace& trace_;
    std::vector<std::vector<TimedCall>> times_;
    std::vector<std::vector<uint32_t>> children_;
};

}  // namespace

void export_kv_cache_tester(const Trace& trace, const TextSink& sink) {
    const Writer writer(trace);
    for (uint32_t s = 0; s < trace.sessions.size(); ++s)
        if (!trace.sessions[s].parent) sink(writer.line(s));
}

}  // namespace brigada
