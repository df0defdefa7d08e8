#include "ledger/mover.h"

#include <algorithm>

namespace brigada {

namespace {

/// One transaction: long enough to share its sync, short enough to end soon when asked to stop.
constexpr uint64_t kBatchBytes = 1 << 20;

/// More than a batch brings of the smallest calls, so that a store that is told to keep less than
/// it has comes to that.
constexpr uint64_t kForgottenAtOnce = 20'000;

}  // namespace

Mover::Mover(Wal& wal, std::unique_ptr<CallStore> store, const MoverConfig& config)
    : wal_(wal),
      config_(config),
      store_(std::move(store)),
      reader_(wal.folder()),
      moved_(wal.status().moved),
      thread_([this](const std::stop_token& stop) { move_until_stopped(stop); }) {}

Mover::~Mover() {
    stop();
}

void Mover::stop() {
    thread_.request_stop();
    if (thread_.joinable()) thread_.join();
    changed_.notify_all();
}

std::optional<WallTime> Mover::oldest() const {
    std::lock_guard lock(mutex_);
    return oldest_;
}

std::string Mover::trouble() const {
    std::lock_guard lock(mutex_);
    return trouble_;
}

Result<void> Mover::flush(Duration patience) {
    const WalStatus log = wal_.status();
    const uint64_t last = log.end - 1 + log.unwritten;
    wal_.hurry();
    std::unique_lock lock(mutex_);
    ++hurried_;
    changed_.notify_all();
    const bool there = changed_.wait_for(lock, patience.chrono(), [&] { return moved_ >= last; });
    --hurried_;
    if (there) return {};
    return Error{Code::deadline,
                 concat(last - moved_, " calls are still in the log after ", patience.ms(),
                        " ms: ", trouble_.empty() ? "the store is slow" : trouble_)};
}

void Mover::move_until_stopped(const std::stop_token& stop) {
    Duration retry = config_.retry;
    while (wal_.wait_past(moved_, stop)) {
        const Result<void> outcome = move_batch();
        if (!outcome.ok()) note_trouble(outcome.error());
        pause(outcome.ok() ? config_.pace : retry, outcome.ok(), stop);
        retry = outcome.ok() ? config_.retry : std::min(retry * 2, config_.longest_retry);
    }
}

/// A batch whose insertion failed is still in batch_ and goes again as it is.
Result<void> Mover::move_batch() {
    if (batch_.empty()) TRY(read_batch());
    TRY(insert_batch());
    batch_.clear();
    calls_.clear();
    return forget_old_calls();
}

/// Once an hour, and a few at a time, so that new calls never wait long for old ones to go.
Result<void> Mover::forget_old_calls() {
    if (config_.keep == Duration::max()) return {};
    const int64_t hour = spend_hour(WallClock().now() - config_.keep);
    if (forgotten_ == hour) return {};
    TRY(const uint64_t dropped, store_->forget(hour, kForgottenAtOnce));
    if (dropped < kForgottenAtOnce) forgotten_ = hour;
    return {};
}

Result<void> Mover::read_batch() {
    const uint64_t end = wal_.status().end;
    uint64_t next = moved_ + 1;
    for (uint64_t bytes = 0; next < end && bytes < kBatchBytes;) {
        TRY(OwnedWalFrame frame, reader_.frame_of(next));
        next = frame.frame.end();
        bytes += frame.frame.bytes;
        batch_.push_back(std::move(frame));
    }
    std::lock_guard lock(mutex_);
    oldest_ = batch_.front().frame.written;
    return {};
}

Result<void> Mover::insert_batch() {
    calls_.clear();
    uint64_t bytes = 0;
    for (const OwnedWalFrame& owned : batch_) {
        for (const std::string_view record : owned.frame.records) {
            TRY(CallRecord decoded, decode_call_record(record));
            calls_.push_back({std::move(decoded), record});
        }
        bytes += owned.frame.record_bytes();
    }
    const uint64_t moved = batch_.back().frame.end() - 1;
    TRY(store_->insert(calls_, moved));
    wal_.moved(moved, bytes);
    note_moved(moved);
    return {};
}

/// All of it at once: whoever flush() wakes sees no trouble that is over.
void Mover::note_moved(uint64_t moved) {
    std::lock_guard lock(mutex_);
    moved_ = moved;
    oldest_.reset();
    trouble_.clear();
    changed_.notify_all();
}

void Mover::note_trouble(const Error& error) {
    std::lock_guard lock(mutex_);
    trouble_ = error.message;
}

void Mover::pause(Duration length, bool may_hurry, const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, stop, length.chrono(), [&] { return may_hurry && hurried_ > 0; });
}

}  // namespace brigada
