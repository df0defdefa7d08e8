// Disk: the few file operations that must survive a crash, a full disk and a second process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/result.h"

namespace brigada {

/// An owned file descriptor.
class FileDescriptor {
  public:
    FileDescriptor() = default;
    explicit FileDescriptor(int fd) : fd_(fd) {}
    FileDescriptor(FileDescriptor&& other) noexcept;
    FileDescriptor& operator=(FileDescriptor&& other) noexcept;
    ~FileDescriptor();

    int get() const { return fd_; }
    bool is_open() const { return fd_ >= 0; }

  private:
    int fd_ = -1;
};

/// "<path>: <doing>: <what the system said>"; a full disk is told with what to do about it.
Error disk_error(const Path& path, std::string_view doing, int error_number);

/// All of `bytes`, whatever write(2) feels like. Error::io.
Result<void> write_all(const FileDescriptor& file, const Path& path, std::string_view bytes);

/// The folder and those above it. Error::io.
Result<void> make_folders(const Path& folder);

/// Makes a rename or a new file in `folder` survive a power cut. Error::io.
Result<void> sync_folder(const Path& folder);

/// Replaces `path` by `bytes` in one step: readers see the old file or the new one. Error::io.
Result<void> write_durably(const Path& path, std::string_view bytes);

/// Error::io, with both numbers, when `folder`'s disk has less than `bytes` free.
Result<void> require_space(const Path& folder, uint64_t bytes);

/// "98.4 MB", "3 B": decimal units, as disks are sold.
std::string human_bytes(uint64_t bytes);

/// A lock among processes, held as long as the object lives; the system releases it when a process
/// dies, however it dies.
class FileLock {
  public:
    /// Nothing when another holds it. Error::io.
    static Result<std::optional<FileLock>> try_take(const Path& path);

    /// Waits until it is free. Error::io.
    static Result<FileLock> take(const Path& path);

  private:
    explicit FileLock(FileDescriptor file) : file_(std::move(file)) {}
    FileDescriptor file_;
};

}  // namespace brigada
