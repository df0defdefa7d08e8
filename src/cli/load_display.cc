#include "cli/load_display.h"

#include <fmt/format.h>

namespace brigada {

namespace {

constexpr Duration kOnTerminal = Duration::milliseconds(200);
constexpr Duration kElsewhere = Duration::seconds(5);

double ms(Duration duration) {
    return static_cast<double>(duration.ns()) / 1e6;
}

}  // namespace

std::string progress_line(const LoadProgress& now, const LoadProgress& before) {
    const double seconds = (now.elapsed - before.elapsed).seconds();
    const auto fresh = static_cast<double>(now.output_tokens - before.output_tokens);
    return fmt::format(
        "{:.0f} s  {} sessions  {} under way  {} finished  {} failed  {:.0f} tokens/s  TTFT p50 "
        "{:.0f} p90 {:.0f} ms  late by {:.1f} ms",
        now.elapsed.seconds(), now.sessions, now.under_way, now.finished, now.failed,
        seconds > 0 ? fresh / seconds : 0, ms(now.ttft_p50), ms(now.ttft_p90),
        ms(now.worst_lateness));
}

void LoadDisplay::note(std::string_view line) {
    end_line();
    out_ << line << '\n' << std::flush;
}

void LoadDisplay::show(const LoadProgress& progress) {
    const Duration since = progress.elapsed - last_.elapsed;
    if (since < (on_terminal_ ? kOnTerminal : kElsewhere)) return;
    const std::string line = progress_line(progress, last_);
    if (on_terminal_) {
        out_ << fmt::format("\r{:<{}}", line, drawn_width_) << std::flush;
        drawn_width_ = line.size();
        line_is_open_ = true;
    } else {
        out_ << line << '\n' << std::flush;
    }
    last_ = progress;
}

void LoadDisplay::end_line() {
    if (line_is_open_) out_ << '\n' << std::flush;
    line_is_open_ = false;
    drawn_width_ = 0;
}

}  // namespace brigada
