// A run as CSV: one row per call, whatever became of it.
#include <fmt/format.h>

#include "load/report.h"

namespace brigada {

namespace {

constexpr std::string_view kHeader =
    "play,session,call,sub_agent,begins_turn,measured,outcome,status,cause,attempts,due_ms,"
    "ttft_ms,first_byte_ms,tpot_ms,e2e_ms,per_token_ms,lateness_ms,planned_prompt_tokens,"
    "prompt_tokens,cached_tokens,asked_output_tokens,output_tokens,pieces,"
    "pieces_of_several_tokens\r\n";

std::string csv_field(std::string_view text) {
    if (text.find_first_of(",\"\r\n") == text.npos) return std::string(text);
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"') out += '"';
        out += c;
    }
    return out + "\"";
}

std::string row(const CallResult& result, Instant begin) {
    std::string out =
        fmt::format("{},{},{},{:d},{:d},{:d},{},{},{},{},{:.3f}", result.play, result.session,
                    result.call, result.sub_agent, result.user, result.in_window,
                    word_of(result.outcome), result.status, csv_field(result.cause),
                    result.attempts, static_cast<double>((result.due - begin).ns()) / 1e6);
    for (const Measure measure : kMeasures) {
        const auto value = measured_ms(result, measure);
        out += value ? fmt::format(",{:.3f}", *value) : ",";
    }
    return out + fmt::format(",{},{},{},{},{},{},{}\r\n", result.wanted_prompt,
                             result.usage.prompt(), result.usage.cached_input, result.wanted_output,
                             result.output_tokens, result.pieces, result.bundles);
}

}  // namespace

std::string report_csv(const LoadReport& report) {
    std::string out(kHeader);
    for (const CallResult& result : report.measured.results)
        out += row(result, report.measured.window.begin);
    return out;
}

}  // namespace brigada
