// WalSegment: the bytes of one file of the write-ahead log. Pure: bytes in, facts out.
//
//   segment  [checksum u64]["BRIGWAL1"][first sequence u64][salt u64], then frames
//   frame    [checksum u64]["FRME"][payload bytes u32][first sequence u64][written i64], payload
//   payload  records, each [bytes u32][bytes]
//
// A frame is what one write and one sync put down: all of its records count, or none. Integers are
// little endian. A checksum (XXH3-64, seeded with the salt) covers everything after itself; the
// salt is random, so that no client can hide a frame in its own words.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/wall_time.h"

namespace brigada {

struct WalSegmentHeader {
    uint64_t first = 1;  // sequence of the first record
    uint64_t salt = 0;
};

inline constexpr size_t kWalSegmentHeaderBytes = 32;
inline constexpr size_t kWalFrameHeaderBytes = 32;

/// No frame is longer; a length beyond it is damage.
inline constexpr uint64_t kWalFrameBytes = 16 << 20;

std::string encode(const WalSegmentHeader& header);
std::optional<WalSegmentHeader> decode_wal_segment_header(std::string_view bytes);

struct WalFrame {
    uint64_t first = 0;  // sequence of its first record
    WallTime written = {};
    std::vector<std::string_view> records = {};  // of the decoder's input
    uint64_t bytes = 0;                          // header included

    uint64_t end() const { return first + records.size(); }
    uint64_t record_bytes() const;
};

/// Gathers records into one frame.
class WalFrameWriter {
  public:
    WalFrameWriter();
    void add(std::string_view record);
    size_t bytes() const { return out_.size(); }
    uint64_t records() const { return records_; }

    /// The frame's bytes, for good.
    std::string finish(const WalSegmentHeader& segment, uint64_t first, WallTime written) &&;

  private:
    std::string out_;
    uint64_t records_ = 0;
};

/// How many bytes the frame that begins here has, by its first kWalFrameHeaderBytes; nothing when
/// no frame begins so.
std::optional<uint64_t> wal_frame_bytes(std::string_view header);

/// The frame that begins here; nothing unless it is whole and sound.
std::optional<WalFrame> decode_wal_frame(std::string_view bytes, uint64_t salt);

/// What a whole segment holds.
struct WalSegmentScan {
    uint64_t end = 0;          // sequence after the last sound record
    uint64_t sound_bytes = 0;  // where the next frame belongs
    /// A sound frame beyond bytes that are not: since a frame is written only after the one before
    /// it was synced, those bytes were damaged later. Without one they are a write that was torn.
    std::optional<uint64_t> later_frame = {};
};

/// Called for each sound frame in order, with where it begins.
using WalFrameVisitor = std::function<void(const WalFrame&, uint64_t offset)>;

WalSegmentScan scan_wal_segment(std::string_view bytes, const WalSegmentHeader& header,
                                const WalFrameVisitor& visit);

}  // namespace brigada
