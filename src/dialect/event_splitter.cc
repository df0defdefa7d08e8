#include "dialect/event_splitter.h"

#include "base/concat.h"

namespace brigada {

namespace {

/// The first LF or CR, or npos. Two searches for one byte each are several times as fast as one for
/// either.
size_t find_line_end(std::string_view text, size_t from) {
    const size_t lf = text.find('\n', from);
    const size_t cr = text.substr(0, lf).find('\r', from);
    return cr != text.npos ? cr : lf;
}

/// Where a line end at `at` is over: 2 for CRLF, 1 otherwise; 0 when a CR is the last byte, whose
/// LF may still come.
size_t line_end_size(std::string_view text, size_t at) {
    if (text[at] == '\n') return 1;
    if (at + 1 == text.size()) return 0;
    return text[at + 1] == '\n' ? 2 : 1;
}

/// One past the blank line that ends the event at the start of `text`; npos when it is not there.
size_t event_end(std::string_view text, size_t from) {
    for (size_t at = find_line_end(text, from); at != text.npos; at = find_line_end(text, at)) {
        const size_t size = line_end_size(text, at);
        if (size == 0) return text.npos;
        at += size;
        if (at == text.size()) return text.npos;
        if (text[at] != '\n' && text[at] != '\r') continue;
        const size_t blank = line_end_size(text, at);
        return blank == 0 ? text.npos : at + blank;
    }
    return text.npos;
}

}  // namespace

Result<std::vector<std::string_view>> EventSplitter::feed(std::string_view bytes) {
    std::vector<std::string_view> events;
    std::string_view text = bytes;
    size_t searched = 0;
    if (!held_.empty()) {
        searched = held_.size() < 4 ? 0 : held_.size() - 4;  // "\r\n\r\n" may be cut anywhere
        whole_ = std::move(held_);
        whole_ += bytes;
        text = whole_;
    }
    for (size_t end = event_end(text, searched); end != text.npos; end = event_end(text, 0)) {
        events.push_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    held_ = text;
    if (held_.size() > max_event_bytes_)
        return Error{Code::too_large,
                     concat("an event of over ", max_event_bytes_, " bytes in the stream")};
    return events;
}

std::string_view event_data(std::string_view event, std::string& joined) {
    std::string_view first;
    size_t lines = 0;
    while (!event.empty()) {
        const size_t end = std::min(find_line_end(event, 0), event.size());
        std::string_view line = event.substr(0, end);
        event.remove_prefix(std::min(end + 1, event.size()));
        if (!line.starts_with("data:")) continue;
        line.remove_prefix(line.starts_with("data: ") ? 6 : 5);
        if (++lines == 1) {
            first = line;
            continue;
        }
        if (lines == 2) joined = first;
        joined += '\n';
        joined += line;
    }
    return lines > 1 ? std::string_view(joined) : first;
}

}  // namespace brigada
