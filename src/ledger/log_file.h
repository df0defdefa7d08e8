// LogFile: a file that only grows, and whose bytes are on the disk when append() says so. What a
// failed append left behind is cut off before the next one, so a reader never sees it followed by
// anything.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string_view>

#include "base/file.h"
#include "base/result.h"

namespace brigada {

/// What the system does for a LogFile; a test puts a disk that fills up in its place.
class Disk {
  public:
    virtual ~Disk() = default;
    virtual ssize_t write(int fd, std::string_view bytes, uint64_t offset);
    virtual int sync(int fd);

    static Disk& real();
};

/// "<path>: <doing>: <what the system said>", with what to do when the disk is full.
Error log_error(const Path& path, std::string_view doing, int error_number);

/// Makes a new or removed file in `folder` survive a power cut. Error::io.
Result<void> sync_log_folder(const Path& folder);

/// Makes the folder and those above it, for this user only, so that they survive a power cut.
/// Error::io.
Result<void> make_log_folder(const Path& folder);

class LogFile {
  public:
    /// An empty file, whatever was there. Error::io.
    static Result<LogFile> create(const Path& path, Disk& disk);

    /// The first `size` bytes of a file; what follows them is cut off. Makes it if there is none.
    static Result<LogFile> open(const Path& path, uint64_t size, Disk& disk);

    LogFile(LogFile&& other) noexcept;
    LogFile& operator=(LogFile&& other) noexcept;
    ~LogFile();

    /// All of `bytes` on the disk, or Error::io and size() as before. May be tried again.
    Result<void> append(std::string_view bytes);

    uint64_t size() const { return size_; }
    const Path& path() const { return path_; }
    int fd() const { return fd_; }

  private:
    LogFile(Path path, int fd, uint64_t size, Disk& disk)
        : path_(std::move(path)), fd_(fd), size_(size), disk_(&disk) {}

    Result<void> cut_leftovers();
    Result<void> write_and_sync(std::string_view bytes);

    Path path_;
    int fd_ = -1;
    uint64_t size_ = 0;
    bool leftovers_ = true;  // there may be bytes beyond size_
    Disk* disk_;
};

/// What one process alone may touch, as long as the object lives; the system lets go of it when the
/// process dies, however it dies.
class ProcessLock {
  public:
    /// Locks `file`, which holds the process id for people. Error::unavailable, naming the other
    /// process, when another holds it.
    static Result<ProcessLock> take(const Path& file);

    ProcessLock(ProcessLock&& other) noexcept;
    ProcessLock& operator=(ProcessLock&& other) noexcept;
    ~ProcessLock();

  private:
    explicit ProcessLock(int fd) : fd_(fd) {}
    int fd_;
};

}  // namespace brigada
