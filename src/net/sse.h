// Server-sent events, as bytes: SseWriter frames events for a response stream, SseReader takes a
// byte stream apart again, however it was cut. Source: WHATWG HTML, "Server-sent events".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace brigada {

/// Content-Type of a stream of events.
inline constexpr std::string_view kSseContentType = "text/event-stream; charset=utf-8";

struct SseEvent {
    std::string type;  // "" when the event names none; clients read that as "message"
    std::string data;
    std::string id;  // the last id the stream has set
    std::optional<uint64_t> retry_ms;

    bool operator==(const SseEvent&) const = default;
};

/// Frames events into a buffer; several events between two takes leave in one write.
class SseWriter {
  public:
    /// An event; `type` may be empty. Data of several lines (LF, CR or CRLF) becomes several
    /// fields.
    void event(std::string_view type, std::string_view data);
    void data(std::string_view data) { event({}, data); }
    /// Events that are framed already.
    void framed(std::string_view events) { bytes_ += events; }
    /// A line clients ignore: keeps proxies and clients from timing out during a long prefill.
    void comment(std::string_view text);

    bool empty() const { return bytes_.empty(); }
    /// What was framed since the last clear(); keep it until a write has returned.
    std::string_view bytes() const { return bytes_; }
    void clear() { bytes_.clear(); }

  private:
    void lines(std::string_view prefix, std::string_view text);

    std::string bytes_;
};

/// Takes events out of bytes fed in any portions.
class SseReader {
  public:
    /// An event, with its line ends, may hold at most `max_event_bytes`.
    explicit SseReader(size_t max_event_bytes = 16 << 20) : max_event_bytes_(max_event_bytes) {}

    /// Appends the events that `bytes` complete. An event without data is none, as the standard
    /// says; one unfinished at the end of the stream is dropped. too_large ends the reader: later
    /// feeds fail too.
    Result<void> feed(std::string_view bytes, std::vector<SseEvent>& events);

  private:
    void end_line(std::string_view line, std::vector<SseEvent>& events);
    void set_field(std::string_view name, std::string_view value);
    void dispatch(std::vector<SseEvent>& events);

    size_t max_event_bytes_;
    bool first_line_ = true;  // a byte order mark may begin it
    std::string line_;        // the unfinished line
    SseEvent event_;          // the unfinished event
    bool has_data_ = false;   // an empty `data:` line is data too
    bool after_cr_ = false;   // the next LF belongs to the CR before it
    size_t event_bytes_ = 0;
    bool failed_ = false;
};

}  // namespace brigada
