#include "ledger/log_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace brigada {

namespace {

Result<int> open_fd(const Path& path, int flags) {
    const int fd = ::open(path.c_str(), flags | O_CLOEXEC, 0600);
    if (fd < 0) return log_error(path, "cannot open", errno);
    return fd;
}

/// Who holds the lock, as it wrote into the file; for the message only.
std::string holder_of(int fd) {
    char text[32];
    const ssize_t n = ::pread(fd, text, sizeof text, 0);
    return n > 0 ? std::string(text, static_cast<size_t>(n)) : "unknown";
}

void write_holder(int fd) {
    const std::string text = concat(::getpid());
    if (::ftruncate(fd, 0) == 0) (void)!::pwrite(fd, text.data(), text.size(), 0);
}

}  // namespace

ssize_t Disk::write(int fd, std::string_view bytes, uint64_t offset) {
    return ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
}

int Disk::sync(int fd) {
    return ::fdatasync(fd);
}

Disk& Disk::real() {
    static Disk disk;
    return disk;
}

Error log_error(const Path& path, std::string_view doing, int error_number) {
    std::string message = concat(path.string(), ": ", doing, ": ", std::strerror(error_number));
    const bool full = error_number == ENOSPC || error_number == EDQUOT || error_number == EFBIG;
    if (full) message += "; free some space: no new call is taken until then";
    return {error_number == ENOENT ? Code::not_found : Code::io, std::move(message)};
}

Result<void> sync_log_folder(const Path& folder) {
    TRY(const int fd, open_fd(folder, O_RDONLY | O_DIRECTORY));
    const bool synced = ::fsync(fd) == 0;
    const int error_number = errno;
    ::close(fd);
    if (!synced) return log_error(folder, "cannot sync", error_number);
    return {};
}

Result<void> make_log_folder(const Path& folder) {
    std::error_code ignored;
    if (folder.empty() || std::filesystem::is_directory(folder, ignored)) return {};
    const Path parent = folder.parent_path();
    TRY(make_log_folder(parent));
    if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
        return log_error(folder, "cannot make the folder", errno);
    return sync_log_folder(parent.empty() ? "." : parent);
}

Result<LogFile> LogFile::create(const Path& path, Disk& disk) {
    TRY(const int fd, open_fd(path, O_RDWR | O_CREAT | O_TRUNC));
    return LogFile(path, fd, 0, disk);
}

Result<LogFile> LogFile::open(const Path& path, uint64_t size, Disk& disk) {
    TRY(const int fd, open_fd(path, O_RDWR | O_CREAT));
    LogFile file(path, fd, size, disk);
    TRY(file.cut_leftovers());
    return file;
}

LogFile::LogFile(LogFile&& other) noexcept
    : path_(std::move(other.path_)),
      fd_(std::exchange(other.fd_, -1)),
      size_(other.size_),
      leftovers_(other.leftovers_),
      disk_(other.disk_) {}

LogFile& LogFile::operator=(LogFile&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(fd_, other.fd_);
    std::swap(size_, other.size_);
    std::swap(leftovers_, other.leftovers_);
    std::swap(disk_, other.disk_);
    return *this;
}

LogFile::~LogFile() {
    if (fd_ >= 0) ::close(fd_);
}

Result<void> LogFile::cut_leftovers() {
    if (!leftovers_) return {};
    if (::ftruncate(fd_, static_cast<off_t>(size_)) != 0)
        return log_error(path_, "cannot cut", errno);
    leftovers_ = false;
    return {};
}

Result<void> LogFile::write_and_sync(std::string_view bytes) {
    for (uint64_t at = size_; !bytes.empty();) {
        const ssize_t n = disk_->write(fd_, bytes, at);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return log_error(path_, "cannot write", errno);
        at += static_cast<uint64_t>(n);
        bytes.remove_prefix(static_cast<size_t>(n));
    }
    // After a failed sync the system may take the pages for written: the next try writes them anew.
    if (disk_->sync(fd_) != 0) return log_error(path_, "cannot sync", errno);
    return {};
}

Result<void> LogFile::append(std::string_view bytes) {
    TRY(cut_leftovers());
    leftovers_ = true;
    Result<void> written = write_and_sync(bytes);
    if (!written.ok()) {
        (void)cut_leftovers();  // tried again before the next append
        return written;
    }
    size_ += bytes.size();
    leftovers_ = false;
    return {};
}

Result<ProcessLock> ProcessLock::take(const Path& file) {
    TRY(make_log_folder(file.parent_path()));
    TRY(const int fd, open_fd(file, O_RDWR | O_CREAT));
    ProcessLock lock(fd);
    while (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
        if (errno == EINTR) continue;
        if (errno != EWOULDBLOCK) return log_error(file, "cannot lock", errno);
        return Error{Code::unavailable,
                     concat(file.string(), ": held by process ", holder_of(fd),
                            "; stop that one, or give this one a folder of its own")};
    }
    write_holder(fd);
    return lock;
}

ProcessLock::ProcessLock(ProcessLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

ProcessLock& ProcessLock::operator=(ProcessLock&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
}

ProcessLock::~ProcessLock() {
    if (fd_ >= 0) ::close(fd_);
}

}  // namespace brigada
