// LoadDisplay: a load run as a person sees it while it goes on: one line that changes on a
// terminal, a line every few seconds elsewhere.
#pragma once

#include <ostream>
#include <string>

#include "load/load_run.h"

namespace brigada {

class LoadDisplay {
  public:
    LoadDisplay(std::ostream& out, bool on_terminal) : out_(out), on_terminal_(on_terminal) {}
    ~LoadDisplay() { end_line(); }

    void note(std::string_view line);
    /// At a time of the caller's; draws when it is time to.
    void show(const LoadProgress& progress);

  private:
    void end_line();

    std::ostream& out_;
    bool on_terminal_;
    bool line_is_open_ = false;
    size_t drawn_width_ = 0;
    LoadProgress last_;  // when a line was drawn
};

/// "12.0 s  8 sessions  5 under way  40 finished  ...".
std::string progress_line(const LoadProgress& now, const LoadProgress& before);

}  // namespace brigada
