// PullDisplay: a pull as a person sees it: a moving bar on a terminal, a line now and then
// elsewhere.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

#include "base/time.h"
#include "hub/progress.h"

namespace brigada {

class PullDisplay : public PullProgress {
  public:
    PullDisplay(std::ostream& out, bool on_terminal, bool verbose)
        : out_(out), on_terminal_(on_terminal), verbose_(verbose) {}
    ~PullDisplay() override { end_line(); }

    void note(std::string_view line) override;
    void detail(std::string_view line) override;
    void bytes(std::string_view what, uint64_t done, uint64_t total) override;

    /// As bytes(), at a time of the caller's.
    void bytes_at(Instant now, std::string_view what, uint64_t done, uint64_t total);

  private:
    void draw_bar(Instant now, uint64_t done, uint64_t total);
    void print_tenth(uint64_t done, uint64_t total);
    void begin(Instant now, std::string_view what, uint64_t done);
    void end_line();

    std::ostream& out_;
    bool on_terminal_;
    bool verbose_;

    std::string what_;  // the file the next three are about
    Instant began_;
    uint64_t began_at_ = 0;  // bytes that were there before
    uint64_t last_tenth_ = 0;

    Instant drawn_;
    bool line_is_open_ = false;
};

}  // namespace brigada
