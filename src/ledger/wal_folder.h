// WalFolder: the segments of a write-ahead log as they lie on the disk, each named by the sequence
// of its first record. Scanning proves that no record is missing and tells a write torn by a crash
// from damage; reading follows the log while it is being written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "ledger/wal_segment.h"

namespace brigada {

struct WalSegment {
    Path path = {};
    uint64_t first = 1;  // sequence of its first record
    uint64_t salt = 0;
    uint64_t end = 1;    // sequence after its last record
    uint64_t bytes = 0;  // the sound ones
};

/// Bytes at the end of the log that a crash left of an unfinished write. Nobody was told that they
/// were written.
struct TornTail {
    Path path = {};
    uint64_t offset = 0;
    uint64_t bytes = 0;
};

struct WalContents {
    std::vector<WalSegment> segments = {};  // in order
    std::optional<TornTail> torn = {};
    uint64_t end = 1;  // sequence of the record to come
};

Path wal_segment_path(const Path& folder, uint64_t first);

/// The first sequence the log still has; nothing when it has no segment.
std::optional<uint64_t> first_in_wal(const Path& folder);

/// Reads all of the log. `moved` is the last sequence known to be in the store: records after it
/// must be here. Error::corrupt names the file, the offset and what to do. Changes nothing.
Result<WalContents> scan_wal_folder(const Path& folder, uint64_t moved,
                                    const WalFrameVisitor& visit);

/// A frame with the bytes it looks into.
struct OwnedWalFrame {
    std::vector<char> bytes = {};
    WalFrame frame = {};
};

/// Follows the log from any record on.
class WalReader {
  public:
    explicit WalReader(Path folder) : folder_(std::move(folder)) {}
    WalReader(const WalReader&) = delete;
    WalReader& operator=(const WalReader&) = delete;
    ~WalReader();

    /// The frame that holds record `sequence`, which must be durable. Error::corrupt, ::io.
    Result<OwnedWalFrame> frame_of(uint64_t sequence);

  private:
    Result<void> open_segment_of(uint64_t sequence);
    Result<OwnedWalFrame> read_frame();
    Result<bool> read_at(uint64_t offset, char* into, size_t bytes) const;

    Path folder_;
    Path path_;
    int fd_ = -1;
    uint64_t salt_ = 0;
    uint64_t offset_ = 0;  // of the next frame
    uint64_t next_ = 0;    // its first sequence
};

}  // namespace brigada
