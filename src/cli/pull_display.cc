#include "cli/pull_display.h"

#include <algorithm>

#include "hub/disk.h"

namespace brigada {

namespace {

constexpr Duration kRedrawEvery = Duration::milliseconds(100);
constexpr uint64_t kBarWidth = 30;

uint64_t part_of(uint64_t whole, uint64_t done, uint64_t total) {
    return static_cast<uint64_t>(static_cast<unsigned __int128>(whole) * std::min(done, total) /
                                 total);
}

}  // namespace

void PullDisplay::note(std::string_view line) {
    end_line();
    out_ << line << '\n' << std::flush;
}

void PullDisplay::detail(std::string_view line) {
    if (verbose_) note(line);
}

void PullDisplay::bytes(std::string_view what, uint64_t done, uint64_t total) {
    bytes_at(Clock().now(), what, done, total);
}

void PullDisplay::bytes_at(Instant now, std::string_view what, uint64_t done, uint64_t total) {
    if (what != what_) begin(now, what, done);
    if (!on_terminal_) return print_tenth(done, total);
    const bool ends = total > 0 && done >= total;
    if (line_is_open_ && !ends && now - drawn_ < kRedrawEvery) return;
    draw_bar(now, done, total);
    drawn_ = now;
    line_is_open_ = true;
}

void PullDisplay::begin(Instant now, std::string_view what, uint64_t done) {
    end_line();
    what_ = what;
    began_ = now;
    began_at_ = done;
    last_tenth_ = 0;
}

void PullDisplay::draw_bar(Instant now, uint64_t done, uint64_t total) {
    const double seconds = (now - began_).seconds();
    const auto fresh = static_cast<double>(done - std::min(done, began_at_));
    const std::string rate =
        seconds < 0.5 ? "" : concat(human_bytes(static_cast<uint64_t>(fresh / seconds)), "/s");
    if (total == 0) {
        out_ << fmt::format("\r{} {} {:<12}", what_, human_bytes(done), rate) << std::flush;
        return;
    }
    const std::string bar(part_of(kBarWidth, done, total), '#');
    out_ << fmt::format("\r{} [{:<{}}] {:>3} % of {} {:<12}", what_, bar, kBarWidth,
                        part_of(100, done, total), human_bytes(total), rate)
         << std::flush;
}

void PullDisplay::print_tenth(uint64_t done, uint64_t total) {
    if (total == 0) return;
    const uint64_t tenth = part_of(10, done, total);
    if (tenth <= last_tenth_) return;
    last_tenth_ = tenth;
    out_ << fmt::format("{}: {} of {}\n", what_, human_bytes(done), human_bytes(total))
         << std::flush;
}

void PullDisplay::end_line() {
    if (line_is_open_) out_ << '\n' << std::flush;
    line_is_open_ = false;
}

}  // namespace brigada
