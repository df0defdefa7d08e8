// DirectoryWatch: the thread that learns what other gateways changed in the shared directory,
// within a second: told by the database, and by looking twice a second in case it is not. It keeps
// a copy on this machine, to start from when the database is away.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "base/result.h"
#include "gateway/directory/postgres_directory.h"
#include "gateway/directory/sqlite_directory.h"

namespace brigada {

class DirectoryWatch {
  public:
    /// Told on the watch's thread; false when the news could not be taken: they come again.
    using Tell = std::move_only_function<bool(DirectoryNews)>;

    /// `seen` is the revision that the copy and the one who is told know.
    DirectoryWatch(std::unique_ptr<PostgresDirectory> database,
                   std::unique_ptr<SqliteDirectory> copy, uint64_t seen, Tell tell);
    DirectoryWatch(const DirectoryWatch&) = delete;
    DirectoryWatch& operator=(const DirectoryWatch&) = delete;
    ~DirectoryWatch();

    /// Why it learns nothing; empty while it does. Any thread.
    std::string trouble() const;

    /// Ends the thread. Whoever is told must live until then.
    void stop();

  private:
    void watch_until_stopped(const std::stop_token& stop);
    Result<void> look();
    void note(const Result<void>& outcome);

    const std::unique_ptr<PostgresDirectory> database_;
    const std::unique_ptr<SqliteDirectory> copy_;
    uint64_t seen_;
    Tell tell_;
    const int wake_fd_;

    mutable std::mutex mutex_;
    std::string trouble_;

    std::jthread thread_;  // last: it uses all of the above
};

}  // namespace brigada
