#include "net/sse.h"

#include <algorithm>
#include <utility>

#include "base/concat.h"
#include "net/http_grammar.h"

namespace brigada {

namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// Takes the first line off `text`, without its LF, CR or CRLF.
std::string_view take_line(std::string_view& text) {
    const size_t end = std::min(text.find_first_of("\r\n"), text.size());
    const std::string_view line = text.substr(0, end);
    const bool crlf = text.substr(end, 2) == "\r\n";
    text.remove_prefix(std::min(end + (crlf ? 2 : 1), text.size()));
    return line;
}

bool ends_in_line_end(std::string_view text) {
    return text.ends_with('\n') || text.ends_with('\r');
}

}  // namespace

void SseWriter::lines(std::string_view prefix, std::string_view text) {
    const bool open_end = text.empty() || ends_in_line_end(text);  // an empty last line counts
    while (!text.empty())
        bytes_.append(prefix).append(take_line(text)).push_back('\n');
    if (open_end) bytes_.append(prefix).push_back('\n');
}

void SseWriter::event(std::string_view type, std::string_view data) {
    if (!type.empty()) bytes_.append("event: ").append(take_line(type)).push_back('\n');
    lines("data: ", data);
    bytes_.push_back('\n');
}

void SseWriter::comment(std::string_view text) {
    lines(": ", text);
    bytes_.push_back('\n');
}

Result<void> SseReader::feed(std::string_view bytes, std::vector<SseEvent>& events) {
    while (!bytes.empty() && !failed_) {
        if (std::exchange(after_cr_, false) && bytes.front() == '\n') {
            bytes.remove_prefix(1);
            continue;
        }
        const size_t end = bytes.find_first_of("\r\n");
        const std::string_view piece = bytes.substr(0, end);
        event_bytes_ += piece.size() + (end == std::string_view::npos ? 0 : 1);
        if (event_bytes_ > max_event_bytes_) {
            failed_ = true;
            break;
        }
        if (end == std::string_view::npos) {
            line_.append(piece);
            break;
        }
        after_cr_ = bytes[end] == '\r';
        bytes.remove_prefix(end + 1);
        if (line_.empty()) {
            end_line(piece, events);
        } else {
            end_line(line_.append(piece), events);
            line_.clear();
        }
    }
    if (!failed_) return {};
    return Error{Code::too_large, concat("an event of more than ", max_event_bytes_, " bytes")};
}

void SseReader::end_line(std::string_view line, std::vector<SseEvent>& events) {
    if (std::exchange(first_line_, false) && line.starts_with(kByteOrderMark))
        line.remove_prefix(kByteOrderMark.size());
    if (line.empty()) return dispatch(events);
    const size_t colon = std::min(line.find(':'), line.size());
    std::string_view value = line.substr(std::min(colon + 1, line.size()));
    if (value.starts_with(' ')) value.remove_prefix(1);
    if (colon > 0)
        set_field(line.substr(0, colon), value);  // a line that begins with ':' is a comment
}

void SseReader::set_field(std::string_view name, std::string_view value) {
    if (name == "event") {
        event_.type = value;
    } else if (name == "data") {
        if (has_data_) event_.data.push_back('\n');
        event_.data.append(value);
        has_data_ = true;
    } else if (name == "id") {
        if (value.find('\0') == std::string_view::npos) event_.id = value;
    } else if (name == "retry") {
        if (const auto ms = parse_decimal(value)) event_.retry_ms = ms;
    }
}

void SseReader::dispatch(std::vector<SseEvent>& events) {
    event_bytes_ = 0;
    std::string id = event_.id;
    if (has_data_) events.push_back(std::move(event_));
    event_ = {};
    event_.id = std::move(id);  // an id stays until the stream sets another
    has_data_ = false;
}

}  // namespace brigada
