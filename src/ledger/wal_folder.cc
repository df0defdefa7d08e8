#include "ledger/wal_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

#include "ledger/log_file.h"

namespace brigada {

namespace {

constexpr std::string_view kSuffix = ".wal";

/// More than any segment: the cap is passed by one frame at most.
constexpr size_t kLargestSegment = size_t{4} << 30;

std::optional<uint64_t> first_of(const Path& path) {
    const std::string stem = path.stem().string();
    uint64_t first = 0;
    const auto [end, error] = std::from_chars(stem.data(), stem.data() + stem.size(), first);
    const bool named_so = error == std::errc() && end == stem.data() + stem.size();
    if (!named_so || path.extension() != kSuffix) return std::nullopt;
    return first;
}

Result<std::vector<WalSegment>> list_segments(const Path& folder) {
    std::vector<WalSegment> segments;
    std::error_code failed;
    for (std::filesystem::directory_iterator entry(folder, failed), end; !failed && entry != end;
         entry.increment(failed))
        if (const auto first = first_of(entry->path()))
            segments.push_back({.path = entry->path(), .first = *first, .end = *first});
    if (failed) return log_error(folder, "cannot list", failed.value());
    std::ranges::sort(segments, {}, &WalSegment::first);
    return segments;
}

Error damaged(const Path& path, uint64_t offset, std::string_view what) {
    return {Code::corrupt,
            concat(path.string(), ": damaged at byte ", offset, ": ", what,
                   ". Nothing was changed. Put the file back from a copy; or, to give up the "
                   "records from there to its end, move the file away and keep it")};
}

/// A file whose making was interrupted: its header was never synced, so it holds nothing.
bool half_made(std::string_view bytes) {
    return bytes.size() <= kWalSegmentHeaderBytes && !decode_wal_segment_header(bytes);
}

Result<void> scan_segment(std::string_view bytes, bool is_last, WalSegment& segment,
                          WalContents& contents, const WalFrameVisitor& visit) {
    const auto header = decode_wal_segment_header(bytes);
    if (!header || header->first != segment.first)
        return damaged(segment.path, 0, "the header is not that of this segment");
    const WalSegmentScan scan = scan_wal_segment(bytes, *header, visit);
    segment.salt = header->salt;
    segment.end = scan.end;
    segment.bytes = scan.sound_bytes;
    if (scan.sound_bytes == bytes.size()) return {};
    if (scan.later_frame)
        return damaged(segment.path, scan.sound_bytes,
                       concat("the checksum is wrong, yet what was written later, at byte ",
                              *scan.later_frame, ", is sound"));
    if (!is_last)
        return damaged(segment.path, scan.sound_bytes,
                       "the checksum is wrong before the last file");
    contents.torn = TornTail{segment.path, scan.sound_bytes, bytes.size() - scan.sound_bytes};
    return {};
}

Error missing(const Path& folder, uint64_t from, uint64_t to) {
    return {Code::corrupt, concat(folder.string(), ": records ", from, " to ", to,
                                  " are neither in the log nor in the store. Put the missing file ",
                                  wal_segment_path("", from).string(),
                                  " back, or the store that belongs to this log")};
}

}  // namespace

Path wal_segment_path(const Path& folder, uint64_t first) {
    return folder / fmt::format("{:020}{}", first, kSuffix);
}

std::optional<uint64_t> first_in_wal(const Path& folder) {
    const auto segments = list_segments(folder);
    if (!segments.ok() || segments->empty()) return std::nullopt;
    return segments->front().first;
}

Result<WalContents> scan_wal_folder(const Path& folder, uint64_t moved,
                                    const WalFrameVisitor& visit) {
    TRY(std::vector<WalSegment> segments, list_segments(folder));
    WalContents contents;
    contents.end = segments.empty() ? moved + 1 : std::min(segments.front().first, moved + 1);
    for (WalSegment& segment : segments) {
        const bool is_last = &segment == &segments.back();
        const bool gap_was_moved = segment.first > contents.end && segment.first <= moved + 1;
        if (gap_was_moved) contents.end = segment.first;
        if (segment.first != contents.end) return missing(folder, contents.end, segment.first - 1);
        TRY(const std::string bytes, read_file(segment.path, kLargestSegment));
        if (is_last && half_made(bytes)) {
            contents.torn = TornTail{segment.path, 0, bytes.size()};
            break;
        }
        TRY(scan_segment(bytes, is_last, segment, contents, visit));
        contents.end = segment.end;
        contents.segments.push_back(segment);
    }
    if (contents.end <= moved) return missing(folder, contents.end, moved);
    return contents;
}

WalReader::~WalReader() {
    if (fd_ >= 0) ::close(fd_);
}

/// False at the end of the file.
Result<bool> WalReader::read_at(uint64_t offset, char* into, size_t bytes) const {
    while (bytes > 0) {
        const ssize_t n = ::pread(fd_, into, bytes, static_cast<off_t>(offset));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return log_error(path_, "cannot read", errno);
        if (n == 0) return false;
        into += n;
        offset += static_cast<uint64_t>(n);
        bytes -= static_cast<size_t>(n);
    }
    return true;
}

Result<void> WalReader::open_segment_of(uint64_t sequence) {
    TRY(const std::vector<WalSegment> segments, list_segments(folder_));
    const auto after = std::ranges::upper_bound(segments, sequence, {}, &WalSegment::first);
    if (after == segments.begin()) return missing(folder_, sequence, sequence);
    if (fd_ >= 0) ::close(fd_);
    path_ = std::prev(after)->path;
    fd_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd_ < 0) return log_error(path_, "cannot open", errno);
    std::string header(kWalSegmentHeaderBytes, '\0');
    TRY(const bool whole, read_at(0, header.data(), header.size()));
    const auto decoded = decode_wal_segment_header(header);
    if (!whole || !decoded) return damaged(path_, 0, "the header is not that of a segment");
    salt_ = decoded->salt;
    next_ = decoded->first;
    offset_ = kWalSegmentHeaderBytes;
    return {};
}

Result<OwnedWalFrame> WalReader::read_frame() {
    OwnedWalFrame out;
    out.bytes.resize(kWalFrameHeaderBytes);
    TRY(const bool begun, read_at(offset_, out.bytes.data(), out.bytes.size()));
    const auto bytes = begun ? wal_frame_bytes({out.bytes.data(), out.bytes.size()}) : std::nullopt;
    if (!bytes) return damaged(path_, offset_, "no frame begins here");
    out.bytes.resize(*bytes);
    TRY(const bool whole, read_at(offset_, out.bytes.data(), out.bytes.size()));
    const auto frame = decode_wal_frame({out.bytes.data(), out.bytes.size()}, salt_);
    if (!whole || !frame || frame->first != next_)
        return damaged(path_, offset_, "the checksum is wrong");
    out.frame = *frame;
    offset_ += frame->bytes;
    next_ = frame->end();
    return out;
}

Result<OwnedWalFrame> WalReader::frame_of(uint64_t sequence) {
    // The record to come next may begin a new segment, whose name then says so.
    const bool follows = fd_ >= 0 && sequence == next_;
    if (!follows || std::filesystem::exists(wal_segment_path(folder_, sequence)))
        TRY(open_segment_of(sequence));
    for (;;) {
        TRY(OwnedWalFrame found, read_frame());
        if (found.frame.end() > sequence) return found;
    }
}

}  // namespace brigada
