// AIPerf's multi_turn JSON lines. A turn there adds its text, and the live answer before it, to the
// prompt: where a call doesn't extend the one before (a compaction), a new session begins. Texts
// are made up, 4 bytes a token.
#include "base/concat.h"
#include "base/json.h"
#include "trace/exporter.h"

namespace brigada {

namespace {

/// A word of 4 bytes for each token, from the number of the session and of the token.
std::string made_up_text(uint64_t seed, uint32_t tokens) {
    std::string out;
    out.reserve(size_t(tokens) * 4);
    for (uint32_t i = 0; i < tokens; ++i) {
        seed = seed * 6364136223846793005 + 1442695040888963407;
        for (int letter = 0; letter < 3; ++letter)
            out += static_cast<char>('a' + (seed >> (40 + 7 * letter)) % 26);
        out += ' ';
    }
    return out;
}

std::string turn(std::string_view text, const TraceCall& call, bool first) {
    std::string out = concat("{\"text\":\"", text, "\"");
    if (!first) out += concat(",\"delay\":", call.gap.seconds() * 1000);
    return out + concat(",\"output_length\":", call.output_tokens, "}");
}

}  // namespace

void export_aiperf(const Trace& trace, const TextSink& sink) {
    for (size_t s = 0; s < trace.sessions.size(); ++s) {
        const TraceSession& session = trace.sessions[s];
        std::string line;
        uint32_t part = 0;
        uint64_t held = 0;  // tokens the prompt has before the turn: all texts and answers so far
        const auto end = [&] {
            if (!line.empty()) sink(line + "]}\n");
        };
        for (size_t i = 0; i < session.calls.size(); ++i) {
            const TraceCall& call = session.calls[i];
            const bool begins = i == 0 || call.prompt_tokens <= held;
            if (begins) {
                end();
                line = concat(
                    "{\"session_id\":", dump_json(Json(concat(session.name, " #", s, ".", part++))),
                    ",\"turns\":[");
                held = 0;
            } else {
                line += ',';
            }
            const auto tokens = static_cast<uint32_t>(call.prompt_tokens - held);
            line += turn(made_up_text(s << 32 | i, tokens), call, begins);
            held = uint64_t(call.prompt_tokens) + call.output_tokens;
        }
        end();
    }
}

}  // namespace brigada
