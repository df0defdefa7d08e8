// LineReader: CRLF-ended lines out of bytes that come in any portions. A line that lies whole in
// one portion is not copied. A bare LF is a fault: where one parser ends a line there and another
// does not, requests can be smuggled.
#pragma once

#include <string>
#include <string_view>

namespace brigada {

class LineReader {
  public:
    enum class State { more, line, too_long, bare_lf };

    struct Step {
        State state = State::more;
        size_t used = 0;        // bytes taken from the front
        std::string_view line;  // without CRLF; lives until the next call
    };

    /// Goes on with the current line, which with its CRLF may have `budget` bytes. The budget stays
    /// the same while a line is unfinished.
    Step next(std::string_view bytes, size_t budget);

    /// Whether a line has begun.
    bool in_line() const { return !kept_.empty() && !returned_; }

  private:
    std::string kept_;  // the unfinished line, or the last one when it came in portions
    bool returned_ = false;
};

}  // namespace brigada
