#include "hub/disk.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace brigada {

namespace {

Result<FileDescriptor> open_file(const Path& path, int flags, std::string_view doing) {
    FileDescriptor file(::open(path.c_str(), flags | O_CLOEXEC, 0644));
    if (!file.is_open()) return disk_error(path, doing, errno);
    return file;
}

Result<FileDescriptor> open_lock(const Path& path) {
    TRY(make_folders(path.parent_path()));
    return open_file(path, O_RDWR | O_CREAT, "cannot open the lock");
}

/// True when taken, false when `mode` has LOCK_NB and another holds it.
Result<bool> lock(const FileDescriptor& file, const Path& path, int mode) {
    while (::flock(file.get(), mode) != 0) {
        if (errno == EWOULDBLOCK) return false;
        if (errno != EINTR) return disk_error(path, "cannot lock", errno);
    }
    return true;
}

}  // namespace

FileDescriptor::FileDescriptor(FileDescriptor&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)) {}

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
}

FileDescriptor::~FileDescriptor() {
    if (is_open()) ::close(fd_);
}

Error disk_error(const Path& path, std::string_view doing, int error_number) {
    std::string message = concat(path.string(), ": ", doing, ": ", std::strerror(error_number));
    const bool full = error_number == ENOSPC || error_number == EDQUOT || error_number == EFBIG;
    if (full) message += "; free some space, or set BRIGADA_CACHE to a folder on another disk";
    return {Code::io, std::move(message)};
}

Result<void> write_all(const FileDescriptor& file, const Path& path, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t n = ::write(file.get(), bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return disk_error(path, "cannot write", errno);
        bytes.remove_prefix(static_cast<size_t>(n));
    }
    return {};
}

Result<void> make_folders(const Path& folder) {
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    if (failed) return disk_error(folder, "cannot make the folder", failed.value());
    return {};
}

Result<void> sync_folder(const Path& folder) {
    TRY(const FileDescriptor file, open_file(folder, O_RDONLY | O_DIRECTORY, "cannot open"));
    if (::fsync(file.get()) != 0) return disk_error(folder, "cannot sync", errno);
    return {};
}

Result<void> write_durably(const Path& path, std::string_view bytes) {
    TRY(make_folders(path.parent_path()));
    const Path fresh = path.string() + ".new";
    TRY(const FileDescriptor file, open_file(fresh, O_WRONLY | O_CREAT | O_TRUNC, "cannot create"));
    TRY(write_all(file, fresh, bytes));
    if (::fsync(file.get()) != 0) return disk_error(fresh, "cannot sync", errno);
    if (::rename(fresh.c_str(), path.c_str()) != 0)
        return disk_error(path, "cannot replace", errno);
    return sync_folder(path.parent_path());
}

Result<void> require_space(const Path& folder, uint64_t bytes) {
    struct statvfs info{};
    if (::statvfs(folder.c_str(), &info) != 0)
        return disk_error(folder, "cannot ask for its free space", errno);
    const auto free = static_cast<unsigned __int128>(info.f_bavail) * info.f_frsize;
    if (free >= bytes) return {};
    return Error{Code::io, concat(folder.string(), ": ", human_bytes(bytes), " are needed, ",
                                  human_bytes(static_cast<uint64_t>(free)),
                                  " are free; free some space, or set BRIGADA_CACHE to a folder ",
                                  "on another disk")};
}

std::string human_bytes(uint64_t bytes) {
    constexpr std::array kUnits{"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    auto value = static_cast<double>(bytes);
    size_t unit = 0;
    for (; value >= 999.95 && unit + 1 < kUnits.size(); ++unit)
        value /= 1000;
    return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, kUnits[unit]);
}

Result<std::optional<FileLock>> FileLock::try_take(const Path& path) {
    TRY(FileDescriptor file, open_lock(path));
    TRY(const bool taken, lock(file, path, LOCK_EX | LOCK_NB));
    if (!taken) return std::optional<FileLock>();
    return std::optional(FileLock(std::move(file)));
}

Result<FileLock> FileLock::take(const Path& path) {
    TRY(FileDescriptor file, open_lock(path));
    TRY(lock(file, path, LOCK_EX));
    return FileLock(std::move(file));
}

}  // namespace brigada
