// EventSplitter: cuts a stream of server-sent events into whole events without copying what is
// whole, so that the relay can pass on an event's own bytes, or leave one out.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace brigada {

class EventSplitter {
  public:
    explicit EventSplitter(size_t max_event_bytes = 16 << 20) : max_event_bytes_(max_event_bytes) {}

    /// The events that `bytes` complete, each with its blank line; views live until the next
    /// feed(). Line ends may be LF, CRLF or CR. too_large when one event is over the limit.
    Result<std::vector<std::string_view>> feed(std::string_view bytes);

    /// What came after the last whole event.
    std::string_view rest() const { return held_; }

  private:
    size_t max_event_bytes_;
    std::string whole_;  // held_ and what completed it, for the views given out
    std::string held_;
};

/// The text of an event's data lines, joined by LF. Refers into `event` when there is one line,
/// otherwise into `joined`.
std::string_view event_data(std::string_view event, std::string& joined);

}  // namespace brigada
