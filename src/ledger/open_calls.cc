#include "ledger/open_calls.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <set>
#include <string>
#include <string_view>

#include "base/check.h"
#include "ledger/log_file.h"

namespace brigada {

namespace {

constexpr std::string_view kMagic = "brigada open calls 1\n";
constexpr uint64_t kHeaderBytes = 4'096;  // the slots begin on a page
constexpr size_t kSlotBytes = 2'048;
constexpr size_t kSlotsPerChunk = 1'024;
constexpr uint64_t kChunkBytes = kSlotBytes * kSlotsPerChunk;

/// What fits into a slot, whatever things are called: eleven texts and the numbers.
constexpr RecordBounds kBounds{.text_bytes = 96, .attempts = 1, .tags = 0};

/// Room for `bytes` that no later write can lack.
Result<void> allocate(const Path& path, int fd, uint64_t from, uint64_t bytes) {
    const int failed = ::posix_fallocate(fd, static_cast<off_t>(from), static_cast<off_t>(bytes));
    if (failed != 0) return log_error(path, "making room for open calls", failed);
    return {};
}

Result<void> write_header(const Path& path, int fd) {
    std::string header(kHeaderBytes, '\0');
    header.replace(0, kMagic.size(), kMagic);
    if (::pwrite(fd, header.data(), header.size(), 0) != static_cast<ssize_t>(header.size()))
        return log_error(path, "writing", errno);
    return {};
}

/// How many chunks the file has; 0 for one that is new or was never finished.
Result<uint64_t> read_header(const Path& path, int fd) {
    struct stat status{};
    if (::fstat(fd, &status) != 0) return log_error(path, "reading", errno);
    const auto size = static_cast<uint64_t>(status.st_size);
    if (size < kHeaderBytes) return uint64_t{0};
    char magic[kMagic.size()];
    if (::pread(fd, magic, sizeof(magic), 0) != static_cast<ssize_t>(sizeof(magic)))
        return log_error(path, "reading", errno);
    if (std::string_view(magic, sizeof(magic)) != kMagic)
        return Error{Code::unsupported,
                     concat(path.string(),
                            ": not the open calls of this build; start the build "
                            "that wrote it once more, or move it away")};
    return (size - kHeaderBytes) / kChunkBytes;
}

}  // namespace

/// `bytes` is written last and cleared first, so a record is whole or not there. Atomic because the
/// order must hold for whoever finds the memory after this process has died at any instruction.
struct OpenCalls::Slot {
    std::atomic<uint32_t> bytes;  // of the record; 0: free
    State state;
    uint64_t checksum;  // of the record
    std::atomic<int64_t> at, output, cost;
    char record[kSlotBytes - 40];
};

OpenCalls::OpenCalls(Path path, int fd) : path_(std::move(path)), fd_(fd) {
    static_assert(sizeof(Slot) == kSlotBytes);
    static_assert(std::atomic<int64_t>::is_always_lock_free);
}

OpenCalls::~OpenCalls() {
    for (Slot* chunk : chunks_)
        ::munmap(chunk, kChunkBytes);
    ::close(fd_);
}

Result<std::unique_ptr<OpenCalls>> OpenCalls::open(const Path& file) {
    const int fd = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) return log_error(file, "opening", errno);
    std::unique_ptr<OpenCalls> out(new OpenCalls(file, fd));
    TRY(const uint64_t chunks, read_header(file, fd));
    if (chunks == 0) TRY(write_header(file, fd));
    for (uint64_t number = 0; number < std::max<uint64_t>(chunks, 1); ++number)
        TRY(out->map_chunk(number));
    out->find_left();
    return out;
}

Result<void> OpenCalls::map_chunk(uint64_t number) {
    const uint64_t from = kHeaderBytes + number * kChunkBytes;
    TRY(allocate(path_, fd_, from, kChunkBytes));
    void* memory = ::mmap(nullptr, kChunkBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd_,
                          static_cast<off_t>(from));
    if (memory == MAP_FAILED) return log_error(path_, "mapping", errno);
    chunks_.push_back(static_cast<Slot*>(memory));
    return {};
}

Result<void> OpenCalls::add_chunk() {
    const size_t number = chunks_.size();
    TRY(map_chunk(number));
    for (size_t i = kSlotsPerChunk; i-- > 0;)
        free_.push_back(Place{static_cast<uint32_t>(number * kSlotsPerChunk + i)});
    return {};
}

