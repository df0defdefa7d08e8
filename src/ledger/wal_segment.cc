#include "ledger/wal_segment.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstring>

namespace brigada {

namespace {

constexpr std::string_view kSegmentMagic = "BRIGWAL1";
constexpr std::string_view kFrameMagic = "FRME";
constexpr size_t kChecksumBytes = 8;

template <typename T>
void put(std::string& out, T value) {
    for (size_t i = 0; i < sizeof value; ++i)
        out.push_back(static_cast<char>(static_cast<uint64_t>(value) >> (8 * i)));
}

template <typename T>
T get(std::string_view bytes, size_t at) {
    uint64_t value = 0;
    for (size_t i = sizeof(T); i-- > 0;)
        value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
    return static_cast<T>(value);
}

/// Writes the checksum of everything after itself into the first eight bytes.
void seal(std::string& bytes, uint64_t seed) {
    const uint64_t sum =
        XXH3_64bits_withSeed(bytes.data() + kChecksumBytes, bytes.size() - kChecksumBytes, seed);
    for (size_t i = 0; i < kChecksumBytes; ++i)
        bytes[i] = static_cast<char>(sum >> (8 * i));
}

bool sealed(std::string_view bytes, uint64_t seed) {
    const std::string_view rest = bytes.substr(kChecksumBytes);
    return get<uint64_t>(bytes, 0) == XXH3_64bits_withSeed(rest.data(), rest.size(), seed);
}

bool take_records(std::string_view payload, std::vector<std::string_view>& records) {
    while (!payload.empty()) {
        if (payload.size() < 4) return false;
        const auto bytes = get<uint32_t>(payload, 0);
        payload.remove_prefix(4);
        if (bytes > payload.size()) return false;
        records.push_back(payload.substr(0, bytes));
        payload.remove_prefix(bytes);
    }
    return !records.empty();
}

/// Where a sound frame of a record after `sequence` begins, at or after `from`.
std::optional<uint64_t> find_later_frame(std::string_view bytes, uint64_t from, uint64_t sequence,
                                         uint64_t salt) {
    for (size_t at = bytes.find(kFrameMagic, from + kChecksumBytes); at != bytes.npos;
         at = bytes.find(kFrameMagic, at + 1)) {
        const auto frame = decode_wal_frame(bytes.substr(at - kChecksumBytes), salt);
        if (frame && frame->first > sequence) return at - kChecksumBytes;
    }
    return std::nullopt;
}

}  // namespace

std::string encode(const WalSegmentHeader& header) {
    std::string out(kChecksumBytes, '\0');
    out += kSegmentMagic;
    put(out, header.first);
    put(out, header.salt);
    seal(out, 0);
    return out;
}

std::optional<WalSegmentHeader> decode_wal_segment_header(std::string_view bytes) {
    if (bytes.size() < kWalSegmentHeaderBytes) return std::nullopt;
    bytes = bytes.substr(0, kWalSegmentHeaderBytes);
    if (!sealed(bytes, 0) || bytes.substr(8, 8) != kSegmentMagic) return std::nullopt;
    return WalSegmentHeader{.first = get<uint64_t>(bytes, 16), .salt = get<uint64_t>(bytes, 24)};
}

uint64_t WalFrame::record_bytes() const {
    uint64_t sum = 0;
    for (const std::string_view record : records)
        sum += record.size();
    return sum;
}

WalFrameWriter::WalFrameWriter() : out_(kWalFrameHeaderBytes, '\0') {}

void WalFrameWriter::add(std::string_view record) {
    CHECK(bytes() + 4 + record.size() <= kWalFrameBytes, "a record of ", record.size(), " bytes");
    put(out_, static_cast<uint32_t>(record.size()));
    out_ += record;
    ++records_;
}

std::string WalFrameWriter::finish(const WalSegmentHeader& segment, uint64_t first,
                                   WallTime written) && {
    std::string header;
    put(header, uint64_t{0});
    header += kFrameMagic;
    put(header, static_cast<uint32_t>(out_.size() - kWalFrameHeaderBytes));
    put(header, first);
    put(header, written.ns);
    out_.replace(0, kWalFrameHeaderBytes, header);
    seal(out_, segment.salt);
    return std::move(out_);
}

std::optional<uint64_t> wal_frame_bytes(std::string_view header) {
    if (header.size() < kWalFrameHeaderBytes || header.substr(8, 4) != kFrameMagic)
        return std::nullopt;
    const uint64_t bytes = kWalFrameHeaderBytes + get<uint32_t>(header, 12);
    if (bytes > kWalFrameBytes) return std::nullopt;
    return bytes;
}

std::optional<WalFrame> decode_wal_frame(std::string_view bytes, uint64_t salt) {
    const auto size = wal_frame_bytes(bytes);
    if (!size || *size > bytes.size() || !sealed(bytes.substr(0, *size), salt)) return std::nullopt;
    WalFrame frame{
        .first = get<uint64_t>(bytes, 16), .written = {get<int64_t>(bytes, 24)}, .bytes = *size};
    const auto payload = bytes.substr(kWalFrameHeaderBytes, *size - kWalFrameHeaderBytes);
    if (!take_records(payload, frame.records)) return std::nullopt;
    return frame;
}

WalSegmentScan scan_wal_segment(std::string_view bytes, const WalSegmentHeader& header,
                                const WalFrameVisitor& visit) {
    WalSegmentScan scan{.end = header.first, .sound_bytes = kWalSegmentHeaderBytes};
    while (scan.sound_bytes < bytes.size()) {
        const auto frame = decode_wal_frame(bytes.substr(scan.sound_bytes), header.salt);
        if (!frame || frame->first != scan.end) break;
        visit(*frame, scan.sound_bytes);
        scan.end = frame->end();
        scan.sound_bytes += frame->bytes;
    }
    scan.later_frame = find_later_frame(bytes, scan.sound_bytes, scan.end, header.salt);
    return scan;
}

}  // namespace brigada
