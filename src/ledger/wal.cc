#include "ledger/wal.h"

#include <algorithm>
#include <random>

namespace brigada {

namespace {

/// One write: small enough that the first of a group is not kept waiting for the last.
constexpr size_t kGroupBytes = 1 << 20;
constexpr Duration kLongestRetry = Duration::seconds(1);

uint64_t random_salt() {
    std::random_device source;
    return uint64_t{source()} << 32 | source();
}

}  // namespace

Result<std::unique_ptr<Wal>> Wal::open(const WalConfig& config) {
    TRY(make_log_folder(config.folder));
    uint64_t unmoved_bytes = 0;
    const auto count = [&](const WalFrame& frame, uint64_t) {
        if (frame.first > config.moved) unmoved_bytes += frame.record_bytes();
    };
    TRY(WalContents contents, scan_wal_folder(config.folder, config.moved, count));
    std::unique_ptr<Wal> wal(new Wal(config, std::move(contents), unmoved_bytes));
    TRY(wal->continue_last_segment());
    wal->writer_ = std::thread([self = wal.get()] { self->write_until_stopped(); });
    return wal;
}

Wal::Wal(const WalConfig& config, WalContents contents, uint64_t unmoved_bytes)
    : config_(config),
      torn_(contents.torn),
      segments_(contents.segments.begin(), contents.segments.end()),
      end_(contents.end),
      moved_(config.moved),
      unmoved_bytes_(unmoved_bytes) {}

Wal::~Wal() {
    stop(Duration());
}

/// Opens the last segment where its sound bytes end, which cuts a torn tail.
Result<void> Wal::continue_last_segment() {
    if (segments_.empty()) return {};
    const WalSegment& last = segments_.back();
    header_ = {.first = last.first, .salt = last.salt};
    TRY(file_, LogFile::open(last.path, last.bytes, *config_.disk));
    return {};
}

void Wal::append(std::string record, Done done) {
    {
        std::lock_guard lock(mutex_);
        if (!stopping_) {
            ++unwritten_;
            unwritten_bytes_ += record.size();
            waiting_.push_back({std::move(record), std::move(done)});
            if (waiting_.size() == 1 || unwritten_bytes_ >= kGroupBytes) work_.notify_one();
            return;
        }
    }
    done(Error{Code::unavailable, concat(config_.folder.string(), ": the log is closed")});
}

void Wal::hurry() {
    std::lock_guard lock(mutex_);
    hurried_ = true;
    work_.notify_one();
}

bool Wal::accepting() const {
    std::lock_guard lock(mutex_);
    return !stopping_ && trouble_.empty() && unwritten_bytes_ <= config_.waiting_bytes;
}

WalStatus Wal::status() const {
    std::lock_guard lock(mutex_);
    return {.backlog_records = end_ - 1 - moved_ + unwritten_,
            .backlog_bytes = unmoved_bytes_ + unwritten_bytes_,
            .unwritten = unwritten_,
            .end = end_,
            .moved = moved_,
            .trouble = trouble_};
}

bool Wal::wait_past(uint64_t sequence, const std::stop_token& stop) const {
    std::unique_lock lock(mutex_);
    written_.wait(lock, stop, [&] { return end_ > sequence + 1; });
    return !stop.stop_requested();
}

void Wal::moved(uint64_t sequence, uint64_t bytes) {
    std::vector<Path> done_with;
    {
        std::lock_guard lock(mutex_);
        CHECK(sequence >= moved_ && sequence < end_ && bytes <= unmoved_bytes_);
        moved_ = sequence;
        unmoved_bytes_ -= bytes;
        while (segments_.size() > 1 && segments_[1].first <= sequence + 1) {
            done_with.push_back(segments_.front().path);
            segments_.pop_front();
        }
    }
    // A removal that fails or is lost costs disk space, no record: the next start knows that all of
    // it was moved.
    std::error_code ignored;
    for (const Path& path : done_with)
        std::filesystem::remove(path, ignored);
}

void Wal::stop(Duration patience) {
    {
        std::lock_guard lock(mutex_);
        if (!stopping_) give_up_at_ = std::chrono::steady_clock::now() + patience.chrono();
        stopping_ = true;
        work_.notify_all();
    }
    if (writer_.joinable()) writer_.join();
}

void Wal::write_until_stopped() {
    for (Group group = take_group(); !group.empty(); group = take_group()) {
        const Result<void> outcome = persist(group);
        if (outcome.ok()) note_written(group);
        for (Waiting& each : group)
            each.done(outcome);
    }
}

/// Gives others time to come.
void Wal::gather(std::unique_lock<std::mutex>& lock) {
    const auto enough = [&] { return stopping_ || hurried_ || unwritten_bytes_ >= kGroupBytes; };
    if (config_.gather > Duration()) work_.wait_for(lock, config_.gather.chrono(), enough);
    hurried_ = false;
}

/// Everything that waits, up to a frame's worth; nothing once the log is closed and empty.
Wal::Group Wal::take_group() {
    std::unique_lock lock(mutex_);
    work_.wait(lock, [&] { return stopping_ || !waiting_.empty(); });
    gather(lock);
    Group group;
    for (size_t bytes = 0; !waiting_.empty() && bytes < kGroupBytes; waiting_.pop_front()) {
        bytes += waiting_.front().record.size();
        group.push_back(std::move(waiting_.front()));
    }
    return group;
}

Result<void> Wal::persist(const Group& group) {
    std::string frame;
    for (Duration pause = config_.retry;; pause = std::min(pause * 2, kLongestRetry)) {
        Result<void> outcome = try_once(group, frame);
        note_outcome(outcome);
        if (outcome.ok() || !wait_to_retry(pause)) return outcome;
    }
}

Result<void> Wal::try_once(const Group& group, std::string& frame) {
    TRY(ensure_segment());
    if (frame.empty()) {
        WalFrameWriter writer;
        for (const Waiting& each : group)
            writer.add(each.record);
        frame = std::move(writer).finish(header_, end_, WallClock().now());
    }
    return file_->append(frame);
}

/// The segment that the next frame belongs to, open. A frame is made once its segment stands.
Result<void> Wal::ensure_segment() {
    if (file_ && file_->size() < config_.segment_bytes) return {};
    const WalSegmentHeader header{.first = end_, .salt = random_salt()};
    const Path path = wal_segment_path(config_.folder, header.first);
    TRY(LogFile fresh, LogFile::create(path, *config_.disk));
    TRY(fresh.append(encode(header)));
    TRY(sync_log_folder(config_.folder));
    std::lock_guard lock(mutex_);
    header_ = header;
    file_ = std::move(fresh);
    segments_.push_back({.path = path, .first = header.first, .salt = header.salt});
    return {};
}

void Wal::note_outcome(const Result<void>& outcome) {
    std::lock_guard lock(mutex_);
    trouble_ = outcome.ok() ? std::string() : outcome.error().message;
}

/// False when the log is closed and its patience at an end.
bool Wal::wait_to_retry(Duration pause) {
    std::unique_lock lock(mutex_);
    auto until = std::chrono::steady_clock::now() + pause.chrono();
    if (!stopping_) work_.wait_until(lock, until, [&] { return stopping_; });
    if (!stopping_) return true;
    if (std::chrono::steady_clock::now() >= give_up_at_) return false;
    until = std::min(until, give_up_at_);
    work_.wait_until(lock, until, [] { return false; });
    return true;
}

void Wal::note_written(const Group& group) {
    std::lock_guard lock(mutex_);
    uint64_t bytes = 0;
    for (const Waiting& each : group)
        bytes += each.record.size();
    end_ += group.size();
    unwritten_ -= group.size();
    unwritten_bytes_ -= bytes;
    unmoved_bytes_ += bytes;
    written_.notify_all();
}

}  // namespace brigada