void OpenCalls::find_left() {
    std::set<RecordId> ended;
    for (size_t i = chunks_.size() * kSlotsPerChunk; i-- > 0;) {
        const Place place{static_cast<uint32_t>(i)};
        auto record = read(slot(place));
        if (!record) {
            free(place);
            continue;
        }
        const bool ran = slot(place).state == State::running;
        if (!ran) ended.insert(record->id);
        left_.push_back({place, ran, *std::move(record)});
    }
    // finish() writes a call's end before it frees the place in which the call ran.
    std::erase_if(left_, [&](const Left& left) {
        const bool is_old = left.ran && ended.contains(left.record.id);
        if (is_old) free(left.place);
        return is_old;
    });
}

std::optional<CallRecord> OpenCalls::read(const Slot& slot) const {
    const size_t bytes = std::min<size_t>(slot.bytes.load(), sizeof(slot.record));
    const std::string_view text(slot.record, bytes);
    if (bytes == 0 || XXH3_64bits(text.data(), text.size()) != slot.checksum) return std::nullopt;
    auto record = decode_call_record(text);
    if (!record.ok()) return std::nullopt;
    if (slot.state == State::running) {
        record->ended = {std::max(slot.at.load(), record->started.ns)};
        record->usage.output = slot.output.load();
        record->cost = {slot.cost.load()};
        record->status = CallStatus::lost;
        for (CallAttempt& attempt : record->attempts)
            attempt.status = CallStatus::lost, attempt.ended = record->ended;
    }
    return *std::move(record);
}

std::vector<OpenCalls::Left> OpenCalls::left() const {
    return left_;
}

OpenCalls::Slot& OpenCalls::slot(Place place) const {
    const auto index = static_cast<uint32_t>(place);
    return chunks_[index / kSlotsPerChunk][index % kSlotsPerChunk];
}

Result<OpenCalls::Place> OpenCalls::begin(const CallRecord& record) {
    return write(record, encode(record), State::running);
}

bool OpenCalls::finish(Place& place, const CallRecord& record, std::string_view encoded) {
    const auto written = write(record, encoded, State::ended);
    if (!written.ok()) return false;
    end(place);
    place = *written;
    return true;
}

Result<OpenCalls::Place> OpenCalls::write(const CallRecord& record, std::string_view encoded,
                                          State state) {
    const bool fits = encoded.size() <= sizeof(Slot::record);
    const std::string shortened = fits ? std::string() : encode(record, kBounds);
    const std::string_view bytes = fits ? encoded : shortened;
    CHECK(bytes.size() <= sizeof(Slot::record), bytes.size(), " bytes of a shortened record");
    std::lock_guard lock(mutex_);
    if (free_.empty()) TRY(add_chunk());
    const Place place = free_.back();
    free_.pop_back();
    Slot& slot = this->slot(place);
    std::memcpy(slot.record, bytes.data(), bytes.size());
    slot.checksum = XXH3_64bits(bytes.data(), bytes.size());
    slot.state = state;
    slot.at.store(record.started.ns, std::memory_order_relaxed);
    slot.output.store(record.usage.output, std::memory_order_relaxed);
    slot.cost.store(record.cost.nano, std::memory_order_relaxed);
    slot.bytes.store(static_cast<uint32_t>(bytes.size()), std::memory_order_release);
    return place;
}

void OpenCalls::progress(Place place, const Progress& progress) {
    std::lock_guard lock(mutex_);  // chunks_ may be growing
    Slot& slot = this->slot(place);
    slot.at.store(progress.at.ns, std::memory_order_relaxed);
    slot.output.store(progress.output, std::memory_order_relaxed);
    slot.cost.store(progress.cost.nano, std::memory_order_relaxed);
}

void OpenCalls::end(Place place) {
    std::lock_guard lock(mutex_);
    free(place);
}

void OpenCalls::free(Place place) {
    slot(place).bytes.store(0, std::memory_order_release);
    free_.push_back(place);
}

size_t OpenCalls::count() const {
    std::lock_guard lock(mutex_);
    return chunks_.size() * kSlotsPerChunk - free_.size();
}

}  // namespace brigada
