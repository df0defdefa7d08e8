// Any bytes as a segment of the write-ahead log, and as a record within one. What is sound stays
// sound when scanned alone; a frame comes back whole, and not at all once a byte is missing.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "ledger/wal_segment.h"

namespace brigada {
namespace {

void scan_any(std::string_view bytes) {
    const auto header = decode_wal_segment_header(bytes);
    if (!header) return;
    uint64_t records = 0;
    const auto count = [&](const WalFrame& frame, uint64_t) { records += frame.records.size(); };
    const WalSegmentScan scan = scan_wal_segment(bytes, *header, count);
    CHECK(scan.sound_bytes <= bytes.size() && scan.end == header->first + records);
    const auto sound = bytes.substr(0, scan.sound_bytes);
    const WalSegmentScan again = scan_wal_segment(sound, *header, count);
    CHECK(again.end == scan.end && again.sound_bytes == sound.size() && !again.later_frame);
}

void write_and_read(std::string_view record) {
    const WalSegmentHeader header{.first = 7, .salt = record.size()};
    WalFrameWriter writer;
    writer.add(record);
    writer.add("");
    const std::string frame = std::move(writer).finish(header, 7, {42});
    const auto back = decode_wal_frame(frame, header.salt);
    CHECK(back && back->first == 7 && back->written == WallTime{42});
    CHECK(back->records.size() == 2 && back->records[0] == record && back->end() == 9);
    CHECK(!decode_wal_frame(std::string_view(frame).substr(0, frame.size() - 1), header.salt));
    CHECK(!decode_wal_frame(frame, header.salt + 1));
}

}  // namespace
}  // namespace brigada

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    brigada::scan_any(bytes);
    brigada::write_and_read(bytes);
    return 0;
}
