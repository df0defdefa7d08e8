#include "gateway/directory_watch.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <utility>

namespace brigada {

namespace {

/// A revocation must hold everywhere within a second, also where NOTIFY does not come through.
constexpr Duration kLookAgain = Duration::milliseconds(400);

}  // namespace

DirectoryWatch::DirectoryWatch(std::unique_ptr<PostgresDirectory> database,
                               std::unique_ptr<SqliteDirectory> copy, uint64_t seen, Tell tell)
    : database_(std::move(database)),
      copy_(std::move(copy)),
      seen_(seen),
      tell_(std::move(tell)),
      wake_fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      thread_([this](const std::stop_token& stop) { watch_until_stopped(stop); }) {
    CHECK(wake_fd_ >= 0);
    pthread_setname_np(thread_.native_handle(), "directory watch");
}

DirectoryWatch::~DirectoryWatch() {
    stop();
    ::close(wake_fd_);
}

void DirectoryWatch::stop() {
    thread_.request_stop();
    ::eventfd_write(wake_fd_, 1);
    if (thread_.joinable()) thread_.join();
}

std::string DirectoryWatch::trouble() const {
    std::lock_guard lock(mutex_);
    return trouble_;
}

void DirectoryWatch::watch_until_stopped(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
        const Result<void> outcome = look();
        note(outcome);
        pollfd wake{wake_fd_, POLLIN, 0};
        if (!outcome.ok()) ::poll(&wake, 1, static_cast<int>(kLookAgain.ms()));
    }
}

/// A change that is told and not kept is told again, which changes nothing.
Result<void> DirectoryWatch::look() {
    TRY(database_->wait_for_change(kLookAgain, wake_fd_));
    TRY(const DirectoryNews news, database_->since(seen_));
    if (news.revision == seen_ && !news.is_whole) return {};
    if (!tell_(news)) return Error{Code::exhausted, "too much waits for the loop"};
    TRY(copy_->keep(news));
    seen_ = news.revision;
    return {};
}

void DirectoryWatch::note(const Result<void>& outcome) {
    std::lock_guard lock(mutex_);
    trouble_ = outcome.ok() ? std::string() : outcome.error().message;
}

}  // namespace brigada
