// OpenCalls: the calls that are at an upstream now, or whose record has not reached the log's disk,
// in a file mapped into memory. What is written there outlives the process however it dies, and
// costs no system call; the next start finds the calls that were left, and brings them into the
// ledger. A power cut may take it.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "ledger/call_record.h"

namespace brigada {

class OpenCalls {
  public:
    /// Where a call stands in the file; good from begin() to end().
    enum class Place : uint32_t {};

    /// How far a call has come.
    struct Progress {
        WallTime at = {};
        int64_t output = 0;  // tokens
        Money cost = {};
    };

    /// A call that an earlier process left.
    struct Left {
        Place place = {};
        bool ran = false;        // it had not ended
        CallRecord record = {};  // of one that ran: as of its last progress, with the status `lost`
    };

    /// Makes the file if there is none. Whoever calls holds the ledger's lock. Error::unsupported
    /// for a file of another build, ::corrupt, ::io, also when the disk has no room for it.
    static Result<std::unique_ptr<OpenCalls>> open(const Path& file);

    OpenCalls(const OpenCalls&) = delete;
    OpenCalls& operator=(const OpenCalls&) = delete;
    ~OpenCalls();

    /// Those found by open(), until end() is called for each. A call that was not written to its
    /// end is not among them: it was never sent.
    std::vector<Left> left() const;

    /// Any thread. `record` need not have ended; of one that is too long for its place, texts are
    /// cut at 96 bytes and the last attempt is kept. Error::io when more calls run than ever before
    /// and the disk has no room for them.
    Result<Place> begin(const CallRecord& record);

    /// Only by whoever began the call, and not after end().
    void progress(Place place, const Progress& progress);

    /// Any thread. The call has ended: `record` stands in its place from now on, until end().
    /// `encoded` is encode(record), which the log needs, too. False, and nothing is done, when the
    /// disk has no room.
    bool finish(Place& place, const CallRecord& record, std::string_view encoded);

    /// Any thread. The call is in the log.
    void end(Place place);

    /// Calls that are open, those left included.
    size_t count() const;

  private:
    struct Slot;
    struct Chunk;

    explicit OpenCalls(Path path, int fd);

    enum class State : uint32_t { running = 0, ended = 1 };

    Result<void> map_chunk(uint64_t number);
    Result<void> add_chunk();
    void find_left();
    std::optional<CallRecord> read(const Slot& slot) const;
    Result<Place> write(const CallRecord& record, std::string_view encoded, State state);
    void free(Place place);
    Slot& slot(Place place) const;

    const Path path_;
    const int fd_;
    std::vector<Left> left_;

    mutable std::mutex mutex_;
    std::vector<Slot*> chunks_;  // first slot of each; 1,024 slots
    std::vector<Place> free_;
};

}  // namespace brigada
