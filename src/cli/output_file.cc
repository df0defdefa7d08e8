#include "cli/output_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace brigada {

namespace {

constexpr mode_t kMode = 0666;  // less the umask

bool write_all(int fd, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(fd, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        text.remove_prefix(static_cast<size_t>(written));
    }
    return true;
}

// Pipes and terminals have no length to set.
bool empty_out(int fd) {
    return ::ftruncate(fd, 0) == 0 || errno == EINVAL;
}

}  // namespace

Result<OutputFile> OutputFile::open(const std::filesystem::path& path) {
    OutputFile out(path);
    if (path.empty()) return out;
    if (out.to_standard_output()) {
        out.fd_ = ::dup(STDOUT_FILENO);
    } else {
        out.fd_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kMode);
        out.is_left_over_ = out.fd_ >= 0;
        if (out.fd_ < 0 && errno == EEXIST) out.fd_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    }
    if (out.fd_ < 0) return out.failure(errno);
    return out;
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      fd_(std::exchange(other.fd_, -1)),
      is_left_over_(std::exchange(other.is_left_over_, false)),
      begun_(other.begun_),
      error_(other.error_) {}

OutputFile::~OutputFile() {
    if (fd_ >= 0) ::close(fd_);
    if (is_left_over_) ::unlink(path_.c_str());
}

Result<void> OutputFile::write(std::string_view text) {
    add(text);
    return finish();
}

void OutputFile::add(std::string_view piece) {
    if (path_.empty()) return;
    begin();
    if (error_ == 0 && !write_all(fd_, piece)) error_ = errno;
}

Result<void> OutputFile::finish() {
    if (path_.empty()) return {};
    begin();
    if (::close(std::exchange(fd_, -1)) != 0 && error_ == 0) error_ = errno;
    if (error_ != 0) return failure(error_);
    return {};
}

// What lay there goes when the first of the new comes; what others wrote to standard output stays.
void OutputFile::begin() {
    if (std::exchange(begun_, true)) return;
    is_left_over_ = false;
    if (!to_standard_output() && !empty_out(fd_)) error_ = errno;
}

Error OutputFile::failure(int error) const {
    return {Code::io, concat(to_standard_output() ? "standard output" : path_.string(),
                             ": cannot be written: ", std::strerror(error))};
}

Result<void> write_file(const std::filesystem::path& path, std::string_view text) {
    TRY(OutputFile file, OutputFile::open(path));
    return file.write(text);
}

}  // namespace brigada
