// Mooncake's JSON lines, in the order in which calls are sent. Its blocks are of 512 tokens: the
// last name of so many smaller blocks stands for all of them, as it does for all that is before it.
#include "base/concat.h"
#include "base/digits.h"
#include "base/json.h"
#include "trace/exporter.h"
#include "trace/timeline.h"

namespace brigada {

namespace {

constexpr uint32_t kBlockTokens = 512;

std::string joined_ids(const std::vector<uint32_t>& names, uint32_t blocks_in_one) {
    std::string out;
    for (size_t end = 0; end < names.size();) {
        end = std::min<size_t>(end + blocks_in_one, names.size());
        append_decimal(out, names[end - 1]);
        out += ',';
    }
    if (!out.empty()) out.pop_back();
    return out;
}

}  // namespace

Result<void> export_mooncake(const Trace& trace, const TextSink& sink) {
    if (kBlockTokens % trace.block_tokens != 0)
        return Error{Code::unsupported,
                     concat("Mooncake has blocks of ", kBlockTokens, " tokens; this trace's, of ",
                            trace.block_tokens, ", can't be joined into them")};
    const auto times = timeline(trace);
    std::vector<PromptNames> prompts(trace.sessions.size());
    for (const CallAt& at : by_time(times)) {
        const TraceSession& session = trace.sessions[at.session];
        const TraceCall& call = session.calls[at.call];
        const auto& names = prompts[at.session].next(call);
        const int64_t at_ms =
            (times[at.session][at.call].sent - Instant()).ns() / Duration::milliseconds(1).ns();
        std::string line = concat("{\"timestamp\": ", at_ms);
        if (session.calls.size() > 1)
            line += concat(", \"session_id\": ",
                           dump_json(Json(concat(session.name, " #", at.session))));
        if (at.call > 0) line += concat(", \"delay\": ", call.gap.seconds() * 1000);
        line += concat(", \"input_length\": ", call.prompt_tokens,
                       ", \"output_length\": ", call.output_tokens, ", \"hash_ids\": [",
                       joined_ids(names, kBlockTokens / trace.block_tokens), "]}\n");
        sink(line);
    }
    return {};
}

}  // namespace brigada
